"""The accuracy of a classification, from its confusion matrix (Congalton 1991, doi:10.1016/0034-4257(91)90048-B)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of pixels by class in the reference (rows) and in the map (columns); ``codes`` in the order of both."""

    codes: tuple[int, ...]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, codes: Sequence[int], reference: NDArray[Any], mapped: NDArray[Any]) -> Confusion:
        """From the classes of pixels, all of which are among the codes."""
        order = np.argsort(codes)
        listed = np.asarray(codes)[order]
        place = [order[np.searchsorted(listed, values)] for values in (reference, mapped)]
        size = len(codes)
        counts = np.bincount(place[0] * size + place[1], minlength=size * size)
        return cls(tuple(int(code) for code in codes), counts.reshape(size, size).astype(np.int64))

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    @property
    def overall(self) -> float | None:
        """The share of pixels that are mapped as what they are; None without any."""
        return float(np.trace(self.counts) / self.total) if self.total else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa: agreement beyond that of chance, 1 at best; None where chance alone agrees fully."""
        if not self.total:
            return None
        rows, columns = self.counts.sum(axis=1) / self.total, self.counts.sum(axis=0) / self.total
        chance = float(rows @ columns)
        return None if chance >= 1.0 else float((np.trace(self.counts) / self.total - chance) / (1.0 - chance))

    def by_class(self, names: Mapping[int, str]) -> list[dict[str, Any]]:
        """One row per class: pixels in reference and map, producer's and user's accuracy, F1; None without pixels.

        The producer's accuracy is the share of the reference that the map has found, the user's accuracy the share of
        the map that is so.
        """
        rows = []
        for place, code in enumerate(self.codes):
            right = int(self.counts[place, place])
            real, told = int(self.counts[place].sum()), int(self.counts[:, place].sum())
            rows.append(
                {
                    "class": code,
                    "name": names.get(code, ""),
                    "reference_pixels": real,
                    "mapped_pixels": told,
                    "producers_accuracy": right / real if real else None,
                    "users_accuracy": right / told if told else None,
                    "f1": 2 * right / (real + told) if real + told else None,
                }
            )
        return rows

    def matrix(self, names: Mapping[int, str]) -> list[dict[str, Any]]:
        """The matrix as a table: one row per class of the reference, one column per class of the map."""
        titles = [names.get(code) or str(code) for code in self.codes]
        columns = [f"mapped_{title}" for title in titles]
        return [
            {"reference": title, **dict(zip(columns, map(int, row), strict=True))}
            for title, row in zip(titles, self.counts, strict=True)
        ]
