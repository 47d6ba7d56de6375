"""Which model is meant: a registered one by name, a card file, or a trained file that carries its card."""

from __future__ import annotations

from pathlib import Path

from knowflow.ground.errors import DataNotFoundError, ToolError, UnreadableDataError
from knowflow.ground.json_text import json_value
from knowflow.knowledge.models import Model, load_card, model
from knowflow.model.artifact import Artifact
from knowflow.model.model_card import ModelCard, ModelTask
from knowflow.tools.learned.onnx_file import CARD, metadata_of


class WrongModelError(ToolError):
    """A model does not fit what is asked of it: another task, other bands, another resolution."""

    code = "wrong_model"


def model_for(wanted: Artifact | str, task: ModelTask) -> Model:
    """The model that is meant, which must be one for the task.

    Raises:
        ModelNotRegisteredError, DataNotFoundError, DocumentError, UnreadableDataError: there is none, or it is broken.
        WrongModelError: it is for another task.
    """
    found = _resolved(wanted)
    if found.card.task != task:
        raise WrongModelError(
            f"{found.card.model} is a model for another task",
            expected=task,
            found=found.card.task,
            hint=f"use the tool {found.card.task}",
        )
    return found


def _resolved(wanted: Artifact | str) -> Model:
    name = str(wanted.path or wanted.value) if isinstance(wanted, Artifact) else wanted
    path = Path(name)
    if path.suffix not in (".onnx", ".yaml", ".yml"):
        return model(name)
    if not path.is_file():
        raise DataNotFoundError("the file of the model does not exist", where=name, hint="check the path")
    return trained(path) if path.suffix == ".onnx" else load_card(path)


def trained(path: Path) -> Model:
    """The model of an ONNX file that carries its card in itself, as `train_classifier` writes it.

    Raises:
        UnreadableDataError: it is no ONNX file, or one without a card.
    """
    text = metadata_of(path).get(CARD)
    if text is None:
        raise UnreadableDataError(
            "the ONNX file does not say what it is",
            where=str(path),
            expected="a file written by train_classifier, or a model card (YAML) beside the file",
            found="an ONNX file without a card",
            hint="write a card, and give the card's name: docs/models.md shows how",
        )
    try:
        card = ModelCard.model_validate(json_value(text))
    except ValueError as error:
        raise UnreadableDataError(
            "the card in the ONNX file is not valid", where=str(path), found=str(error)
        ) from error
    return Model(card, path, path, "file")
