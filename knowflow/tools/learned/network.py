"""A model at work: what its card says, done to arrays; onnxruntime on the CPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import DataNotFoundError, ToolError, UnreadableDataError
from knowflow.knowledge.models import Model
from knowflow.model.model_card import ModelCard, Takes
from knowflow.tools.learned.models import WrongModelError

THREADS = 2
Parts = Mapping[Takes, NDArray[np.float32]]


class Network:
    """A loaded model. :meth:`run` may be called from several threads.

    Raises ``UnreadableDataError`` where the file is no ONNX model, and ``WrongModelError`` where it has not the tensors
    that its card names.
    """

    def __init__(self, model: Model, threads: int = THREADS) -> None:
        from onnxruntime import (  # type: ignore[import-untyped,unused-ignore]
            InferenceSession,
            SessionOptions,
            set_default_logger_severity,
        )

        self.card: ModelCard = model.card
        if not model.weights.is_file():
            raise DataNotFoundError("the ONNX file of the model does not exist", where=str(model.weights))
        set_default_logger_severity(3)  # its warnings are about speed, and would mix with what users read
        options = SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        try:
            self._session: Any = InferenceSession(str(model.weights), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's errors have no common base but this
            raise UnreadableDataError(
                "onnxruntime cannot load the model", where=str(model.weights), expected="an ONNX file", found=str(error)
            ) from error
        self._outputs = tuple(self.card.outputs.values())
        _require("inputs", self.card, [item.name for item in self._session.get_inputs()], tuple(self.card.inputs), True)
        _require("outputs", self.card, [item.name for item in self._session.get_outputs()], self._outputs, False)
        self._batch = _fixed(self._session.get_inputs()[0].shape[0]) if self.card.layout != "pixels" else None

    def run(self, parts: Parts) -> dict[str, NDArray[Any]]:
        """What the model says, by role.

        ``parts`` holds physical values, NaN where not data: ``image``, or ``before`` and ``after``; as
        (tiles, bands, rows, columns), or for the layout ``pixels`` as (pixels, bands).
        """
        feed = {name: self._tensor(takes, parts) for name, takes in self.card.inputs.items()}
        found = self._run(feed) if self._batch is None else self._in_batches(feed, self._batch)
        return dict(zip(self.card.outputs, found, strict=True))

    def _run(self, feed: Mapping[str, NDArray[np.float32]]) -> Sequence[NDArray[Any]]:
        try:
            found: Sequence[NDArray[Any]] = self._session.run(list(self._outputs), dict(feed))
        except Exception as error:
            shapes = ", ".join(f"{name} {values.shape}" for name, values in feed.items())
            raise WrongModelError(
                f"the model {self.card.model} does not take what its card says",
                expected="bands, layout and tile size of the card that fit the ONNX file",
                found=f"{shapes}: {str(error).splitlines()[0]}",
            ) from error
        return found

    def _in_batches(self, feed: Mapping[str, NDArray[np.float32]], size: int) -> Sequence[NDArray[Any]]:
        """Batches of the one size that the model takes; the last is filled up with its last tile."""
        count = len(next(iter(feed.values())))
        parts = []
        for start in range(0, count, size):
            chosen = np.minimum(np.arange(start, start + size), count - 1)
            kept = min(size, count - start)
            found = self._run({name: values[chosen] for name, values in feed.items()})
            parts.append([values[:kept] if len(values) == size else values for values in found])
        return [np.concatenate(one) for one in zip(*parts, strict=True)]

    @property
    def one_by_one(self) -> bool:
        """Whether the boxes of several tiles cannot be told apart, so that tiles must come singly."""
        boxes = next(
            (item for item in self._session.get_outputs() if item.name == self.card.outputs.get("boxes")), None
        )
        return boxes is not None and len(boxes.shape or ()) == 2

    def _tensor(self, takes: Takes, parts: Parts) -> NDArray[np.float32]:
        if takes == "both":
            values = np.concatenate([self._normalised(parts["before"]), self._normalised(parts["after"])], axis=1)
        else:
            values = self._normalised(parts[takes])
        return np.ascontiguousarray(np.moveaxis(values, 1, -1)) if self.card.layout == "channels_last" else values

    def _normalised(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        said = self.card.normalisation
        shape = (1, -1) + (1,) * (values.ndim - 2)

        def each(number: Any) -> NDArray[np.float32]:
            return np.asarray(number, dtype=np.float32).reshape(shape if isinstance(number, tuple) else ())

        found = (values * each(said.factor) - each(said.mean)) / each(said.std)
        if said.minimum is not None or said.maximum is not None:
            found = np.clip(found, said.minimum, said.maximum)
        return np.asarray(np.nan_to_num(found, nan=self.card.fill), dtype=np.float32)

    def probabilities(self, scores: NDArray[Any], axis: int) -> NDArray[np.float32]:
        """Scores after the card's activation, in 0..1 along the class axis.

        Raises ``WrongModelError`` where a card without activation names scores that are no probabilities.
        """
        values = np.asarray(scores, dtype=np.float32)
        match self.card.activation:
            case "softmax":
                raised = np.exp(values - values.max(axis=axis, keepdims=True))
                return np.asarray(raised / raised.sum(axis=axis, keepdims=True))
            case "sigmoid":
                return np.asarray(1.0 / (1.0 + np.exp(-values)))
        if values.size and not (values.min() >= -1e-3 and values.max() <= 1.001):
            raise WrongModelError(
                f"the scores of {self.card.model} are not probabilities",
                expected="scores in 0..1, or `activation: softmax` or `sigmoid` in its card",
                found=f"{values.min():g} to {values.max():g}",
            )
        return values


def _require(what: str, card: ModelCard, found: Sequence[str], named: Sequence[str], all_: bool) -> None:
    missing = [name for name in named if name not in found]
    left = [name for name in found if name not in named] if all_ else []
    if missing or left:
        raise WrongModelError(
            f"the {what} of the model {card.model} are not those of its card",
            expected=", ".join(named),
            found=", ".join(found),
            hint=f"name the tensors of the ONNX file under `{what}` of the card",
        )


def _fixed(size: Any) -> int | None:
    """The batch size a model insists on, or None where any will do."""
    return size if isinstance(size, int) and size > 0 else None


def require_classes(card: ModelCard, channels: int) -> None:
    """``ToolError`` where the model says something of more or fewer classes than its card names."""
    if channels not in (len(card.classes), 1):
        raise ToolError(
            f"the model {card.model} tells of other classes than its card",
            expected=f"{len(card.classes)} channels: {', '.join(card.classes.values())}",
            found=f"{channels} channels",
        )
