"""Kinds of files whose numbers nobody explains, what somebody who knows them says, their look-alikes and variants."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from knowflow.model.template import Scene

QUESTIONS = ("What was the mean {of}{when}?", "What was the maximum {of}{when}?")
OF_ANOTHER_TOOL = "What share of the area had {of} above {limit}{when}?"
# authored rules for these causes are withheld, so that they, too, have to be learned
WITHHELD = frozenset({"unit_wrong", "nodata_undeclared", "mask_coded", "scale_missing"})


@dataclass(frozen=True)
class Kind:
    """Files of one producer: ``stored`` are its numbers as an expression of ``v``, the physical value; ``value`` of the
    physical value over the scene, which ``c`` moves from task to task. ``says`` is what mends it, or ``step``: a tool
    put in before whatever reads the files. ``spoilt`` is where there is no value."""

    name: str
    of: str
    quantity: str
    value: str
    stored: str
    says: Mapping[str, Any]
    dtype: str = "float32"
    by: Literal["person", "llm"] = "person"
    unit: str | None = None
    sensors: tuple[str, ...] = ("terra", "aqua")
    scale: float | None = None
    step: str = ""
    spoilt: str = ""
    layer: str = ""
    when: str = " in 2022"
    mark: str = "-9999"

    def described(self, chance: random.Random, sensor: str) -> tuple[Scene, str]:
        """A scene of the kind, and the expression of its physical values."""
        month = chance.randrange(1, 13)
        moved = chance.uniform(-0.03, 0.03)
        value = self.value.replace("c", f"({moved:.5f})")
        stored = self.stored.replace("v", f"({value})")
        layer = {
            "name": self.layer or self.name.partition("_")[0],
            "quantity": self.quantity,
            "values": f"where({self.spoilt}, {self.mark.replace('v', f'({value})')}, {stored})"
            if self.spoilt
            else stored,
            "dates": [f"2022-{month:02d}-01"],
            "dtype": self.dtype,
            "unit": self.unit,
            "sensor": sensor,
        }
        return Scene.model_validate({"size": [24, 24], "layers": [layer]}), value


_GAP = "x < 0.1"
_SPOTS = "(floor(24 * x) * 7 + floor(24 * y) * 3) % 11 == 0"
_ROWS = "floor(24 * y) % 2 == 1"
_KELVIN = "285 + 20 * x + 8 * y + 60 * c"

_LST = ("surface temperature", "surface_temperature", _KELVIN)
_AIR = ("air temperature", "air_temperature", _KELVIN)
_DEM = ("elevation", "elevation", "900 + 900 * x + 400 * y + 900 * c")
_EVI = ("EVI", "evi", "0.3 + 0.3 * x + 0.2 * y + 2 * c")

KINDS = (
    Kind("lst_64", *_LST, "64 * v", {"scale": 1 / 64, "offset": 0}, "uint16"),
    Kind("lst_f", *_LST, "v * 1.8 - 459.67", {"unit": "degF"}, by="llm"),
    Kind("air_milli", *_AIR, "1000 * v", {"scale": 0.001, "offset": 0}, "int32"),
    Kind("dem_cm", *_DEM, "100 * v", {"scale": 0.01, "offset": 0}, "int32", by="llm", when=""),
    Kind("lst_c", *_LST, "v - 273.15", {"unit": "degC"}, layer="skin"),
    Kind("evi_fill", *_EVI, "v", {"nodata": -9999}, by="llm", spoilt=_GAP),
    Kind("lst_70", *_LST, "70 * v", {"scale": 1 / 70, "offset": 0}, "uint16", layer="mod"),
    Kind("tair_128", *_AIR, "128 * v", {"scale": 1 / 128, "offset": 0}, "int32", by="llm"),
    # nothing fails of these: somebody sees that the answer is not right, and puts a step in
    Kind("hot_spots", *_LST, "v", {}, step="leave_out_hot_spots", spoilt=_SPOTS, mark="345"),
    Kind("odd_rows", *_AIR, "v", {}, step="leave_out_odd_rows", spoilt=_ROWS, mark="v + 12"),
)
# the same with nothing wrong: what was learned must leave them alone
HEALTHY = tuple(replace(kind, name=f"{kind.name}_healthy", stored="v", dtype="float32", spoilt="") for kind in KINDS)


def in_another_unit(kind: Kind) -> Kind | None:
    """The same producer's files of values in another unit, which they say: the same factor mends them."""
    if "scale" not in kind.says:
        return None
    unit, told = ("ft", "(v / 0.3048)") if kind.quantity == "elevation" else ("degC", "(v - 273.15)")
    return replace(kind, unit=unit, stored=kind.stored.replace("v", told))


def turned(kind: Kind) -> tuple[Kind, ...]:
    """Files alike in everything else whose numbers came to mean something else: by another factor, in another unit."""
    if "scale" in kind.says:
        said = {factor: {**kind.says, "scale": kind.says["scale"] / factor} for factor in (1.25, 0.8, 2)}
        return tuple(replace(kind, stored=f"{by} * ({kind.stored})", says=says) for by, says in said.items())
    stored = {"degF": "v - 273.15", "degC": "v * 1.8 - 459.67"}.get(str(kind.says.get("unit")))
    other = {"degF": "degC", "degC": "degF"}.get(str(kind.says.get("unit")))
    return () if stored is None else (replace(kind, stored=stored, says={"unit": other}),)


def look_alikes(kind: Kind) -> tuple[Kind, ...]:
    """Files that look like those of a kind, and in which something else is wrong."""
    if "scale" in kind.says:
        return tuple(replace(kind, stored=f"{factor} * ({kind.stored})", dtype="int32") for factor in (2, 3, 0.5))
    if "unit" in kind.says:
        return tuple(replace(kind, stored=f"{factor} * ({kind.stored})") for factor in (20, 50))
    if kind.step:
        return replace(kind, spoilt=""), replace(kind, mark={"345": "250", "v + 12": "v + 100 * x - 50"}[kind.mark])
    return (replace(kind, stored="10000 * v", dtype="int32", spoilt=""),)
