"""How the quality bands of products mark what a pixel shows: bits or class numbers, by scheme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.model.artifact import Artifact
from knowflow.model.quality_schemes import Scheme, told_scheme

Mark = Literal[
    "cloud", "dilated_cloud", "cirrus", "shadow", "snow", "water", "clear", "vegetation", "bare", "saturated"
]


@dataclass(frozen=True, slots=True)
class Legend:
    """What the numbers of a quality band mean.

    ``bits``: the marks are numbers of bits (any set), else class numbers. ``missing`` are the bits or classes of pixels
    without an observation.
    """

    title: str
    bits: bool
    marks: Mapping[str, tuple[int, ...]]
    missing: tuple[int, ...]
    source: str

    def marked(self, stored: NDArray[Any], marks: Sequence[str]) -> NDArray[np.bool_]:
        """True where a pixel carries one of the marks. Raises ``ToolError`` for marks that the scheme has not."""
        unknown = [mark for mark in marks if mark not in self.marks]
        if unknown:
            raise ToolError(
                f"{self.title} does not mark {', '.join(unknown)}",
                expected=f"some of {', '.join(self.marks)}",
                found=", ".join(marks),
            )
        return self._among(stored, [number for mark in marks for number in self.marks[mark]])

    def observed(self, stored: NDArray[Any]) -> NDArray[np.bool_]:
        """True where there is an observation."""
        return ~self._among(stored, self.missing)

    def _among(self, stored: NDArray[Any], numbers: Sequence[int]) -> NDArray[np.bool_]:
        return any_bit(stored, numbers) if self.bits else np.isin(stored, numbers)


LEGENDS: Mapping[str, Legend] = MappingProxyType(
    {
        "landsat_c2": Legend(
            title="QA_PIXEL of Landsat Collection 2",
            bits=True,
            marks={"dilated_cloud": (1,), "cirrus": (2,), "cloud": (3,), "shadow": (4,), "snow": (5,), "clear": (6,)}
            | {"water": (7,)},
            missing=(0,),
            source="https://www.usgs.gov/landsat-missions/landsat-collection-2-quality-assessment-bands",
        ),
        "sentinel2_scl": Legend(
            title="the scene classification of Sentinel-2",
            bits=False,
            marks={"cloud": (8, 9), "cirrus": (10,), "shadow": (3,), "snow": (11,), "water": (6,), "vegetation": (4,)}
            | {"bare": (5,), "saturated": (1,), "clear": (2, 4, 5, 6, 7, 11)},
            missing=(0,),
            source="https://sentiwiki.copernicus.eu/web/s2-processing",
        ),
        "fmask": Legend(
            title="Fmask",
            bits=False,
            marks={"cloud": (4,), "shadow": (2,), "snow": (3,), "water": (1,), "clear": (0, 1, 3)},
            missing=(255,),
            source="https://doi.org/10.1016/j.rse.2019.05.024",
        ),
        "hls_fmask": Legend(
            title="the Fmask layer of Harmonized Landsat Sentinel-2",
            bits=True,
            marks={"cirrus": (0,), "cloud": (1,), "dilated_cloud": (2,), "shadow": (3,), "snow": (4,), "water": (5,)},
            missing=(),
            source="https://lpdaac.usgs.gov/documents/1698/HLS_User_Guide_V2.pdf",
        ),
        "sentinel2_qa60": Legend(
            title="the cloud bits of Sentinel-2 (QA60)",
            bits=True,
            marks={"cloud": (10,), "cirrus": (11,)},
            missing=(),
            source="https://developers.google.com/earth-engine/datasets/catalog/COPERNICUS_S2_SR_HARMONIZED",
        ),
        "modis_snow": Legend(
            title="the flags in the snow cover of MODIS",
            bits=False,
            marks={"cloud": (250,), "water": (237, 239), "saturated": (254,)},
            missing=(200, 201, 211, 255),
            source="https://nsidc.org/data/mod10a1/versions/61",
        ),
        "viirs_snow": Legend(
            title="the flags in the snow cover of VIIRS",
            bits=False,
            marks={"cloud": (250,), "water": (237, 239)},
            missing=(201, 211, 251, 252, 253, 254, 255),
            source="https://nsidc.org/data/vnp10a1/versions/2",
        ),
        "fractional_snow": Legend(
            title="the flags in the snow fraction of Copernicus, Theia and ESA CCI",
            bits=False,
            marks={"cloud": (205,), "water": (210,)},
            missing=(206, 252, 253, 254, 255),
            source="https://land.copernicus.eu/en/products/snow",
        ),
        "modis_reliability": Legend(
            title="the reliability of the vegetation indices of MODIS",
            bits=False,
            marks={"cloud": (3,), "snow": (2,), "clear": (0, 1)},
            missing=(-1, 255),
            source="https://lpdaac.usgs.gov/products/mod13q1v061/",
        ),
        "viirs_reliability": Legend(
            title="the reliability of the vegetation indices of VIIRS",
            bits=False,
            marks={"cloud": (9,), "shadow": (7,), "snow": (8,), "clear": (0, 1, 2, 3)},
            missing=(-1, -4, 255),
            source="https://lpdaac.usgs.gov/products/vnp13a1v001/",
        ),
    }
)
"""Marks by scheme. In the scene classification snow counts as clear: it is what lies there."""

CLOUDS = ("cloud", "dilated_cloud", "cirrus")
"""What counts as cloud where a scheme tells it apart."""


def scheme_of(qa: Artifact) -> Scheme:
    """The scheme of a quality band by its quantity, layer and sensor; ``MissingFactError`` where they do not tell."""
    scheme = told_scheme(qa)
    if scheme is None:
        raise MissingFactError(
            "how the quality band marks clouds is unknown",
            where=qa.path,
            expected="a band of Landsat Collection 2 or Sentinel-2, or a scheme",
            found=f"sensor {qa.fact('sensor') or 'unknown'}",
            hint="say the sensor (--assume sensor=landsat-8), or set scheme to bits or classes, with values",
        )
    return scheme


def any_bit(stored: NDArray[Any], bits: Sequence[int]) -> NDArray[np.bool_]:
    """True where one of the bits is set; ``ToolError`` where the numbers are not integers."""
    if stored.dtype.kind not in "iu":
        raise ToolError("bit fields are integers", expected="an integer raster", found=str(stored.dtype))
    pattern = sum(1 << bit for bit in bits)
    return np.asarray((stored.astype(np.int64) & pattern) != 0)
