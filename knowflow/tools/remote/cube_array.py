"""An array with named axes, as a cube holds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from numpy.typing import NDArray

Place: TypeAlias = tuple[int | slice, ...]


@dataclass(frozen=True, slots=True)
class Array:
    """An array of a cube: its axes by name, what it says of itself, and the number that marks missing data.

    ``chunks`` are the rows, columns and so on that come at once; ``read`` gives the stored numbers of a place, one
    number or slice for each axis.
    """

    name: str
    axes: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: str
    said: Mapping[str, Any]
    fill: float | None
    chunks: tuple[int, ...]
    read: Callable[[Place], NDArray[Any]]

    def values(self) -> NDArray[Any]:
        """All of it: of axes, which are short."""
        return self.read(tuple(slice(0, size) for size in self.shape))
