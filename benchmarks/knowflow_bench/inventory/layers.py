"""The layers of labelled files: each with its truth, and with the others that are of one series by what is true."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from knowflow.model.artifact import Artifact
from knowflow.reason.inventory.band_names import in_band
from knowflow_bench.inventory.labelled_folder import FileTruth, LabelledFile, RasterPixels

Place = tuple[str, int | None]
"""Where a layer is: the path of its file, and the band."""


def paired(layers: Sequence[Artifact], file: LabelledFile) -> Iterator[tuple[Artifact, FileTruth]]:
    """Each layer of a file with its truth. Where a file of several bands is one layer, that layer is all of them."""
    if len(file.truth) == 1:
        yield from ((layer, file.truth[0]) for layer in layers)
        return
    for layer in layers:
        if layer.band is not None:
            yield layer, file.truth[layer.band - 1]
            continue
        for place, truth in enumerate(file.truth, start=1):
            yield layer.with_facts(in_band(layer.facts, place, len(file.truth))), truth


def apart(
    files: Sequence[LabelledFile], layers: Sequence[Sequence[Artifact]], series: Iterable[frozenset[Place]]
) -> set[str]:
    """The files that no series has together with most of those of which the same is true but the date.

    ``layers`` are those of each file, ``series`` what the inventory puts together. Files on other grids are no
    siblings, and of two of one date either may be left out.
    """
    siblings: dict[Hashable, dict[Place, tuple[str, str]]] = {}
    for file, own in zip(files, layers, strict=True):
        for layer, truth in paired(own, file) if file.pixels is not None else ():
            if truth.date is not None and truth.quantity is not None:
                key = (truth.quantity, truth.band, truth.sensor, truth.daynight, _grid(file.pixels))
                siblings.setdefault(key, {})[str(layer.path), layer.band] = (file.path, truth.date)
    together = list(series)
    return {path for group in siblings.values() for path in _apart(group, together)}


def _apart(group: dict[Place, tuple[str, str]], series: Sequence[frozenset[Place]]) -> Iterator[str]:
    if len({date for _, date in group.values()}) < 2:
        return
    largest = max((group.keys() & one for one in series), key=len, default=set())
    dates = {group[place][1] for place in largest}
    yield from (path for path, date in group.values() if date not in dates)


def _grid(pixels: RasterPixels | None) -> Hashable:
    return None if pixels is None else (pixels.crs, pixels.resolution, pixels.origin, pixels.shape)
