"""Learned models as a table, and one alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from knowflow.roof.notation import literal, plain
from knowflow.roof.terminal.console import QUIET, columns, said

if TYPE_CHECKING:
    from knowflow.knowledge.models import Model


def show_models(console: Console, models: Sequence[Model]) -> None:
    if not models:
        console.print(Text("No model is registered: `knowflow models add CARD.yaml`. No weights come with KnowFlow."))
        return
    table = columns("model", "task", "bands", "licence", "where")
    for model in sorted(models, key=lambda one: (one.card.task, one.card.model)):
        card = model.card
        table.add_row(said(card.model, "bold"), card.task, " ".join(card.bands), said(card.licence), model.layer)
    console.print(table)


def show_model(console: Console, model: Model) -> None:
    """A model as its card tells it."""
    card = model.card
    console.print(Text.assemble((card.model, "bold"), f"  {plain(card.title)}"))
    if card.description:
        console.print(said(card.description))
    classes = ", ".join(f"{code} {name}" for code, name in card.classes.items())
    tile = f"{card.tile.size} pixels, {card.tile.overlap} shared, {card.tile.batch} at once"
    pixels = "any" if card.resolution is None else f"{card.resolution[0]:g} to {card.resolution[1]:g} m"
    lines = {
        "task": card.task,
        "bands": " ".join(card.bands),
        "accepts": ", ".join(card.accepts) or "any quantity",
        "pixels": pixels,
        "tile": tile,
        "classes": classes,
        "result": " ".join(filter(None, (card.result, card.unit))),
        "licence": card.licence,
        "source": card.source,
        "card": str(model.where),
        "file": str(model.weights),
        "version": literal(card.version),
    }
    for name, text in lines.items():
        if text:
            console.print(Text.assemble((f"{name:<9}", QUIET), plain(text)), soft_wrap=True)
