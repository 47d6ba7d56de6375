"""The group of commands that measure: those of the benches, which are looked for when one is asked for."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

import typer
from typer.core import TyperGroup


class _Benches(TyperGroup):
    """A group whose commands are in a checkout, beside the package; elsewhere the error says so."""

    @property
    def commands(self) -> MutableMapping[str, Any]:
        from knowflow.bench import load

        return typer.main.get_group(load("cli").app).commands

    @commands.setter
    def commands(self, given: Any) -> None:
        """Nothing is registered from outside."""


app = typer.Typer(
    cls=_Benches, help="Measurements; they are in a checkout.", no_args_is_help=True, rich_markup_mode=None
)


@app.callback()
def _group() -> None:
    pass
