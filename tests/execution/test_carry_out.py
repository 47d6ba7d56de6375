"""One action at a time: what is checked before and after, what is believed of what was written, what errors become."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from execution_examples import NUMBER, TEXT_FILE, schema

from knowflow.execution.action import Action, Outcome
from knowflow.execution.cache import Cache
from knowflow.execution.carry_out import Workshop
from knowflow.execution.keys import FileDigests, Keyring
from knowflow.ground.errors import KnowFlowError, OutputError
from knowflow.ground.resources import packaged_root
from knowflow.knowledge.documents import load_model
from knowflow.model.artifact import Artifact, scalar
from knowflow.model.facts import Facts, Origin
from knowflow.model.tool import ToolSchema
from knowflow.reason.inventory import read_artifact
from knowflow.tools.raster.source import open_raster
from knowflow.tools.registry import implementation_digest

RASTER = {"type": "raster"}
RASTER_FILE = {"type": "path", "role": "output"}
MULTIPLY: dict[str, Any] = {"raster": RASTER, "factor": NUMBER, "output": RASTER_FILE}


@pytest.fixture
def workshop(home: Path) -> Workshop:
    return Workshop(Cache(home), Keyring(FileDigests(home / "digests.sqlite"), implementation_digest), home / "logs")


@pytest.fixture
def ndvi(tmp_path: Path) -> Artifact:
    """A small NDVI raster on a projected grid: 0 to 0.63, no statistics in its header."""
    path = tmp_path / "ndvi.tif"
    values = np.arange(64, dtype="float32").reshape(8, 8) / 100
    profile = {"driver": "GTiff", "width": 8, "height": 8, "count": 1, "dtype": "float32", "nodata": float("nan")}
    transform = rasterio.Affine(10, 0, 500000, 0, -10, 5100000)
    with rasterio.open(path, "w", crs="EPSG:32633", transform=transform, **profile) as dataset:
        dataset.write(values, 1)
        dataset.update_tags(QUANTITY="ndvi", UNIT="1")
    return read_artifact(path, "raster")


def carry(workshop: Workshop, tool: ToolSchema, **arguments: Any) -> Outcome:
    return workshop(Action("n", "the node", tool, arguments))


def error_of(outcome: Outcome) -> KnowFlowError:
    assert outcome.error is not None
    assert outcome.outputs == {}
    return outcome.error


def effects(**more: Any) -> Mapping[str, Any]:
    return {"effects": {"preserves": {"output": {"from": "raster", "except": ["dtype", "nodata"]}}, **more}}


def test_what_was_written_is_measured_and_what_the_effects_imply_is_derived(workshop: Workshop, ndvi: Artifact) -> None:
    seen = ndvi.with_facts(ndvi.facts.put("sensor", "sentinel-2", Origin.USER))
    outcome = carry(workshop, schema("multiply", MULTIPLY, **effects()), raster=seen, factor=0.5)
    facts = outcome.outputs["output"].facts
    assert outcome.error is None
    assert (facts["crs"].value, facts["crs"].origin) == ("EPSG:32633", Origin.MEASURED)
    assert facts["grid"].value == ndvi.fact("grid")
    assert facts["value_range"].value == pytest.approx((0.0, 0.315))
    assert (facts["quantity"].value, facts["quantity"].origin) == ("ndvi", Origin.DERIVED)
    assert (facts["sensor"].value, facts["sensor"].origin) == ("sentinel-2", Origin.DERIVED)


def test_a_false_precondition_stops_the_node_before_the_tool_is_called(
    workshop: Workshop, ndvi: Artifact, calls: Path
) -> None:
    tool = schema("multiply", MULTIPLY, preconditions=["crs(raster) == 'EPSG:4326'"])
    error = error_of(carry(workshop, tool, raster=ndvi, factor=0.5))
    assert (error.code, error.where, error.expected) == ("precondition", "the node", "crs(raster) == 'EPSG:4326'")
    assert "EPSG:32633" in str(error.found)
    assert calls.read_text() == ""


def test_pixel_facts_that_nobody_knows_are_measured_for_a_condition(workshop: Workshop, ndvi: Artifact) -> None:
    assert ndvi.fact("valid_fraction") is None
    tool = schema("multiply", MULTIPLY, preconditions=["valid_fraction(raster) >= 0.9", "in_range(raster)"])
    outcome = carry(workshop, tool, raster=ndvi, factor=0.5)
    assert [check.truth for check in outcome.checks] == [True, True]
    tool = schema("multiply", MULTIPLY, preconditions=["mean(raster) > 0.5"])
    assert error_of(carry(workshop, tool, raster=ndvi, factor=0.5)).code == "precondition"


def test_a_fact_that_nobody_knows_is_named_with_the_option_that_supplies_it(workshop: Workshop, ndvi: Artifact) -> None:
    tool = schema("multiply", MULTIPLY, preconditions=["known(raster, 'datetime')"])
    error = error_of(carry(workshop, tool, raster=ndvi, factor=0.5))
    assert error.code == "missing_fact"
    assert "datetime of raster is unknown (ndvi)" in str(error.found)
    assert "--assume datetime=VALUE" in str(error.hint)


def test_a_broken_promise_is_an_error_and_nothing_of_it_is_kept(workshop: Workshop, ndvi: Artifact, home: Path) -> None:
    tool = schema("multiply", MULTIPLY, **effects(ensures=["in_range(output)"]))
    error = error_of(carry(workshop, tool, raster=ndvi, factor=100.0))
    assert (error.code, error.expected) == ("effect", "in_range(output)")
    assert [path for path in (home / "cache").rglob("*") if path.is_file()] == []
    outcome = carry(workshop, tool, raster=ndvi, factor=1.0)
    assert [(check.phase, check.truth) for check in outcome.checks] == [("after", True)]


def test_a_file_that_contradicts_the_effects_is_an_error(workshop: Workshop, ndvi: Artifact) -> None:
    tool = schema("mislabel", {"raster": RASTER, "output": RASTER_FILE}, **effects())
    error = error_of(carry(workshop, tool, raster=ndvi))
    assert (error.code, error.expected, error.found) == ("effect", "quantity(output) == ndvi", "elevation")


def test_a_returned_value_has_the_facts_of_the_effects(workshop: Workshop, ndvi: Artifact) -> None:
    tool = schema("mean_of", {"raster": RASTER}, effects={"sets": ["unit(value) == unit(raster)"]})
    value = carry(workshop, tool, raster=ndvi).outputs["value"]
    assert value.type == "scalar"
    assert value.value == pytest.approx(0.315)
    assert isinstance(value.value, float)
    assert value.fact("unit") == "1"


@pytest.mark.parametrize(
    ("tool", "code", "found"),
    [
        ("half_note", "tool", "OSError: the pen broke"),
        ("full_disk", "no_space", "No space left on device"),
        ("forgetful", "effect", "no file"),
    ],
)
def test_foreign_errors_become_named_ones_and_leave_nothing_behind(
    workshop: Workshop, home: Path, tool: str, code: str, found: str | None
) -> None:
    parameters = {"output": TEXT_FILE} | ({"text": {"type": "string"}} if tool == "half_note" else {})
    error = error_of(carry(workshop, schema(tool, parameters), **({"text": "hello"} if tool == "half_note" else {})))
    assert error.code == code
    assert error.where == "the node"
    assert found is None or found in str(error.found)
    assert [path for path in (home / "cache").rglob("*") if path.is_file()] == []
    assert "Traceback" in (home / "logs" / "n.log").read_text()


@pytest.mark.parametrize(
    ("tool", "found"), [("exits", "SystemExit: 0"), ("shouts", "RuntimeError: no "), ("speechless", "cannot say why")]
)
def test_whatever_a_tool_ends_with_the_outcome_holds_a_short_error(
    workshop: Workshop, home: Path, tool: str, found: str
) -> None:
    error = error_of(carry(workshop, schema(tool, {})))
    assert found in str(error.found)
    assert len(str(error)) < 3000
    assert "Traceback" in (home / "logs" / "n.log").read_text(encoding="utf-8")


def test_a_log_that_cannot_be_written_costs_no_outcome(workshop: Workshop, home: Path) -> None:
    (home / "logs").parent.mkdir(parents=True, exist_ok=True)
    (home / "logs").write_text("a file where the folder should be")
    assert error_of(carry(workshop, schema("exits", {}))).code == "tool"


def test_a_share_lies_between_nothing_and_all(workshop: Workshop) -> None:
    said = {"sets": ["quantity(value) == 'share'", "unit(value) == '1'"]}
    tool = schema("echo", {"value": NUMBER}, effects=said)
    assert carry(workshop, tool, value=0.4).outputs["value"].value == 0.4
    error = error_of(carry(workshop, tool, value=7.3))
    assert (error.code, error.expected) == ("effect", "in_range(value)")
    percent = schema("echo", {"value": NUMBER}, effects={"sets": [said["sets"][0], "unit(value) == '%'"]})
    assert carry(workshop, percent, value=73.0).error is None
    assert carry(workshop, schema("echo", {"value": NUMBER}), value=7.3).error is None
    assert carry(workshop, tool, value=float("nan")).error is None


def test_an_index_in_whole_numbers_has_lost_all_that_it_tells(workshop: Workshop, ndvi: Artifact) -> None:
    said = effects(sets=["quantity(output) == 'ndvi'", "scaled(output)"])
    error = error_of(
        carry(workshop, schema("in_bytes", {"raster": RASTER, "output": RASTER_FILE}, **said), raster=ndvi)
    )
    assert (error.code, error.found) == ("effect", "uint8")


def test_a_word_is_no_number_with_a_unit(workshop: Workshop) -> None:
    text = {"value": {"type": "string"}}
    tool = schema("echo", text, effects={"sets": ["unit(value) == 'K'"]})
    assert "something else" in error_of(carry(workshop, tool, value="warm")).message
    assert carry(workshop, schema("echo", text), value="2021-06-01").outputs["value"].value == "2021-06-01"


def test_a_failed_node_may_be_tried_again(workshop: Workshop, calls: Path) -> None:
    tool = schema("divide", {"x": NUMBER, "by": NUMBER})
    first, second = (carry(workshop, tool, x=1.0, by=0.0) for _ in range(2))
    assert first.error is not None
    assert second.error is not None
    assert len(calls.read_text().splitlines()) == 2


def test_a_hit_in_the_cache_brings_its_checks_along(workshop: Workshop, ndvi: Artifact, calls: Path) -> None:
    tool = schema("multiply", MULTIPLY, preconditions=["projected(raster)"], **effects(ensures=["in_range(output)"]))
    first, second = (carry(workshop, tool, raster=ndvi, factor=0.5) for _ in range(2))
    assert (first.cached, second.cached) == (False, True)
    assert second.checks == first.checks
    assert second.outputs == first.outputs
    assert calls.read_text() == "multiply\n"


def test_what_a_user_says_of_a_file_makes_another_result(workshop: Workshop, ndvi: Artifact) -> None:
    tool = schema("multiply", MULTIPLY, **effects())
    scaled = ndvi.with_facts(ndvi.facts.put("scale", 0.5, Origin.USER).put("offset", 0.0, Origin.USER))
    plain = carry(workshop, tool, raster=ndvi, factor=1.0)
    halved = carry(workshop, tool, raster=scaled, factor=1.0)
    assert plain.key != halved.key
    assert halved.outputs["output"].fact("value_range") == pytest.approx((0.0, 0.315))


def test_a_second_tool_reads_the_result_of_the_first_as_physical_values(workshop: Workshop, ndvi: Artifact) -> None:
    """The scale of the stored numbers of an input is not the scale of what a tool writes."""
    tool = schema("multiply", MULTIPLY, **effects())
    scaled = ndvi.with_facts(ndvi.facts.put("scale", 0.5, Origin.USER).put("offset", 0.0, Origin.USER))
    first = carry(workshop, tool, raster=scaled, factor=1.0).outputs["output"]
    second = carry(workshop, tool, raster=first, factor=1.0).outputs["output"]
    assert second.fact("value_range") == pytest.approx((0.0, 0.315))


def test_nothing_starts_in_a_workshop_that_was_stopped(workshop: Workshop, calls: Path) -> None:
    workshop.stop()
    assert error_of(carry(workshop, schema("number", {"value": NUMBER}), value=1.0)).code == "interrupted"
    assert calls.read_text() == ""


def test_a_vanished_input_is_a_named_error(workshop: Workshop, ndvi: Artifact) -> None:
    Path(str(ndvi.path)).unlink()
    error = error_of(carry(workshop, schema("mean_of", {"raster": RASTER}), raster=ndvi))
    assert error.code == "data_not_found"


def test_scalars_arrive_in_the_unit_of_the_parameter(workshop: Workshop) -> None:
    tool = schema("warm", {"temperature": {"type": "number", "unit": "K"}})
    celsius = scalar(10.0, Facts.of(Origin.DERIVED, unit="degC"))
    assert carry(workshop, tool, temperature=celsius).outputs["value"].value == pytest.approx(283.15)
    wrong = replace(celsius, facts=Facts.of(Origin.DERIVED, unit="m"))
    assert error_of(carry(workshop, tool, temperature=wrong)).code == "unit"


@pytest.mark.parametrize("isolate", ["thread", "process"])
def test_what_a_tool_says_of_its_result_is_kept_with_it(workshop: Workshop, calls: Path, isolate: str) -> None:
    tool = schema("telling", {"value": NUMBER}, isolate=isolate)
    for cached in (False, True):
        outcome = carry(workshop, tool, value=2.0)
        assert outcome.cached is cached
        assert [check.because for check in outcome.checks if check.phase == "told"] == ["2 is half of 4"]
    workshop.close()


def test_a_file_in_place_of_a_folder_of_the_cache_is_no_defect_of_a_tool(workshop: Workshop, home: Path) -> None:
    (home / "cache").mkdir(parents=True, exist_ok=True)
    shutil.rmtree(home / "cache")
    (home / "cache").write_text("in the way")
    error = error_of(carry(workshop, schema("number", {"value": NUMBER}), value=1.0))
    assert error.code == "output"
    assert str(home / "cache") in str(error.where)
    assert "in place of a folder" in str(error.found)


def test_a_folder_in_place_of_the_state_is_named(home: Path) -> None:
    (home / "digests.sqlite").mkdir(parents=True)
    with pytest.raises(OutputError) as raised:
        FileDigests(home / "digests.sqlite")
    assert raised.value.found == "a folder of that name"
    assert raised.value.where == str(home / "digests.sqlite")


def test_a_small_file_is_opened_once_for_the_look_at_its_values_and_the_work_on_it(
    workshop: Workshop, ndvi: Artifact, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str | Path] = []  # keys look at a path, too: whether files lie beside it

    def counted(path: str | Path) -> Any:
        opened.append(path)
        return open_raster(path)

    monkeypatch.setattr("knowflow.tools.raster.source.open_raster", counted)
    mean = load_model(packaged_root("schemas") / "statistics" / "raster_statistic.yaml", ToolSchema).model
    assert mean is not None
    outcome = carry(workshop, mean, raster=ndvi, statistic="mean")
    assert outcome.error is None
    assert outcome.outputs["value"].value == pytest.approx(0.315)  # of 0, 0.01 ... 0.63
    assert opened.count(str(ndvi.path)) == 1
