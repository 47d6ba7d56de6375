"""A dataset described once: what the files of a folder hold, as whoever keeps them says it in ``knowflow.yaml``."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import Field

from knowflow.model.facts import FACT_TITLES
from knowflow.model.tool import Document

DATASET_FILE = "knowflow.yaml"
Said: TypeAlias = str | float | int | bool | tuple[str | float | int, ...] | None
"""A value as authored, with the meaning that it has behind ``--assume``."""


def _fact(name: str) -> Said:
    said: Said = Field(None, description=FACT_TITLES.get(name, name))
    return said


class DescribedFiles(Document):
    """What some files of the folder hold: facts as ``--assume`` takes them. What is not said is found out."""

    files: tuple[str, ...] = Field(
        min_length=1,
        description="patterns of file names (* and ? are wildcards); one with a / is a path from this folder on",
    )
    quantity: Said = _fact("quantity")
    unit: Said = _fact("unit")
    datetime: Said = _fact("datetime")
    dates: Said = Field(None, description="dates of the bands of a file, in their order, or START/STEP: 2018-01-01/P1M")
    bands: Said = _fact("bands")
    polarisation: Said = _fact("polarisation")
    daynight: Said = _fact("daynight")
    orbit: Said = _fact("orbit")
    statistic: Said = _fact("statistic")
    height: Said = _fact("height")
    sensor: Said = _fact("sensor")
    level: Said = _fact("level")
    region: Said = _fact("region")
    scale: Said = _fact("scale")
    offset: Said = _fact("offset")
    nodata: Said = _fact("nodata")
    mark: Said = _fact("mark")
    blank: Said = _fact("blank")
    crs: Said = _fact("crs")
    resolution: Said = _fact("resolution")
    transform: Said = _fact("transform")
    cloud_fraction: Said = _fact("cloud_fraction")
    cloud_masked: Said = _fact("cloud_masked")
    speckle_filtered: Said = _fact("speckle_filtered")
    sun_elevation: Said = _fact("sun_elevation")
    sun_azimuth: Said = _fact("sun_azimuth")

    @property
    def facts(self) -> dict[str, Said]:
        """What is said, by fact."""
        return {
            name: value
            for name in type(self).model_fields
            if name != "files" and (value := getattr(self, name)) is not None
        }


class Dataset(Document):
    """The files of one folder, and of those below it."""

    dataset: str = Field(description="what the data are called")
    layers: tuple[DescribedFiles, ...] = ()
