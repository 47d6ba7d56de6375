"""Registering learned models: into the project's ``.knowflow/models``, or the user's folder, as other knowledge."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any, ClassVar

from knowflow.ground.errors import DataNotFoundError, KnowFlowError
from knowflow.ground.resources import project_root, user_root
from knowflow.ground.system import refusal
from knowflow.knowledge.models import Model, load_card, model, models, sha256_of

_TRIAL = "knowflow.tools.learned.trial:try_model"
_TRIAL_SECONDS = 300.0


class ModelExistsError(KnowFlowError):
    """A model of that name is registered there already."""

    code: ClassVar[str] = "model_exists"


def add_model(path: Path, *, user: bool = False, replace: bool = False) -> Model:
    """Register the model of a card file, or of an ONNX file that ``train_classifier`` wrote; it is copied.

    The card is checked first, and the model is tried on a small scene. The digest of the ONNX file is written into the
    registered card.

    Raises:
        DataNotFoundError, DocumentError: there is no such file, or the card has problems; all are listed.
        ToolError: the model cannot be run as its card says.
        ModelExistsError: one of that name is registered, and is not to be replaced.
    """
    if not path.is_file():
        raise DataNotFoundError("there is no such file", where=str(path), expected="a model card (YAML), or ONNX")
    found = _given(path)
    folder = (user_root() if user else project_root() or user_root()) / "models"
    target = folder / f"{found.card.model}.yaml"
    if target.exists() and not replace:
        raise ModelExistsError(
            f"a model called {found.card.model} is registered already",
            where=str(target),
            hint="remove it first (`knowflow models remove`), or say --replace",
        )
    try_model(str(path))
    digest = sha256_of(found.weights)
    weights = folder / f"{found.card.model}.onnx"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _copy(found.weights, weights)
        said = found.card.model_dump(mode="json", exclude_defaults=True) | {"file": weights.name, "sha256": digest}
        _write(target, said)
    except OSError as error:
        raise refusal(error, str(folder)) from error
    return load_card(target)


def _given(path: Path) -> Model:
    if path.suffix != ".onnx":
        return load_card(path)
    from knowflow.tools.learned.models import trained

    return trained(path)


def _copy(source: Path, target: Path) -> None:
    part = target.with_suffix(".part")
    shutil.copyfile(source, part)
    part.replace(target)


def _write(target: Path, said: dict[str, Any]) -> None:
    """The card as YAML that a person can edit: one key a line, values in YAML's flow style (JSON is that)."""
    lines = [f"{key}: {_flow(value)}" for key, value in said.items()]
    part = target.with_suffix(".part")
    part.write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.replace(part, target)


def _flow(value: Any) -> str:
    if isinstance(value, dict) and value and all(str(key).isdigit() for key in value):
        return "{" + ", ".join(f"{key}: {json.dumps(item, ensure_ascii=False)}" for key, item in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def try_model(name: str) -> dict[str, Any]:
    """Run a model over a small scene of noise, in a process of its own: what came out, and how long it took.

    Raises what a real run would raise.
    """
    from knowflow.execution.workers import WorkerPool

    with WorkerPool(1, timeout_s=_TRIAL_SECONDS) as pool:
        found: dict[str, Any] = pool.submit(_TRIAL, {"name": name})
    return found


def remove_model(name: str) -> Model:
    """Remove the registered model of a name: its card and its ONNX file; what it was.

    Raises:
        ModelNotRegisteredError: there is none.
    """
    found = models().get(name) or model(name)
    try:
        found.where.unlink()
        found.weights.unlink(missing_ok=True)
    except OSError as error:
        raise refusal(error, str(found.where)) from error
    return found
