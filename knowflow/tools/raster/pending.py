"""What the block engine asks before it works: whether somebody collects what is to be made, to make it in one pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Protocol

from knowflow.model.artifact import Artifact


class NotFusedError(Exception):
    """What was begun as one pass is no such thing: the steps are to be carried out one by one. Nobody is shown it."""


class Collector(Protocol):
    """Takes over what :func:`knowflow.tools.raster.engine.map_blocks` and its siblings were asked for."""

    def map(
        self,
        kernel: Callable[[Any], Any],
        sources: Mapping[str, Artifact | Sequence[Artifact]],
        outputs: Mapping[str, Any],
        *,
        halo: int,
        many_bands: bool,
        pointwise: bool,
    ) -> None: ...

    def reduce(
        self,
        kernel: Callable[[Any], Any],
        sources: Mapping[str, Artifact | Sequence[Artifact]],
        initial: Any,
        combine: Callable[[Any, Any], Any],
        *,
        halo: int,
        many_bands: bool,
        each_pixel: bool,
    ) -> Any: ...

    def holds(self, path: str) -> bool:
        """Whether a file is only the header of a raster that lies nowhere."""
        ...


COLLECTOR: ContextVar[Collector | None] = ContextVar("knowflow_raster_collector", default=None)
