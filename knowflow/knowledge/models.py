"""The models at hand: cards in the ``models/`` folder of the project and of the user, each beside its ONNX file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from knowflow.ground.bands import COMMON_NAMES
from knowflow.ground.errors import EXIT_USAGE, DocumentError, ToolError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem
from knowflow.ground.resources import Layer, resources
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.units import known
from knowflow.ground.yamldoc import Document, Key
from knowflow.knowledge.documents import Loaded, load_model
from knowflow.model.model_card import ROLES, ModelCard

Place = Layer | Literal["file"]


class ModelNotRegisteredError(ToolError):
    """A model is asked for by a name that no card has."""

    code: ClassVar[str] = "model_not_registered"
    exit_code: ClassVar[int] = EXIT_USAGE


@dataclass(frozen=True, slots=True)
class Model:
    """A card and its ONNX file; ``layer`` says where they were found."""

    card: ModelCard
    weights: Path
    where: Path
    layer: Place


def models() -> dict[str, Model]:
    """Every registered model by name, the project's before the user's; cards with errors are left out."""
    found: dict[str, Model] = {}
    for layer, loaded in _cards():
        card = loaded.model
        if card is not None and card.model not in found and not _errors(loaded):
            found[card.model] = Model(card, loaded.path.parent / card.file, loaded.path, layer)
    return found


def model(name: str) -> Model:
    """The registered model of a name.

    Raises:
        DocumentError: its card has errors; all are listed.
        ModelNotRegisteredError: there is none; the hint says how to add one.
    """
    found = models()
    if name in found:
        return found[name]
    for _, loaded in _cards():
        problems = _errors(loaded)
        if problems and (loaded.path.stem == name or (loaded.model is not None and loaded.model.model == name)):
            raise DocumentError(f"the card of the model {name!r} has errors", where=str(loaded.path), problems=problems)
    near = did_you_mean(name, found)
    advice = "add one: `knowflow models add CARD.yaml` (the card beside its ONNX file); no weights come with KnowFlow"
    raise ModelNotRegisteredError(
        f"no model is registered under the name {name}",
        expected=f"a model registered as {name}",
        found=", ".join(sorted(found)) or "none",
        hint=f"{near} else {advice}" if near else advice,
    )


def files_of(name: str) -> tuple[Path, ...]:
    """The files that make a model, given by its registered name, its card file or its ONNX file; none where there are
    none."""
    registered = models().get(name)
    if registered is not None:
        return registered.where, registered.weights
    path = Path(name)
    if not path.is_file():
        return ()
    loaded = load_model(path, ModelCard) if path.suffix in (".yaml", ".yml") else None
    weights = () if loaded is None or loaded.model is None else (path.parent / loaded.model.file,)
    return (path, *(file for file in weights if file.is_file()))


def load_card(path: Path) -> Model:
    """The model of a card file.

    Raises:
        DocumentError: the card is not valid; all problems are listed.
    """
    loaded = load_model(path, ModelCard)
    problems = _errors(loaded)
    if problems or loaded.model is None:
        raise DocumentError("the model card is not valid", where=str(path), problems=problems)
    return Model(loaded.model, path.parent / loaded.model.file, path, "file")


def check_card(path: Path) -> tuple[Problem, ...]:
    """Everything that is wrong with one card."""
    return card_problems(load_model(path, ModelCard))


def check_models() -> tuple[Problem, ...]:
    """Everything that is wrong with the registered cards; a card that hides one of a weaker layer is a warning."""
    problems: list[Problem] = []
    first: dict[str, tuple[Place, Path]] = {}
    for layer, loaded in _cards():
        problems += card_problems(loaded)
        if loaded.model is None:
            continue
        name = loaded.model.model
        stronger, where = first.setdefault(name, (layer, loaded.path))
        if where == loaded.path:
            continue
        if stronger == layer:
            problems.append(
                loaded.document.problem(("model",), "duplicate_id", f"one model named {name!r}", str(where))
            )
        else:
            found = f"{name} of the {layer} layer, hidden by {where}"
            problems.append(loaded.document.problem(("model",), "shadowed", "models in use", found, severity="warning"))
    return tuple(problems)


def card_problems(loaded: Loaded[ModelCard], digest: bool = True) -> tuple[Problem, ...]:
    """The problems of a card as a document, and of what it says: tensors, bands, classes, and the file itself.

    ``digest``: read the ONNX file, where the card states its digest, and compare.
    """
    card, document = loaded.model, loaded.document
    if card is None:
        return loaded.problems
    found = [
        *loaded.problems,
        *_tensor_problems(card, document),
        *_band_problems(card, document),
        *_result_problems(card, document),
        *_file_problems(card, document, loaded.path.parent, digest),
    ]
    return tuple(found)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _cards() -> Iterator[tuple[Layer, Loaded[ModelCard]]]:
    for resource in resources("models", "*.yaml"):
        yield resource.layer, load_model(resource.path, ModelCard)


def _errors(loaded: Loaded[ModelCard]) -> list[Problem]:
    return [problem for problem in card_problems(loaded, digest=False) if problem.severity == "error"]


def _tensor_problems(card: ModelCard, document: Document) -> Iterator[Problem]:
    takes = sorted(card.inputs.values())
    wanted = (["after", "before"], ["both"]) if card.task == "change_detection" else (["image"],)
    if takes not in wanted:
        expected = " or ".join(", ".join(one) for one in wanted)
        yield document.problem(("inputs",), "bad_inputs", f"tensors that take {expected}", ", ".join(takes))
    for role in ROLES[card.task]:
        if role not in card.outputs:
            expected = f"a tensor for {role!r}, which {card.task} needs"
            yield document.problem(("outputs",), "missing_output", expected, ", ".join(card.outputs))
    if card.layout == "pixels" and card.task not in ("semantic_segmentation", "remote_sensing_inversion"):
        expected = "channels_first or channels_last"
        yield document.problem(("layout",), "bad_value", expected, f"pixels, for {card.task}")
    if 2 * card.tile.overlap >= card.tile.size and card.tile.overlap:
        expected = f"less than half of the size, {card.tile.size}"
        yield document.problem(("tile", "overlap"), "bad_value", expected, str(card.tile.overlap))


def _band_problems(card: ModelCard, document: Document) -> Iterator[Problem]:
    if len(set(card.bands)) < len(card.bands):
        yield document.problem(("bands",), "duplicate_name", "each band once", ", ".join(card.bands))
    for number, band in enumerate(card.bands):
        hint = did_you_mean(band, COMMON_NAMES, most=1)
        if band not in COMMON_NAMES and hint:
            yield document.problem(
                ("bands", number), "unknown_band", "a common band name", repr(band), hint, severity="warning"
            )
    for name in ("factor", "mean", "std"):
        value = getattr(card.normalisation, name)
        path: Key = ("normalisation", name)
        if isinstance(value, tuple) and len(value) != len(card.bands):
            expected = f"one number, or {len(card.bands)}: one per band"
            yield document.problem(path, "bad_value", expected, f"{len(value)} numbers")
        if name == "std" and not all(part > 0 for part in (value if isinstance(value, tuple) else (value,))):
            yield document.problem(path, "bad_value", "positive numbers", str(value))
    if card.resolution is not None and not 0 < card.resolution[0] <= card.resolution[1]:
        expected = "the smallest and the largest pixel, in metres"
        yield document.problem(("resolution",), "bad_value", expected, str(list(card.resolution)))
    for number, quantity in enumerate(card.accepts):
        if quantity not in quantity_kinds():
            yield _unknown_quantity(document, ("accepts", number), quantity)


def _result_problems(card: ModelCard, document: Document) -> Iterator[Problem]:
    if card.task in ("semantic_segmentation", "scene_classification", "object_detection") and not card.classes:
        yield document.problem(("classes",), "missing_key", f"the classes, which {card.task} needs", "none")
    if card.task == "remote_sensing_inversion" and card.quantity is None:
        yield document.problem(("quantity",), "missing_key", "the quantity kind of the values", "nothing")
    for code in card.classes:
        if not 0 <= code <= 254:
            yield document.problem(("classes", code), "bad_value", "class numbers from 0 to 254", str(code))
    if card.quantity is not None and card.quantity not in quantity_kinds():
        yield _unknown_quantity(document, ("quantity",), card.quantity)
    if card.unit is not None and not known(card.unit):
        yield document.problem(("unit",), "unit", "a known unit", repr(card.unit))


def _unknown_quantity(document: Document, path: Key, name: str) -> Problem:
    return document.problem(
        path, "unknown_quantity", "a quantity kind", repr(name), did_you_mean(name, quantity_kinds())
    )


def _file_problems(card: ModelCard, document: Document, folder: Path, digest: bool) -> Iterator[Problem]:
    if Path(card.file).name != card.file:
        yield document.problem(("file",), "bad_value", "the name of a file beside the card", repr(card.file))
        return
    weights = folder / card.file
    if not weights.is_file():
        yield document.problem(("file",), "file_missing", f"the ONNX file {weights}", "no such file")
    elif digest and card.sha256 is not None and (found := sha256_of(weights)) != card.sha256:
        hint = "the file is not the one that the card describes"
        yield document.problem(("sha256",), "digest", card.sha256, found, hint)
