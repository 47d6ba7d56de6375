from __future__ import annotations

import pytest
from examples import catalogue, dated_series, ndvi, raster

from knowflow.graph.resolve import arguments_of, fitted, part_of, resolve
from knowflow.ground.errors import PlanningError
from knowflow.model.artifact import Artifact, band_set, scalar, series
from knowflow.model.tool import Parameter
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, Node, SeriesOf

INPUTS = {"s": dated_series(3), "scene": band_set({"red": ndvi("r"), "nir": ndvi("n")}), "a": ndvi("a")}
TOOLS = catalogue()


def output_of(node: str, output: str) -> Artifact:
    return scalar(1.0, name=f"{node}.{output}") if output == "value" else ndvi(f"{node}.{output}")


def test_values_resolve_to_artifacts_literals_series_and_band_sets() -> None:
    assert resolve(Given(5), INPUTS, output_of) == 5
    assert resolve(FromNode("n", "mask"), INPUTS, output_of).name == "n.mask"
    assert resolve(FromInput("s", (1,)), INPUTS, output_of).name == "s1"
    assert resolve(FromInput("scene", ("nir",)), INPUTS, output_of).name == "n"
    both = resolve(SeriesOf((FromInput("a"), FromNode("n"))), INPUTS, output_of)
    assert (both.type, [item.name for item in both.items]) == ("raster_series", ["a", "n."])
    bands = resolve(BandsOf({"red": FromInput("a")}), INPUTS, output_of)
    assert (bands.type, list(bands.members)) == ("band_set", ["red"])


def test_scalars_gather_to_a_list_and_literals_to_a_tuple() -> None:
    scalars = resolve(SeriesOf((FromNode("n", "value"), FromNode("m", "value"))), INPUTS, output_of)
    assert (scalars.type, len(scalars.items)) == ("list", 2)
    assert resolve(SeriesOf((Given(1), Given(2))), INPUTS, output_of) == (1, 2)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (FromInput("z"), "no input 'z'"),
        (FromInput("s", (3,)), "no item 3"),
        (FromInput("a", (0,)), "no item 0"),
        (FromInput("scene", ("blue",)), "no band 'blue'"),
        (FromInput("s", (0, "red")), "no band 'red'"),
        (BandsOf({"red": Given(1)}), "'red' is no raster"),
    ],
)
def test_references_to_what_is_not_there_are_named_errors(value: object, message: str) -> None:
    with pytest.raises(PlanningError, match=message) as caught:
        resolve(value, INPUTS, output_of)  # type: ignore[arg-type]
    assert caught.value.expected
    assert caught.value.found


def test_arguments_include_defaults_and_only_known_parameters() -> None:
    node = Node("n", "smooth", {"raster": FromInput("a"), "nonsense": Given(1)})
    assert arguments_of(node, TOOLS["smooth"], INPUTS, output_of) == {"raster": INPUTS["a"], "window": 3}


def test_values_are_fitted_where_that_loses_nothing() -> None:
    one, scene = raster(), INPUTS["scene"]
    assert fitted(one, Parameter(type="raster_series")) == series((one,))
    assert fitted(scene, Parameter(type="raster_series")) == series((scene,))
    assert fitted(series((one,)), Parameter(type="raster")) == one
    assert fitted(band_set({"red": one}), Parameter(type="raster")) == one
    assert fitted(series((band_set({"red": one}),)), Parameter(type="raster")) == one
    assert fitted(scalar(1), Parameter(type="list")) == Artifact("list", items=(scalar(1),))
    assert fitted(5, Parameter(type="raster_series")) == 5


def test_values_are_not_fitted_where_something_would_be_lost() -> None:
    scene = INPUTS["scene"]
    assert fitted(scene, Parameter(type="raster")) == scene
    assert fitted(INPUTS["s"], Parameter(type="raster")) == INPUTS["s"]


def test_parts_are_walked_from_series_to_band() -> None:
    deep = series((INPUTS["scene"],))
    assert part_of(deep, (0, "red")).name == "r"
    assert part_of(deep, ()) is deep
