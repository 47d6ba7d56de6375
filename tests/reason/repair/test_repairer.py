"""The answer to a failure: who is asked in which order, what is allowed, and when it is given up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from examples import catalogue, dated_series, ndvi, tool

from knowflow.ground.errors import DataNotFoundError, NoNumberError, UnreadableDataError
from knowflow.model.artifact import Artifact, band_set, scalar
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.edit import Edit, InsertNode, LeaveOut, ReplaceNode, SetParameter, Spot
from knowflow.model.facts import Facts, Origin
from knowflow.model.plan import Plan, Quality
from knowflow.model.repair import Failure, Proposal
from knowflow.model.rule import Rule
from knowflow.model.trace import Check, NodeRecord, Refusal, Trace
from knowflow.model.workflow import FromInput, FromNode, Given, Node, SeriesOf, Workflow
from knowflow.reason.repair.diagnose import diagnose_refusal
from knowflow.reason.repair.examination import FileTrouble
from knowflow.reason.repair.laws import broken_laws
from knowflow.reason.repair.matching import Pattern, matching
from knowflow.reason.repair.repairer import Repairer
from knowflow.reason.repair.samples import Sample, sample_of

RASTER = {"type": "raster"}
OUTPUT = {"type": "path", "role": "output"}
STATE = tool(
    "declare_nodata",
    {"raster": RASTER, "nodata": {"type": "number"}, "output": OUTPUT},
    effects={"preserves": {"output": {"from": "raster", "except": ["nodata", "pixels"]}}},
    insertable=False,
)
THRESHOLD = tool(
    "threshold",
    {
        "raster": RASTER,
        "threshold": {"type": "number"},
        "method": {"type": "string", "technical": True, "default": "a"},
        "output": OUTPUT,
    },
    effects={"sets": ["quantity(output) == 'mask'"], "preserves": {"output": {"from": "raster"}}},
)
TOOLS = catalogue(STATE, THRESHOLD)
RAMP = np.linspace(0, 1, 100).reshape(10, 10)


class Pixels:
    """A probe that sees pixels by the name of the raster; all else is as it should be."""

    def __init__(self, trouble: FileTrouble | None = None, **values: Any) -> None:
        self._values = values
        self._trouble = trouble

    def facts(self, raster: Artifact) -> Facts:
        sample = self.sample(raster)
        if sample is None or not sample.values.size:
            return Facts.of(Origin.MEASURED, "test", valid_fraction=0.0 if sample else None)
        low, high = float(sample.values.min()), float(sample.values.max())
        return Facts.of(
            Origin.MEASURED,
            "test",
            value_range=(low, high),
            valid_fraction=sample.valid_share,
            mean=sample.values.mean(),
        )

    def sample(self, raster: Artifact) -> Sample | None:
        return sample_of([np.asarray(self._values.get(raster.name, RAMP), dtype=float)])

    def trouble(self, artifact: Artifact) -> FileTrouble | None:
        return self._trouble

    def full(self) -> bool:
        return False


def rule(name: str, *, cause: str = "nodata_undeclared", then: Any = None, **pattern: Any) -> Rule:
    action = then or [{"insert_tool": {"tool": "declare_nodata", "with": {"nodata": "$found.nodata"}}}]
    return Rule.model_validate(
        {
            "rule": name,
            "title": name,
            "if": {"cause": [cause], **pattern},
            "then": action,
            "because": "so",
            "lossy": "x",
        }
    )


def failed(plan: Plan, node: str, code: str = "tool", **error: str) -> Trace:
    records = {node: NodeRecord(node, "failed", error={"code": code, "message": "", "where": node, **error})}
    for other in plan.workflow.nodes:
        if other.id != node and node not in other.sources():
            records[other.id] = NodeRecord(other.id, "done", outputs={"output": ndvi(other.id)})
    return Trace("run", plan, records=records)


def one_node(**args: Any) -> Plan:
    node = Node("t", "threshold", {"raster": FromInput("a"), "threshold": Given(0.5), **args})
    return Plan("", "", Workflow((node,)), {"a": ndvi("a")}, {"threshold": 0.5}, {"answer": FromNode("t")})


SPIKE = Pixels(a=np.where(RAMP < 0.2, -9999, RAMP))
SPIKED = failed(one_node(), "t", "precondition", expected="plausible(raster)")


def repairer(*rules: Rule, probe: Pixels = SPIKE, **more: Any) -> Repairer:
    return Repairer(TOOLS, lambda: rules, probe, **more)


class Suggests:
    """A proposer with a list of answers; keeps what it was told."""

    def __init__(self, *answers: Proposal | None) -> None:
        self._answers = list(answers)
        self.told: list[tuple[Refusal, ...]] = []

    def propose(self, failure: Failure, refused: Sequence[Refusal]) -> Proposal | None:
        self.told.append(tuple(refused))
        return self._answers.pop(0) if self._answers else None


def test_a_rule_that_matches_edits_the_plan_and_tells_what_it_takes_for_granted() -> None:
    reply = repairer(rule("declare")).failure(SPIKED, "t")
    assert reply.plan is not None
    assert reply.repaired is not None
    assert reply.diagnosis.cause == "nodata_undeclared"
    assert reply.plan.workflow.node("t").args["raster"] == FromNode("t.declare_nodata")
    inserted = reply.plan.workflow.node("t.declare_nodata")
    assert inserted.args == {"raster": FromInput("a"), "nodata": Given(-9999.0)}
    assert inserted.inserted is not None
    assert inserted.inserted.by == "rule"
    assert (reply.repaired.by, reply.repaired.new, reply.repaired.changed) == (
        "rule:declare", ("t.declare_nodata",), ("t",)
    )  # fmt: skip
    assert [assumption.what for assumption in reply.plan.assumptions] == ["x"]


def test_a_file_is_put_right_wherever_it_is_used() -> None:
    nodes = (
        Node("s", "smooth", {"raster": FromInput("a")}),
        Node("d", "difference", {"a": FromInput("a"), "b": FromInput("b")}),
    )
    plan = Plan("", "", Workflow(nodes), {"a": ndvi("a"), "b": ndvi("b")}, outputs={"answer": FromNode("d")})
    reply = repairer(rule("declare")).failure(failed(plan, "d", "precondition", expected="plausible(a)"), "d")
    assert reply.plan is not None
    new = FromNode("s.declare_nodata")
    assert reply.plan.workflow.node("s").args["raster"] == reply.plan.workflow.node("d").args["a"] == new
    assert reply.plan.workflow.node("d").args["b"] == FromInput("b")


def says(name: str, nodata: float, *where: str) -> Rule:
    return rule(name, then=[{"state_facts": {"nodata": nodata}}], where=where)


@pytest.mark.parametrize("authored", [True, False])
def test_rules_that_say_otherwise_of_a_file_are_both_offered_and_none_is_followed(authored: bool) -> None:
    one, other, agrees = says("one", -9999.0), says("other", -1.0), says("agrees", -9999.0)
    asked = repairer(*([one] if authored else []), learned=lambda: (other, *([] if authored else [one])))
    reply = asked.failure(SPIKED, "t")
    assert (reply.plan, reply.repaired) == (None, None)
    names = {"rule:one" if authored else "memory:one", "memory:other"}
    assert {refusal.by for refusal in reply.refused} == names
    assert {offer["by"] for offer in reply.diagnosis.found["offered"]} == names
    for option in ("nodata=-9999'", "nodata=-1'", "says otherwise"):
        assert option in reply.diagnosis.advice
    settled = repairer(one, learned=lambda: (agrees,)).failure(SPIKED, "t")
    assert settled.repaired is not None
    assert settled.repaired.by == "rule:one"


class Masked(Pixels):
    """Pixels of a raster without those that its facts call missing."""

    def sample(self, raster: Artifact) -> Sample | None:
        values = np.asarray(self._values.get(raster.name, RAMP), dtype=float)
        return sample_of([np.where(values == raster.fact("nodata"), np.nan, values)])


def test_a_learned_rule_whose_numbers_alone_do_not_fit_and_one_that_waits_are_offered() -> None:
    probe = Masked(a=np.where(RAMP < 0.2, -9999, RAMP))
    small, waits = says("small", -9999.0, "mean(it) <= -1e6"), says("waits", -9999.0)
    for offered in ({"learned": lambda: (small,)}, {"waiting": lambda: (waits,)}):
        reply = repairer(probe=probe, **offered).failure(SPIKED, "t")
        assert reply.plan is None
        assert "--assume 'a.tif:nodata=-9999' (so; " in reply.diagnosis.advice
    other = says("other", -9999.0, "mean(it) <= -1e6", "quantity(it) == 'elevation'")
    useless = says("useless", 5.0, "mean(it) <= -1e6")
    for unfit in (other, useless):
        reply = repairer(probe=probe, learned=lambda unfit=unfit: (unfit,)).failure(SPIKED, "t")
        assert "offered" not in reply.diagnosis.found


def test_without_a_rule_there_is_the_diagnosis_and_what_to_do() -> None:
    reply = repairer().failure(SPIKED, "t")
    assert reply.plan is None
    assert reply.diagnosis.cause == "nodata_undeclared"
    assert reply.diagnosis.advice == "if that is so, say it: --assume 'a.tif:nodata=-9999'"


def test_a_defect_of_the_diagnosis_does_not_end_the_run() -> None:
    class Broken(Pixels):
        def sample(self, raster: Artifact) -> Sample | None:
            raise RuntimeError("a defect")

    reply = repairer(rule("declare"), probe=Broken()).failure(SPIKED, "t")
    assert (reply.plan, reply.diagnosis.cause) == (None, "unknown")
    assert "a defect" in reply.diagnosis.evidence[0].found


def test_the_same_fault_is_not_answered_twice_by_the_same_rule() -> None:
    helper = repairer(rule("declare"))
    reply = helper.failure(SPIKED, "t")
    assert reply.repaired is not None
    again = helper.failure(replace(SPIKED, repairs=(reply.repaired,)), "t")
    assert again.plan is None


def test_repairs_are_bounded() -> None:
    reply = repairer(rule("declare"), max_repairs=1).failure(SPIKED, "t")
    assert reply.repaired is not None
    helper = repairer(rule("declare"), rule("other"), max_repairs=1)
    assert helper.failure(SPIKED, "t").plan is not None
    over = helper.failure(replace(SPIKED, repairs=(reply.repaired,)), "t")
    assert over.plan is None
    assert over.refused[0].by == "limit"
    assert repairer(rule("declare"), max_repairs=0).failure(SPIKED, "t").plan is None


def test_a_run_that_is_resumed_may_be_repaired_again() -> None:
    reply = repairer(rule("declare")).failure(SPIKED, "t")
    assert reply.repaired is not None
    resumed = replace(SPIKED, repairs=(reply.repaired,))
    assert repairer(rule("declare"), max_repairs=1).failure(resumed, "t").plan is not None


def test_a_retry_runs_the_node_again_as_often_as_the_rule_says() -> None:
    again = rule("again", cause="transient", then=[{"retry": {"times": 2}}])
    trace = failed(one_node(), "t", message="threshold failed", found="OSError: Resource temporarily unavailable")
    helper = repairer(again, probe=Pixels())
    for _ in range(2):
        reply = helper.failure(trace, "t")
        assert reply.repaired is not None
        assert reply.repaired.changed == ("t",)
        assert reply.plan is not None
        assert reply.plan.workflow == trace.plan.workflow
        trace = replace(trace, repairs=(*trace.repairs, reply.repaired))
    assert helper.failure(trace, "t").plan is None


def test_a_condition_that_is_false_is_made_true_by_what_the_schemas_say() -> None:
    node = Node("d", "difference", {"a": FromInput("a"), "b": FromInput("b")})
    plan = Plan(
        "", "", Workflow((node,)), {"a": ndvi("a"), "b": ndvi("b", crs="EPSG:32634")}, outputs={"m": FromNode("d")}
    )
    reply = repairer(probe=Pixels()).failure(failed(plan, "d", "precondition", expected="same_grid(a, b)"), "d")
    assert reply.plan is not None
    assert reply.repaired is not None
    assert reply.repaired.by == "schema"
    assert "align_to" in [node.tool for node in reply.plan.workflow.nodes]
    assert [node.inserted.by for node in reply.plan.workflow.nodes if node.inserted] == ["schema"]


def test_a_proposer_is_asked_last_and_told_why_it_is_refused() -> None:
    asked = Suggests(
        Proposal((SetParameter("t", "threshold", Given(0.1)),), "lower it"),
        Proposal((SetParameter("t", "method", Given("b")),), "another way", tokens=7, exchanges=({"n": 1},)),
    )
    reply = repairer(probe=Pixels(), proposer=asked).failure(failed(one_node(), "t", message="it does not work"), "t")
    assert reply.plan is not None
    assert reply.plan.workflow.node("t").args["method"] == Given("b")
    assert reply.repaired is not None
    assert (reply.repaired.by, reply.repaired.tokens) == ("llm", 7)
    assert "what is asked" in asked.told[1][0].reasons[0]
    assert reply.exchanges == ({"n": 1},)


def test_a_proposer_is_refused_a_bounded_number_of_times() -> None:
    wrong = Proposal((SetParameter("t", "threshold", Given(0.1)),), "lower it")
    asked = Suggests(*[wrong] * 20)
    reply = repairer(probe=Pixels(), proposer=asked).failure(failed(one_node(), "t", message="it does not work"), "t")
    assert reply.plan is None
    assert len(asked.told) == 3
    assert len(reply.refused) == 3


def test_a_quality_that_is_missed_is_traced_to_the_mask_that_took_the_pixels() -> None:
    masking = tool(
        "mask_clouds",
        {"raster": RASTER, "cloud_mask": RASTER, "output": OUTPUT},
        effects={"preserves": {"output": {"from": "raster", "except": ["pixels"]}}},
    )
    clouds = replace(ndvi("clouds"), facts=ndvi("clouds").facts.put("quantity", "cloud_mask", Origin.DECLARED))
    node = Node("m", "mask_clouds", {"raster": FromInput("a"), "cloud_mask": FromInput("clouds")})
    quality = Quality("valid_fraction($map) >= 0.05", {"map": FromNode("m")})
    plan = Plan(
        "",
        "",
        Workflow((node,)),
        {"a": ndvi("a"), "clouds": clouds},
        outputs={"map": FromNode("m")},
        quality=(quality,),
    )
    nothing = ndvi("m", valid_fraction=0.001)
    trace = Trace(
        "run",
        plan,
        records={"m": NodeRecord("m", "done", outputs={"output": nothing})},
        quality=(Check("quality", quality.condition, False, "valid_fraction is 0.001"),),
    )
    probe = Pixels(a=RAMP, clouds=np.ones((10, 10)))
    reply = Repairer(catalogue(masking), lambda: (), probe).quality(trace)
    assert reply is not None
    assert (reply.diagnosis.cause, reply.diagnosis.node, reply.diagnosis.place) == ("too_cloudy", "m", ("cloud_mask",))


# --- diagnosis ------------------------------------------------------------------------------------------------------


def diagnosis(probe: Pixels | None = None, code: str = "tool", **error: str) -> Diagnosis:
    return repairer(probe=probe or Pixels()).failure(failed(one_node(), "t", code, **error), "t").diagnosis


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        ({"code": "tool_timeout"}, "timeout"),
        ({"code": "tool_memory"}, "out_of_memory"),
        ({"code": "tool_crash"}, "tool_crash"),
        ({"code": "no_space"}, "out_of_disk"),
        ({"found": "OSError: [Errno 28] No space left on device"}, "out_of_disk"),
        ({"found": "PermissionError: [Errno 13] Permission denied: 'x'"}, "permission_denied"),
        ({"found": "BlockingIOError: [Errno 11] Resource temporarily unavailable"}, "transient"),
        ({"found": "ModuleNotFoundError: No module named 'sklearn'"}, "dependency_missing"),
        ({"found": "MemoryError: Unable to allocate 3 GiB"}, "out_of_memory"),
        ({"found": "LinAlgError: Singular matrix"}, "not_converged"),
        ({"message": "the weights are missing", "code": "wrong_model"}, "model_missing"),
        ({"message": "a trend needs three numbers at three dates"}, "too_few_dates"),
        ({"message": "there must be one x for each y"}, "list_lengths"),
        ({"message": "the image has no such band"}, "band_missing"),
        ({"message": "there is no such percentile"}, "parameter_out_of_range"),
        ({"message": "the wavelength of the thermal band is unknown"}, "fact_unknown"),
        ({"message": "this one it does not like"}, "tool_failed"),
        ({"message": "threshold failed", "found": "AssertionError: 42"}, "tool_defect"),
    ],
)
def test_errors_are_named_by_what_they_say(error: dict[str, str], cause: str) -> None:
    assert diagnosis(**error).cause == cause


@pytest.mark.parametrize(
    ("values", "cause", "node", "file"),
    [(RAMP, "not_finite", "t", ""), (np.full((4, 4), np.nan), "too_few_valid", "t", "a.tif")],
)
def test_an_answer_that_is_no_number_is_traced_to_what_had_data_and_found_none(
    values: Any, cause: str, node: str, file: str
) -> None:
    records = {"t": NodeRecord("t", "done", outputs={"output": scalar("t", math.nan)})}
    error = NoNumberError("the answer is not known", where="t", expected="a number").to_json()
    reply = repairer(probe=Pixels(a=values)).quality(
        Trace("run", one_node(), status="failed", records=records, error=error)
    )
    assert reply is not None
    found = reply.diagnosis
    assert (found.cause, found.node, found.file, reply.plan) == (cause, node, file, None)


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("a.tif is not opened", "not_opened"),
        ("the raster cannot be read", "file_truncated"),
        ("a.tif holds complex numbers", "format_unknown"),
        ("the sources of a.tif disagree on its transform", "grid_mismatch"),
    ],
)
def test_a_file_that_cannot_be_read_is_damaged_where_nothing_else_is_said(message: str, cause: str) -> None:
    assert diagnosis(code="unreadable_data", message=message).cause == cause
    assert diagnose_refusal(UnreadableDataError(message, where="/data/a.tif").to_json()).cause == cause
    gone = DataNotFoundError("no raster", where="/data", found="nothing").to_json()
    assert diagnose_refusal(gone, [("/data/a.tif", message)]).cause == cause


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        ("it is a named pipe", "not_opened"),
        ("it is a link to nothing", "file_missing"),
        ("a.tif cannot be opened: Permission denied", "permission_denied"),
        ("the last byte is missing", "file_truncated"),
    ],
)
def test_what_stands_in_place_of_a_file_is_named(reason: str, cause: str) -> None:
    gone = DataNotFoundError("no raster", where="/data", found="nothing").to_json()
    assert diagnose_refusal(gone, [("/data/a.tif", reason)]).cause == cause


def test_a_damaged_file_is_guilty_whatever_the_tool_says_of_it() -> None:
    found = diagnosis(Pixels(FileTrouble("file_truncated", "cut")), found="ValueError: something odd")
    assert (found.cause, found.file, found.confidence) == ("file_truncated", "a.tif", "certain")


def test_an_error_on_one_value_only_is_put_down_to_that() -> None:
    found = diagnosis(Pixels(a=np.full((5, 5), 0.3)), found="ZeroDivisionError: float division by zero")
    assert found.cause == "constant_values"


def test_a_saturated_scene_is_named_where_a_tool_finds_no_contrast() -> None:
    full = ndvi("a", dtype="uint8", quantity=None, unit=None)
    plan = replace(one_node(), inputs={"a": full})
    probe = Pixels(a=np.where(RAMP > 0.7, 255, 100))
    trace = failed(plan, "t", message="there is too little contrast")
    assert repairer(probe=probe).failure(trace, "t").diagnosis.cause == "saturated"


def test_a_band_under_another_name_is_known_by_its_wavelength() -> None:
    def scene(**names: str) -> Artifact:
        centres = {"red": 664.6, "nir": 832.8}
        return band_set({n: ndvi(n, sensor="sentinel-2", wavelength=centres[band]) for n, band in names.items()})

    node = Node("i", "spectral_index", {"index": Given("ndvi"), "bands": FromInput("s")}, 2)

    def cause(bands: Artifact) -> str:
        plan = Plan("", "", Workflow((node,)), {"s": bands}, outputs={"answer": FromNode("i")})
        trace = failed(plan, "i", "precondition", expected="has_bands(bands, index)")
        return repairer(probe=Pixels()).failure(trace, "i").diagnosis.cause

    assert cause(scene(red="red", swir16="nir")) == "band_misnamed"
    assert cause(scene(red="red")) == "band_missing"


def test_a_broken_promise_is_put_down_to_the_input_that_breaks_it() -> None:
    found = diagnosis(SPIKE, "effect", expected="in_range(output)", found="-9999..1")
    assert (found.cause, found.place, found.file) == ("nodata_undeclared", ("raster",), "a.tif")


def test_a_broken_promise_on_good_input_is_the_tools_own() -> None:
    found = diagnosis(Pixels(), "effect", expected="in_range(output)", found="0..1000")
    assert (found.cause, found.confidence) == ("broken_promise", "likely")
    assert "tool_defect" in found.others


def test_an_unknown_fact_is_named_with_the_option_that_supplies_it() -> None:
    plan = Plan("", "", Workflow((Node("s", "apply_scale", {"raster": FromInput("a")}),)), {"a": ndvi("a", scale=None)})
    found = repairer(probe=Pixels()).failure(failed(plan, "s", "missing_fact", expected="known(raster, 'scale')"), "s")
    assert found.diagnosis.cause == "scale_missing"
    assert "--assume scale=VALUE" in found.diagnosis.advice


def test_a_failure_is_followed_back_through_the_nodes_that_carry_it() -> None:
    nodes = (
        Node("s", "smooth", {"raster": FromInput("a")}),
        Node("t", "threshold", {"raster": FromNode("s"), "threshold": Given(0.5)}),
    )
    plan = Plan("", "", Workflow(nodes), {"a": ndvi("a")}, outputs={"answer": FromNode("t")})
    spiky = np.where(RAMP < 0.2, -9999, RAMP)
    trace = failed(plan, "t", "effect", expected="in_range(output)", found="-9999..1")
    found = repairer(probe=Pixels(a=spiky, s=spiky)).failure(trace, "t").diagnosis
    assert (found.failed, found.node, found.file) == ("t", "s", "a.tif")


# --- matching and laws ----------------------------------------------------------------------------------------------


def pattern(**found: Any) -> Pattern:
    return Pattern(
        THRESHOLD,
        {"raster": ndvi("a"), "threshold": 0.5},
        Diagnosis("low_contrast", "t", "t", ("raster",), found=found),
    )


def named(*rules: Rule, **outcomes: tuple[int, int]) -> list[str]:
    return [one.rule for one in matching(rules, pattern(), lambda rule, tool, cause: outcomes.get(rule, (0, 0)))]


def test_the_most_specific_rule_comes_first_then_the_most_successful_then_by_name() -> None:
    general = rule("zz_general", cause="low_contrast")
    kit = rule("of_kit", cause="low_contrast", kit=["preprocessing"])
    exact = rule("of_tool", cause="low_contrast", tool=["threshold"])
    data = rule("of_data", cause="low_contrast", tool=["threshold"], where=["quantity(raster) == 'ndvi'"])
    other = rule("aa_general", cause="low_contrast")
    assert named(general, kit, exact, data, other) == ["of_data", "of_tool", "of_kit", "aa_general", "zz_general"]
    assert named(general, other, zz_general=(4, 4), aa_general=(4, 0)) == ["zz_general", "aa_general"]


@pytest.mark.parametrize(
    "wanted",
    [
        {"cause": "too_cloudy"},
        {"cause": "low_contrast", "tool": ["otsu"]},
        {"cause": "low_contrast", "where": ["quantity(raster) == 'sigma0'"]},
        {"cause": "low_contrast", "where": ["valid_fraction(raster) > 0.5"]},
        {"cause": "low_contrast", "found": ["nodata"]},
        {"cause": "low_contrast", "certain": True},
        {"cause": "low_contrast", "parameter": ["mask"]},
        {"cause": "low_contrast", "error": "speckle"},
    ],
)
def test_a_rule_applies_only_where_everything_holds(wanted: dict[str, Any]) -> None:
    assert named(rule("one", **wanted)) == []


ASKED = one_node(method=Given("a"))


@pytest.mark.parametrize(
    "edit",
    [
        SetParameter("t", "threshold", Given(0.4)),
        SetParameter("t", "threshold", None),
        SetParameter("t", "raster", Given("another.tif")),
        ReplaceNode("t", Node("u", "threshold", {"raster": FromInput("a"), "threshold": Given(0.4)})),
        ReplaceNode("t", Node("u", "smooth", {"raster": FromInput("a")})),
    ],
)
def test_what_is_asked_is_not_edited(edit: Edit) -> None:
    assert broken_laws(ASKED, [edit], TOOLS, {})


def test_how_it_is_computed_may_be_edited() -> None:
    assert not broken_laws(ASKED, [SetParameter("t", "method", Given("b"))], TOOLS, {})


def test_data_are_not_exchanged_for_data_of_another_quantity_or_date() -> None:
    later = ndvi("b", datetime="2023-01-01")
    plan = replace(ASKED, inputs={"a": ndvi("a", datetime="2022-01-01"), "b": later})
    reasons = broken_laws(plan, [SetParameter("t", "raster", FromInput("b"))], TOOLS, {})
    assert any("datetime" in reason for reason in reasons)


def test_scenes_are_left_out_only_where_they_hold_nothing() -> None:
    assert broken_laws(ASKED, [LeaveOut("t")], TOOLS, {}, "timeout")
    assert not broken_laws(ASKED, [LeaveOut("t")], TOOLS, {}, "too_cloudy")


def test_a_series_loses_no_date_but_may_lose_a_copy() -> None:
    scenes = dated_series(3)
    copied = replace(scenes, items=(*scenes.items, replace(scenes.items[2], name="copy")))
    node = Node("m", "mean_of_series", {"rasters": FromInput("s")})
    plan = Plan("", "", Workflow((node,)), {"s": copied}, outputs={"answer": FromNode("m")})

    def without(*gone: int) -> SetParameter:
        kept = tuple(FromInput("s", (index,)) for index in range(4) if index not in gone)
        return SetParameter("m", "rasters", SeriesOf(kept))

    assert broken_laws(plan, [without(1)], TOOLS, {})
    assert not broken_laws(plan, [without(3)], TOOLS, {})


def test_what_the_user_said_of_data_is_not_said_otherwise() -> None:
    said = ndvi("a")
    said = said.with_facts(said.facts.put("nodata", 0, Origin.USER))
    edit = InsertNode(Node("n", "declare_nodata", {"nodata": Given(-9999)}), (Spot("t", "raster"),), "raster")
    assert any("you said so" in reason for reason in broken_laws(replace(ASKED, inputs={"a": said}), [edit], TOOLS, {}))
    assert not broken_laws(ASKED, [edit], TOOLS, {})


def test_numbers_that_are_missing_are_followed_back_to_a_node_that_had_data() -> None:
    mean = tool("mean", {"x": {"type": "list"}}, returns={"type": "scalar"})
    nodes = (
        Node("c", "convert_unit", {"raster": FromInput("a"), "unit": Given("1")}),
        Node("m", "mean", {"x": SeriesOf((FromNode("c"),))}),
    )
    plan = Plan("", "", Workflow(nodes), {"a": ndvi("a")}, outputs={"answer": FromNode("m")})
    records = {
        "c": NodeRecord("c", "done", outputs={"output": scalar(None)}),
        "m": NodeRecord("m", "failed", error={"code": "tool", "message": "no number is left"}),
    }
    found = Repairer(catalogue(mean), lambda: (), Pixels()).failure(Trace("r", plan, records=records), "m").diagnosis
    assert found.node == "c"
