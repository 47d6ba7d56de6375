"""A process graph that grows: cubes of one raster or one number each, and what is computed of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from affine import Affine

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.units import convert
from knowflow.model.artifact import Artifact
from knowflow.model.workflow import Node
from knowflow.roof.exports.openeo.terms import Operand, Term, child, symbol, symbols_of
from knowflow.roof.exports.refusal import NotExpressibleError, cannot
from knowflow.tools.raster.grid import Grid


@dataclass(frozen=True, slots=True)
class Cube:
    """One raster (dimensions y and x), number (none) or column of a table (its rows) as the result of a node of the
    process graph; or the band ``label`` of a cube of several."""

    node: str
    artifact: Artifact
    label: str | None = None


@dataclass
class Call:
    """A node that is told in the words of openEO: its arguments (cubes, sequences and mappings of them, plain values;
    defaults included) and the graph that they are in. ``made`` has the artifacts that its outputs are."""

    graph: Graph
    node: Node
    given: Mapping[str, Any]
    made: Mapping[str, Artifact]

    def refuse(self, why: str) -> NotExpressibleError:
        return cannot("openEO", self.node.id, f"{self.node.tool}: {why}")

    def cube(self, name: str) -> Cube:
        found = self.given[name]
        if not isinstance(found, Cube):
            raise self.refuse(f"{name} is {'missing' if found is None else 'not one raster or number'}")
        return found

    def number(self, name: str) -> float:
        value = self.given[name]
        if not isinstance(value, (int, float)):
            raise self.refuse(f"{name} is not a number that is known beforehand")
        return float(value)

    def plain(self, *names: str) -> None:
        """Refuse options that have no counterpart."""
        for name in names:
            if self.given.get(name) not in (None, 0, False):
                raise self.refuse(f"with {name} = {self.given[name]}")

    def grid(self, cube: Cube) -> Grid:
        """The grid of a raster, as far as it is known beforehand."""
        crs, transform, shape = (cube.artifact.fact(name) for name in ("crs", "transform", "shape"))
        if transform is None or shape is None:
            raise self.refuse("a raster whose grid is not known beforehand")
        return Grid(crs, Affine(*transform), tuple(shape))

    def computed(self, made: Term, cubes: Mapping[str, Cube], output: str = "output") -> dict[str, Cube]:
        """Pixel by pixel, or of numbers."""
        grids = {one.artifact.fact("grid") for one in cubes.values()}
        if len(grids) > 1:
            raise self.refuse("rasters on different grids, or rasters and numbers")
        return {output: self.graph.computed(made, cubes, self.made[output])}

    def reduced(self, cube: Cube, process: str, made: Term | None = None) -> dict[str, Cube]:
        """A number of all pixels that are data, and what is made of it (``x``)."""
        found = self.graph.add(
            "reduce_spatial",
            data={"from_node": self.graph.flat(cube)},
            reducer={"process_graph": {"one": _reducer(process)}},
        )
        whole = Cube(found, self.made["value"])
        if made is None:
            return {"value": whole}
        return {"value": self.graph.computed(made, {"x": whole}, self.made["value"])}

    def told_in(self, one: Operand, own: Any, unit: Any, changes: bool = False) -> Operand:
        """A value of one unit in another; refused where that is no linear matter (decibels)."""
        if own is None or unit is None or own == unit:
            return one
        try:
            zero, first, second = (float(convert(n, str(own), str(unit), difference=changes)) for n in (0.0, 1.0, 2.0))
        except KnowFlowError as error:
            raise self.refuse(f"{own} in {unit}") from error
        if abs(second - 2 * first + zero) > 1e-9 * abs(second):
            raise self.refuse(f"{own} in {unit}")
        scaled: Operand = one * (first - zero)
        return scaled + zero if zero else scaled


@dataclass
class Graph:
    """Nodes by name, in order; and the collections that they load: the scenes that the plan reads."""

    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    collections: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, process_id: str, /, **arguments: Any) -> str:
        """A node; the same one for the same process and arguments."""
        node = {"process_id": process_id, "arguments": arguments}
        for name, known in self.nodes.items():
            if known == node:
                return name
        name = f"{process_id}{len(self.nodes) + 1}"
        self.nodes[name] = node
        return name

    def loaded(self, collection: str, band: str, artifact: Artifact, bands: Sequence[str]) -> Cube:
        """One band of a scene, which is loaded once."""
        node = self.add("load_collection", id=collection, spatial_extent=None, temporal_extent=None, bands=list(bands))
        return Cube(node, artifact, band)

    def flat(self, cube: Cube) -> str:
        """The node of a raster without the dimension of bands."""
        if cube.label is None:
            return cube.node
        taken = {"process_id": "array_element", "arguments": {"data": {"from_parameter": "data"}, "label": cube.label}}
        reducer = {"process_graph": {"band": {**taken, "result": True}}}
        return self.add("reduce_dimension", data={"from_node": cube.node}, dimension="bands", reducer=reducer)

    def computed(self, made: Term, cubes: Mapping[str, Cube], artifact: Artifact) -> Cube:
        """What is computed of cubes pixel by pixel, each under the symbol that it has in the term."""
        used = {name: cubes[name] for name in symbols_of(made)}
        if len(used) == 1:
            (cube,) = used.values()
            process = child(made, lambda _: {"from_parameter": "x"})
            return Cube(self.add("apply", data={"from_node": self.flat(cube)}, process=process), artifact)
        nodes = {cube.node for cube in used.values()}
        if len(nodes) == 1 and all(cube.label is not None for cube in used.values()):
            labels = {name: str(cube.label) for name, cube in used.items()}
            return Cube(self._over_bands(nodes.pop(), made, labels), artifact)
        merged = self.merged({f"of_{name}": cube for name, cube in used.items()})  # x and y are names of dimensions
        return Cube(self._over_bands(merged, made, {name: f"of_{name}" for name in used}), artifact)

    def merged(self, cubes: Mapping[str, Cube]) -> str:
        """Several rasters or numbers as the bands of one cube, by their names."""
        merged = ""
        for name, cube in cubes.items():
            one = self.add("add_dimension", data={"from_node": self.flat(cube)}, name="bands", label=name, type="bands")
            merged = self.add("merge_cubes", cube1={"from_node": merged}, cube2={"from_node": one}) if merged else one
        return merged

    def over(self, cubes: Sequence[Cube], process: str, artifact: Artifact) -> Cube:
        """The mean (or another statistic) of several rasters or numbers; what is missing does not count."""
        merged = self.merged({f"n{number}": cube for number, cube in enumerate(cubes, start=1)})
        reducer = {"process_graph": {"one": _reducer(process)}}
        return Cube(
            self.add("reduce_dimension", data={"from_node": merged}, dimension="bands", reducer=reducer), artifact
        )

    def _over_bands(self, node: str, made: Term, labels: Mapping[str, str]) -> str:
        def taken(name: str) -> dict[str, Any]:
            arguments = {"data": {"from_parameter": "data"}, "label": labels[name]}
            return {"process_id": "array_element", "arguments": arguments}

        reducer = child(made, taken)
        return self.add("reduce_dimension", data={"from_node": node}, dimension="bands", reducer=reducer)

    def needed(self, result: str) -> dict[str, dict[str, Any]]:
        """The nodes that a result is made of, and itself."""
        wanted, waiting = {result}, [result]
        while waiting:
            for value in self.nodes[waiting.pop()]["arguments"].values():
                if isinstance(value, dict) and value.get("from_node") not in (None, *wanted):
                    wanted.add(value["from_node"])
                    waiting.append(value["from_node"])
        return {name: node for name, node in self.nodes.items() if name in wanted}


def _reducer(process: str) -> dict[str, Any]:
    return {"process_id": process, "arguments": {"data": {"from_parameter": "data"}}, "result": True}


X, Y = symbol("x"), symbol("y")
