"""A process graph of openEO as a template: the steps that carry the same out, where its processes have counterparts.

Formulas of bands are told by their values: one that agrees with an index of the catalogue wherever it is looked at is
that index. What a graph loads is put aside: the template is of the data at hand, and of the time that is asked for.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from knowflow.ground.bands import band as sensor_band
from knowflow.ground.indices import spectral_indices
from knowflow.ground.quantities import quantity_kinds
from knowflow.roof.exports.openeo.shapes import element, factor, is_identity, process_alone, process_of_pair, shape_of
from knowflow.roof.exports.refusal import cannot
from knowflow.tools.formula import compile_formula

_FORM = "a template"
_COMPOSITES = {"mean": "mean", "median": "median", "max": "maximum", "min": "minimum", "sum": "sum"}
_STATISTICS = {**_COMPOSITES, "sd": "standard_deviation"}
_SIDES = {"gt": "above", "gte": "at_least", "lt": "below", "lte": "at_most"}
_PUT_ASIDE = ("filter_temporal", "filter_bbox", "filter_spatial", "save_result", "resample_spatial")
_BANDS = ("bands", "b", "band", "spectral")
_SAMPLES = 12
_NEAR = 1e-9


@dataclass(frozen=True)
class _Scenes:
    """Bands of scenes, by their labels in order (None: as they are called)."""

    collection: str
    bands: tuple[str, ...] | None
    kinds: Mapping[str, str] = field(default_factory=dict)  # what bands hold, where a list of collections tells it


@dataclass(frozen=True)
class _Quantity:
    """An index of scenes, of every date."""

    kind: str


@dataclass(frozen=True)
class _Bands:
    """Values that were put together, by their labels."""

    of: Mapping[str, Any]


@dataclass(frozen=True)
class _Made:
    """What a step makes."""

    step: str
    number: bool = False
    quantity: str = ""


def template_of(document: Mapping[str, Any], name: str, collections: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The template (as its document) of a user-defined process; ``collections`` tell what the bands are that it loads,
    as an export does.

    Raises:
        NotExpressibleError: a process, or the way it is used, has no counterpart; the node is named.
    """
    return _Reader(document, collections or {}).template(name)


@dataclass
class _Reader:
    document: Mapping[str, Any]
    collections: Mapping[str, Any]
    steps: dict[str, Any] = field(default_factory=dict)
    known: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def nodes(self) -> Mapping[str, Any]:
        found = self.document.get("process_graph")
        if not isinstance(found, Mapping) or not found:
            raise cannot(_FORM, str(self.document.get("id", "the document")), "a document without a process graph")
        return found

    def template(self, name: str) -> dict[str, Any]:
        results = [key for key, node in self.nodes.items() if node.get("result")]
        if len(results) != 1:
            raise cannot(_FORM, "process_graph", f"{len(results)} results")
        made = self._raster(results[0], self._value(results[0]))
        title = str(self.document.get("summary") or self.document.get("id") or name)
        return {
            "template": name,
            "version": 1,
            "title": title,
            "description": str(self.document.get("description") or title),
            "layer": 3,
            "keywords": [title],
            **({"parameters": self.parameters} if self.parameters else {}),
            "steps": self.steps,
            "outputs": {"answer" if made.number else "map": f"${made.step}"},
            "assumes": ["place and time are those that are asked for, not those that the process graph loads"],
            "source": "a process graph of openEO",
        }

    # --- nodes ------------------------------------------------------------------------------------------------------

    def _value(self, node: str) -> Any:
        if node not in self.known:
            process = self.nodes[node]["process_id"]
            told = _PROCESSES.get(process)
            if told is None and process not in _PUT_ASIDE:
                raise cannot(_FORM, node, process)
            self.known[node] = told(self, node) if told is not None else self._taken(node, "data")
        return self.known[node]

    def _arguments(self, node: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.nodes[node].get("arguments", {})
        return found

    def _taken(self, node: str, name: str) -> Any:
        """What an argument is: the result of another node, or the data that the process is given."""
        value = self._arguments(node).get(name)
        if isinstance(value, Mapping) and "from_node" in value:
            return self._value(str(value["from_node"]))
        if isinstance(value, Mapping) and "from_parameter" in value:
            return _Scenes("", None)
        raise cannot(_FORM, node, f"{self.nodes[node]['process_id']} without {name}")

    def _step(self, name: str, **step: Any) -> str:
        """A step of a name that is free; the same one where it is there already."""
        for known, one in self.steps.items():
            if one == step:
                return known
        number = next(n for n in range(1, len(self.steps) + 2) if (f"{name}_{n}" if n > 1 else name) not in self.steps)
        name = f"{name}_{number}" if number > 1 else name
        self.steps[name] = step
        return name

    def _raster(self, node: str, value: Any) -> _Made:
        """A value as one raster: of an index with many dates that of the date or period that is asked for."""
        match value:
            case _Made():
                return value
            case _Quantity(kind=kind):
                return _Made(self._step(kind, task="represent_quantity", **{"with": {"quantity": kind}}), quantity=kind)
        raise cannot(_FORM, node, "bands that nothing is made of")

    def _load(self, node: str) -> _Scenes:
        arguments = self._arguments(node)
        bands = arguments.get("bands")
        name = str(arguments.get("id", ""))
        told = dict(self.collections.get(name) or {}).get("bands") or {}
        kinds = {label: str(one["quantity"]) for label, one in told.items() if one.get("quantity")}
        return _Scenes(name, None if bands is None else tuple(map(str, bands)), kinds)

    def _bands(self, node: str) -> _Scenes:
        scenes = self._taken(node, "data")
        bands = self._arguments(node).get("bands") or ()
        if not isinstance(scenes, _Scenes):
            raise cannot(_FORM, node, "filter_bands of something else than scenes")
        return _Scenes(scenes.collection, tuple(map(str, bands)))

    def _ndvi(self, node: str) -> _Quantity:
        if not isinstance(self._taken(node, "data"), _Scenes) or self._arguments(node).get("target_band"):
            raise cannot(_FORM, node, "ndvi as a further band")
        return _Quantity("ndvi")

    def _reduced(self, node: str) -> _Quantity | _Made:
        data, arguments = self._taken(node, "data"), self._arguments(node)
        reducer, dimension = arguments.get("reducer", {}).get("process_graph", {}), str(arguments.get("dimension"))
        if isinstance(data, _Scenes) and dimension in _BANDS:
            kind = data.kinds.get(element(reducer))
            return _Quantity(kind or self._index(node, data, reducer))
        if isinstance(data, _Bands) and dimension in _BANDS:
            return self._together(node, data, shape_of(reducer))
        method = _COMPOSITES.get(process_alone(reducer))
        if isinstance(data, _Quantity) and dimension in ("t", "time", "temporal") and method is not None:
            series = self._step(f"dates_of_{data.kind}", task="produce_quantity", **{"with": {"quantity": data.kind}})
            made = {"series": f"${series}", "method": method}
            return _Made(self._step("composite", tool="temporal_composite", **{"with": made}), quantity=data.kind)
        raise cannot(_FORM, node, f"reduce_dimension of {dimension} by {process_alone(reducer) or 'a formula'}")

    def _labelled(self, node: str) -> _Bands:
        return _Bands({str(self._arguments(node).get("label")): self._taken(node, "data")})

    def _together(self, node: str, bands: _Bands, shape: Any) -> _Made:
        """What a formula makes of two values that were put together: by one process, or masked by the other."""
        match shape:
            case (process, str() as one, str() as other) if {one, other} <= bands.of.keys():
                pair = [self._raster(node, bands.of[label]) for label in (one, other)]
                return self._pair_made(node, process, *pair)
            case ("if", ("eq", str() as mask, 0 | 1 as kept), ("add", str() as one, ("multiply", 0, str() as again))):
                if mask == again and {mask, one} <= bands.of.keys():
                    raster, by = (self._raster(node, bands.of[label]) for label in (one, mask))
                    given = {"raster": f"${raster.step}", "mask": f"${by.step}"} | ({"keep": "masked"} if kept else {})
                    return _Made(self._step("left", tool="apply_mask", **{"with": given}), quantity=raster.quantity)
        raise cannot(_FORM, node, "a formula of values that were put together")

    def _spatial(self, node: str) -> _Made:
        raster = self._raster(node, self._taken(node, "data"))
        statistic = _STATISTICS.get(process_alone(self._arguments(node).get("reducer", {}).get("process_graph", {})))
        if statistic is None or raster.number:
            raise cannot(_FORM, node, "reduce_spatial by something else than a common statistic")
        made = {"raster": f"${raster.step}", "statistic": statistic}
        return _Made(self._step(statistic, tool="raster_statistic", **{"with": made}), True, raster.quantity)

    def _applied(self, node: str) -> _Made:
        """A comparison with limits, which may be told as a number (``1 *``)."""
        raster = self._raster(node, self._taken(node, "data"))
        nodes = dict(self._arguments(node).get("process", {}).get("process_graph", {}))
        if raster.number and isinstance(times := factor(nodes), (int, float)):
            given = {"x": f"${raster.step}", "times": times}
            return _Made(self._step("multiple", tool="multiple", **{"with": given}), True, raster.quantity)
        if shape_of(nodes) == ("not", "x") and not raster.number:
            return self._combined([raster], "not")
        compared = [one for one in nodes.values() if one["process_id"] in (*_SIDES, "between")]
        others = [one for one in nodes.values() if one not in compared]
        if len(compared) != 1 or not all(is_identity(one) for one in others) or raster.number:
            raise cannot(_FORM, node, f"apply of {', '.join(one['process_id'] for one in nodes.values())}")
        (one,), given = compared, compared[0]["arguments"]
        if given.get("x") != {"from_parameter": "x"} or given.get("exclude_max"):
            raise cannot(_FORM, node, f"{one['process_id']} of something else than the value itself")
        made = {"raster": f"${raster.step}"}
        if one["process_id"] == "between":
            limits = {"threshold": self._number(node, given["min"]), "upper": self._number(node, given["max"])}
            return self._mask("threshold", made | limits | {"side": "between"})
        side, limit = _SIDES[one["process_id"]], self._number(node, given["y"])
        if side in ("above", "below"):
            return self._mask("threshold", made | {"threshold": limit, "side": side})
        kind = quantity_kinds().get(raster.quantity)
        unit = "1" if kind is None else kind.unit
        return self._mask("raster_comparison", made | {"number": limit, "side": side, "unit": unit, "stated": True})

    def _mask(self, tool: str, given: Mapping[str, Any]) -> _Made:
        return _Made(self._step("where", tool=tool, **{"with": dict(given)}), quantity="mask")

    def _masked(self, node: str) -> _Made:
        raster, mask = (self._raster(node, self._taken(node, name)) for name in ("data", "mask"))
        if self._arguments(node).get("replacement") is not None:
            raise cannot(_FORM, node, "mask with a replacement")
        made = {"raster": f"${raster.step}", "mask": f"${mask.step}"}
        return _Made(self._step("left", tool="apply_mask", **{"with": made}), quantity=raster.quantity)

    def _merged(self, node: str) -> _Made | _Bands:
        values = [self._taken(node, name) for name in ("cube1", "cube2")]
        resolver = self._arguments(node).get("overlap_resolver") or {}
        process = process_of_pair(resolver.get("process_graph", {}))
        if not process and all(isinstance(one, _Bands) for one in values):
            return _Bands({label: of for one in values for label, of in one.of.items()})
        return self._pair_made(node, process, *(self._raster(node, value) for value in values))

    def _pair_made(self, node: str, process: str, one: _Made, other: _Made) -> _Made:
        if one.step == other.step:  # what is loaded is put aside, and with it what tells them apart
            raise cannot(_FORM, node, "the same quantity twice, of two places or times")
        if process == "subtract" and one.number == other.number:
            made: dict[str, Any] = {"a": f"${one.step}", "b": f"${other.step}"}
            tool = "difference_of" if one.number else "raster_difference"
            return _Made(self._step("difference", tool=tool, **{"with": made}), one.number, "difference")
        if process in ("and", "or", "xor") and not (one.number or other.number):
            return self._combined([one, other], process)
        raise cannot(_FORM, node, f"two values by {process or 'no process, or several'}")

    def _combined(self, masks: Sequence[_Made], operation: str) -> _Made:
        made = {"masks": [f"${one.step}" for one in masks], "operation": operation}
        return _Made(self._step("both", tool="combine_masks", **{"with": made}), quantity="mask")

    def _number(self, node: str, value: Any) -> Any:
        """A number, or the parameter of the process that it is."""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value
        name = str(value.get("from_parameter")) if isinstance(value, Mapping) else ""
        told = next((one for one in self.document.get("parameters") or () if one.get("name") == name), None)
        if told is None or dict(told.get("schema") or {}).get("type") not in ("number", "integer"):
            raise cannot(_FORM, node, "a limit that is no number")
        default = {} if told.get("default") is None else {"default": told["default"]}
        self.parameters[name] = {"type": "number", **default, "title": str(told.get("description") or name)}
        return f"${name}"

    # --- formulas of bands ------------------------------------------------------------------------------------------

    def _index(self, node: str, scenes: _Scenes, formula: Mapping[str, Any]) -> str:
        """The index of the catalogue that a formula of bands is, by its values for bands drawn at random."""
        rng = random.Random(0)
        labels = {str(label): _common(scenes.collection, str(label)) for label in _labels(formula, scenes.bands)}
        names = {name for name in labels.values() if name is not None}
        samples = [{name: rng.uniform(0.05, 0.6) for name in sorted(names)} for _ in range(_SAMPLES)]
        told = []
        for sample in samples:
            try:
                told.append(_evaluated(formula, lambda label, of=sample: of[labels[label]], scenes.bands))  # type: ignore[misc]
            except (KeyError, TypeError, ValueError, IndexError) as error:
                raise cannot(_FORM, node, "a formula of more than bands, numbers and arithmetic") from error
        for kind, entry in sorted(spectral_indices().items(), key=lambda pair: len(pair[1].constants)):
            if set(entry.symbols.values()) != names or entry.inputs or entry.wavelengths:
                continue
            made = compile_formula(entry.formula)
            with np.errstate(all="ignore"):
                values = [
                    float(made({**entry.constants, **{symbol: one[band] for symbol, band in entry.symbols.items()}}))
                    for one in samples
                ]
            if _agree(values, told):
                return kind
        raise cannot(_FORM, node, f"a formula of {', '.join(sorted(names))} that is no index of the catalogue")


_PROCESSES: Mapping[str, Callable[[_Reader, str], Any]] = {
    "load_collection": _Reader._load,
    "load_stac": _Reader._load,
    "filter_bands": _Reader._bands,
    "ndvi": _Reader._ndvi,
    "reduce_dimension": _Reader._reduced,
    "reduce_spatial": _Reader._spatial,
    "apply": _Reader._applied,
    "mask": _Reader._masked,
    "merge_cubes": _Reader._merged,
    "add_dimension": _Reader._labelled,
}


def _agree(values: list[float], others: list[float]) -> bool:
    """Whether two formulas have the same values, and the same gaps, wherever they were looked at."""
    if not np.isfinite(values).any():
        return False
    return bool(np.isclose(values, others, rtol=_NEAR, atol=0.0, equal_nan=True).all())


def _labels(graph: Mapping[str, Any], bands: tuple[str, ...] | None) -> list[str]:
    taken = [one["arguments"] for one in graph.values() if one.get("process_id") == "array_element"]
    return [str(one["label"]) if "label" in one else (bands or ())[int(one["index"])] for one in taken]


def _common(collection: str, label: str) -> str | None:
    """The common name of a band: what the sensor of a collection calls it, else itself."""
    words = collection.casefold().replace("_", "-")
    sensor = next((one for one in ("sentinel-2", "landsat-8", "landsat-9", "landsat-7") if one in words), "sentinel-2")
    found = sensor_band(sensor, label)
    return label if found is None or found.common_name is None else found.common_name


def _evaluated(graph: Mapping[str, Any], band: Callable[[str], float], bands: tuple[str, ...] | None) -> float:
    """The value of a formula of bands.

    Raises:
        KeyError, TypeError, ValueError, IndexError: it is none.
    """

    def value(one: Any) -> Any:
        if isinstance(one, (int, float)):
            return np.float64(one)
        node = graph[one["from_node"]]
        process, given = node["process_id"], node["arguments"]
        if process == "array_element":
            return np.float64(band(str(given["label"]) if "label" in given else (bands or ())[int(given["index"])]))
        if process == "if":  # what it is where it is anything
            return value(given["accept"])
        return _ARITHMETIC[process](*(value(given[name]) for name in ("x", "y", "base", "p") if name in given))

    (result,) = (name for name, node in graph.items() if node.get("result"))
    with np.errstate(all="ignore"):
        return float(value({"from_node": result}))


_ARITHMETIC: Mapping[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "power": lambda base, p: base**p,
    "sqrt": np.sqrt,
    "normalized_difference": lambda x, y: (x - y) / (x + y),
}
