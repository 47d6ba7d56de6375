"""What the bands of a scene tell of each other: reflectance that no ground has means that bands are exchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from knowflow.model.artifact import Artifact
from knowflow.model.diagnosis import Evidence
from knowflow.model.verdict import Place
from knowflow.reason.repair.samples import Finding, Sample

# Of vegetation, soil, rock, buildings, snow and cloud none reflects less than half as much in the near infrared as in
# the red (Jensen 2007, Remote Sensing of the Environment, ch. 10 and 11); water does, but is dark in both.
_RED, _INFRARED = "red", "nir"
_MUCH_DARKER = 0.5
_BRIGHT = 0.12


def exchanged(bands: Artifact, sample: Callable[[Artifact], Sample | None]) -> Finding | None:
    """Whether the red and near infrared bands of a scene hold each other's numbers, by the medians of both.

    Exchanged bands of bare ground look like bare ground: nothing is found of them.
    """
    red, infrared = bands.members.get(_RED), bands.members.get(_INFRARED)
    if red is None or infrared is None or not (_reflects(red) and _reflects(infrared)):
        return None
    samples = sample(red), sample(infrared)
    if samples[0] is None or samples[1] is None or not (samples[0].size and samples[1].size):
        return None
    in_red, in_infrared = (one.counts.median() for one in samples if one is not None)
    if in_red < _BRIGHT or in_infrared >= _MUCH_DARKER * in_red:
        return None
    shown = f"{in_red:.3g} in red, {in_infrared:.3g} in near infrared, as the median"
    expected = "no ground that is bright in red is that dark in near infrared; the other way round it is vegetation"
    return Finding("band_misnamed", (Evidence("reflectance", expected, shown, "measured"),))


def _reflects(band: Artifact) -> bool:
    return "bidirectional_reflectance" in str(band.fact("quantity"))


def scenes_in(name: str, value: Artifact) -> Iterator[tuple[Place, Artifact]]:
    """The band sets in an argument with their places."""
    if value.members:
        yield (name,), value
    for number, item in enumerate(value.items):
        if item.members:
            yield (name, number), item
