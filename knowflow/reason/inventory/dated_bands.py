"""Stacks in time: files whose every band is described by a date, with or without a layer (``2020-03-01``,
``NDVI_2020-03-01``)."""

from __future__ import annotations

from collections.abc import Sequence

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.dates import iso_datetime
from knowflow.reason.inventory.names import name_facts

_SAID_BY_DESCRIPTION = ("layer", "band", "datetime")


def dated_bands(bands: Sequence[Artifact]) -> tuple[Artifact, ...]:
    """The bands of one file with what their descriptions say of date and layer; none where one of them states no date
    (one band of 2000 nm is no year), or two say the same."""
    said = [_described(band) for band in bands]
    if not all("datetime" in facts for facts in said):
        return ()
    if len({(facts.value("datetime"), facts.value("layer")) for facts in said}) < len(said):
        return ()
    return tuple(
        band.with_facts(facts.over(band.facts.without(_SAID_BY_DESCRIPTION)))
        for band, facts in zip(bands, said, strict=True)
    )


def _described(band: Artifact) -> Facts:
    description = str(band.fact("layer") or "")
    moment = iso_datetime(description)
    if moment is not None:
        return Facts.of(Origin.DECLARED, "band description", datetime=moment)
    # what stands before a date in a description numbers the band and is no place
    return name_facts(description, band.fact("dtype")).facts.without(("region",))
