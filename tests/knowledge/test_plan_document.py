"""Saved plans: read back as they were written."""

from __future__ import annotations

from pathlib import Path

from examples import dated_series, ndvi

from knowflow.knowledge.plan_document import load_plan, save_plan
from knowflow.model.plan import Plan
from knowflow.model.workflow import FromInput, FromNode, Given, Node, SeriesOf, Workflow

ODD = (
    "1e5",
    "0o7",
    "yes",
    "null",
    "a: b",
    "# c",
    "é\u2028\U0001f600",
    " x ",
    "1_000",
    "-",
    "2020-01-01",
    "x" * 300,
    "",
)


def test_a_plan_comes_back_as_it_was(tmp_path: Path) -> None:
    values = Given((1, 2.5, -1e-300, 1e300, True, None, float("inf"), float("nan"), *ODD))
    mapping = Given({"a": (1.0, {"b": "yes"}), "1": 2})
    nodes = (
        Node(
            "n", "mean", {"x": SeriesOf((FromInput("s", (0,)), FromNode("m"), Given("1e5"))), "y": values, "z": mapping}
        ),
        Node("m", "mean", {"x": FromInput("a"), "z": mapping}, title="Größe: \u201cx\u201d\nand more"),
    )
    plan = Plan(
        "How much?", "", Workflow(nodes), {"a": ndvi("a"), "s": dated_series(3)}, {"p": 0.1}, {"answer": FromNode("n")}
    )
    save_plan(plan, tmp_path / "plan.yaml")
    assert load_plan(tmp_path / "plan.yaml").to_json() == plan.to_json()
