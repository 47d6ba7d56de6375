"""What a run shows in the Prefect UI, as values."""

from __future__ import annotations

import base64

from knowflow.model.trace import Trace
from knowflow.roof.library import Pages


def svg(content: str) -> str:
    kind, _, data = content.partition(",")
    assert kind == "data:image/svg+xml;base64"
    return base64.b64decode(data).decode()


def test_a_repair_is_told_and_drawn_before_and_after(repaired: Trace) -> None:
    told, before, after = Pages().repair_exhibits(repaired)
    assert [exhibit.key for exhibit in (told, before, after)] == ["repair-2", "repair-2-before", "repair-2-after"]
    assert "Edit 2: set trend.confidence to 0.95" in told.content
    assert "kf-marked" in svg(after.content).split("</style>")[1]
    assert "kf-marked" not in svg(before.content).split("</style>")[1]


def test_a_repaired_run_ends_with_a_table_of_its_repairs_and_their_story(repaired: Trace) -> None:
    exhibits = {exhibit.key: exhibit for exhibit in Pages().result_exhibits(repaired)}
    assert [row["by"] for row in exhibits["repairs-table"].content] == ["the rule align_grids", "a person"]
    assert exhibits["repairs-table"].content[0]["failed"].startswith("product[2021-08-11]: ")
    story = exhibits["repairs"].content
    for part in (
        "**failed attempt**",
        "**cause** rasters on different grids",
        "**evidence** grid of red",
        "**rule** IF",
    ):
        assert part in story, part
    assert "<b>" not in story.replace("\\<b\\>", ""), "what a model says is no markup"


def test_a_failed_run_ends_with_its_diagnosis(hopeless: Trace) -> None:
    exhibits = {exhibit.key: exhibit for exhibit in Pages().result_exhibits(hopeless)}
    assert "repairs-table" not in exhibits
    assert "Not repaired: trend" in exhibits["repairs"].content
    assert "**to do** say the factor" in exhibits["repairs"].content


def test_a_run_without_a_fault_shows_nothing_of_repairs(completed: Trace) -> None:
    assert not any("repair" in exhibit.key for exhibit in Pages().result_exhibits(completed))
