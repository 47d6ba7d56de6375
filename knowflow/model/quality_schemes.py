"""Which scheme the marks of a quality band follow, as far as its facts tell."""

from __future__ import annotations

import re
from typing import Literal, cast, get_args

from knowflow.model.artifact import Artifact

Scheme = Literal[
    "landsat_c2",
    "sentinel2_scl",
    "sentinel2_qa60",
    "fmask",
    "hls_fmask",
    "modis_snow",
    "viirs_snow",
    "fractional_snow",
    "modis_reliability",
    "viirs_reliability",
]

_OTHER_MARKS = re.compile(r"radsat|aerosol|lineage|cloud_qa|saturat", re.IGNORECASE)
"""What the quality bands of Landsat are called whose bits are others than those of ``QA_PIXEL``."""


def told_scheme(qa: Artifact) -> Scheme | None:
    """The scheme of a quality band as its product says, else by its quantity, layer and sensor; None where none tells.

    Example:
        >>> from knowflow.model.facts import Facts, Origin
        >>> facts = Facts.of(Origin.USER, "example", quantity="qa_bits", sensor="landsat-8")
        >>> told_scheme(Artifact("raster", facts, "QA_PIXEL"))
        'landsat_c2'
    """
    if (told := qa.fact("marking")) in get_args(Scheme):
        return cast(Scheme, told)
    sensor, quantity = str(qa.fact("sensor") or "").casefold(), qa.fact("quantity")
    layer = str(qa.fact("layer") or qa.name).casefold()
    if "fmask" in layer:
        return "hls_fmask" if "hls" in f"{qa.name} {qa.path} {sensor}".casefold() else "fmask"
    if quantity == "scene_classification" or (sensor.startswith("sentinel-2") and quantity != "qa_bits"):
        return "sentinel2_scl"
    if re.search(r"(?<![a-z])qa60(?!\d)", layer):
        return "sentinel2_qa60"
    if sensor.startswith("landsat") and not _OTHER_MARKS.search(f"{layer} {qa.name}"):
        return "landsat_c2"
    return None
