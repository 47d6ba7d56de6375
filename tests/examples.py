"""Small tools, rasters and workflows that the tests of model, graph, knowledge and reason share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from knowflow.model.artifact import Artifact, series
from knowflow.model.facts import Facts, Origin
from knowflow.model.geo import bounds_of, grid_token
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import FromInput, FromNode, Given, Node, SeriesOf, Workflow

UTM = "EPSG:32633"
RASTER = {"type": "raster"}
OUTPUT = {"type": "path", "role": "output"}


def strict(data: object) -> object:
    """Through the text of strict JSON and back."""
    return json.loads(json.dumps(data, allow_nan=False))


def raster(
    name: str = "a",
    *,
    crs: str | None = UTM,
    origin: tuple[float, float] = (500000.0, 5100000.0),
    pixel: float = 10.0,
    shape: tuple[int, int] = (64, 64),
    **facts: Any,
) -> Artifact:
    """A raster with a measured grid and the given facts; a fact given as None is unknown."""
    transform = (pixel, 0.0, origin[0], 0.0, -pixel, origin[1])
    header = {
        "crs": crs,
        "transform": transform,
        "shape": shape,
        "resolution": (pixel, pixel),
        "bounds": bounds_of(transform, shape),
        "grid": grid_token(crs, transform, shape),
        "dtype": "float32",
        **{key: value for key, value in facts.items() if key in ("transform", "bounds", "grid", "dtype")},
    }
    said = {key: value for key, value in facts.items() if key not in header}
    known = Facts.of(Origin.MEASURED, "header", **header).merged(Facts.of(Origin.DECLARED, "tag", **said))
    return Artifact("raster", facts=known, name=name, path=f"{name}.tif")


def ndvi(name: str = "a", **facts: Any) -> Artifact:
    return raster(name, **{"quantity": "ndvi", "unit": "1", "scale": 1.0, **facts})


def dated_series(count: int, year: int = 2022, **facts: Any) -> Artifact:
    return series(tuple(ndvi(f"s{i}", datetime=f"{year}-{i + 1:02d}-01", **facts) for i in range(count)))


def tool(name: str, parameters: Mapping[str, Any], **keys: Any) -> ToolSchema:
    return ToolSchema.model_validate(
        {
            "tool": name,
            "title": name.replace("_", " "),
            "kit": "preprocessing",
            "layers": [1, 2, 3],
            "parameters": parameters,
            "run": f"python:examples:{name}",
            **keys,
        }
    )


def catalogue(*more: ToolSchema) -> dict[str, ToolSchema]:
    """Tools that read, align, reproject, scale, compare and summarise; ``more`` may replace some."""
    tools = (
        tool(
            "align_to",
            {"raster": RASTER, "like": RASTER, "output": OUTPUT},
            effects={
                "sets": ["same_grid(output, like)"],
                "preserves": {"output": {"from": "raster", "except": ["grid"]}},
            },
            preconditions=["georeferenced(raster)", "georeferenced(like)"],
            lossy="resampling smooths",
            cost=2,
        ),
        tool(
            "to_projected",
            {"raster": RASTER, "crs": {"type": "crs", "default": "auto"}, "output": OUTPUT},
            effects={
                "sets": ["crs(output) == crs", "projected(output)"],
                "preserves": {"output": {"from": "raster", "except": ["grid"]}},
            },
            preconditions=["georeferenced(raster)"],
            lossy="resampling smooths",
            cost=3,
        ),
        tool(
            "apply_scale",
            {"raster": RASTER, "output": OUTPUT},
            effects={
                "sets": ["scaled(output)", "dtype(output) == 'float32'"],
                "preserves": {"output": {"from": "raster", "except": ["scale", "offset", "dtype"]}},
            },
            preconditions=["known(raster, 'scale')"],
        ),
        tool(
            "convert_unit",
            {"raster": RASTER, "unit": {"type": "unit"}, "output": OUTPUT},
            effects={
                "sets": ["unit(output) == unit"],
                "preserves": {"output": {"from": "raster", "except": ["unit"]}},
            },
            preconditions=["compatible_units(raster, unit)"],
        ),
        tool(
            "difference",
            {"a": RASTER, "b": RASTER, "output": OUTPUT},
            preconditions=["same_grid(a, b)", "same_quantity(a, b)"],
            effects={"preserves": {"output": {"from": "a"}}, "ensures": ["finite_fraction(output) >= 0.01"]},
        ),
        tool(
            "slope",
            {"elevation": RASTER, "output": OUTPUT},
            preconditions=["projected(elevation)"],
            effects={
                "sets": ["quantity(output) == 'slope'", "unit(output) == 'degree'"],
                "preserves": {"output": {"from": "elevation", "except": ["quantity", "unit"]}},
            },
        ),
        tool(
            "spectral_index",
            {
                "index": {"type": "string", "choices_from": "spyndex"},
                "bands": {"type": "raster", "keyed_by": "band"},
                "output": OUTPUT,
            },
            layers=[2],
            preconditions=["has_bands(bands, index)", "same_grid(bands)"],
            effects={
                "sets": ["quantity(output) == index", "unit(output) == '1'", "scaled(output)"],
                "preserves": {"output": {"from": "bands", "except": ["quantity", "unit", "bands"]}},
            },
        ),
        tool(
            "smooth",
            {"raster": RASTER, "window": {"type": "integer", "default": 3, "minimum": 1}, "output": OUTPUT},
            effects={"preserves": {"output": {"from": "raster"}}},
        ),
        tool(
            "mean_of_series",
            {"rasters": {"type": "raster_series"}, "output": OUTPUT},
            preconditions=["same_grid(rasters)", "same_quantity(rasters)"],
            effects={"preserves": {"output": {"from": "rasters", "except": ["datetime"]}}},
        ),
        tool(
            "mean",
            {"raster": RASTER},
            returns={"type": "scalar"},
            effects={"sets": ["unit(value) == unit(raster)", "quantity(value) == quantity(raster)"]},
        ),
        tool(
            "kelvin_only",
            {"raster": RASTER, "output": OUTPUT},
            preconditions=["unit(raster) == 'K'"],
            effects={"preserves": {"output": {"from": "raster"}}},
        ),
    )
    return {schema.tool: schema for schema in (*tools, *more)}


# --- strategies -----------------------------------------------------------------------------------------------------

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.floats(allow_nan=True, allow_infinity=True)
    | st.text(max_size=8)
)
literals = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4) | st.integers(0, 9), inner, max_size=3)
    ),
    max_leaves=8,
)


@st.composite
def dags(draw: st.DrawFn, most: int = 12) -> Workflow:
    """Workflows of ``smooth`` and ``mean_of_series`` nodes in a random order of authoring, without cycles."""
    count = draw(st.integers(1, most))
    nodes = []
    for index in range(count):
        earlier = st.lists(st.integers(0, index - 1), max_size=3, unique=True) if index else st.just([])
        nodes.append(chain_node(index, draw(earlier)))
    return Workflow(tuple(draw(st.permutations(nodes))))


def chain_node(index: int, sources: Sequence[int]) -> Node:
    refs = tuple(FromNode(f"n{source}") for source in sources)
    if not refs:
        return Node(f"n{index}", "smooth", {"raster": FromInput("a"), "window": Given(3)})
    return Node(f"n{index}", "mean_of_series", {"rasters": SeriesOf(refs)})
