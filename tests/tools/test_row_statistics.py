"""Statistics of the rows of a table, beside those of plain Python."""

from __future__ import annotations

import math
import statistics
from pathlib import Path

import pytest

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.reason.inventory import read_artifact
from knowflow.tools.row_statistics import row_statistics

ROWS = (
    ("2021-01-05", "Lobau", "3.5"),
    ("2021-01-20", "Lobau", "1.0"),
    ("2021-02-03", "Lobau", ""),
    ("2021-02-09", "Hainburg", "7.25"),
    ("2022-02-11", "Hainburg", "4.75"),
)


@pytest.fixture
def table(tmp_path: Path) -> Artifact:
    path = tmp_path / "levels.csv"
    path.write_text("date,station,level_m\n" + "".join(",".join(row) + "\n" for row in ROWS))
    return read_artifact(path)


@pytest.mark.parametrize(
    ("statistic", "expected"),
    [
        ("sum", 16.5),
        ("mean", 16.5 / 4),
        ("median", statistics.median([3.5, 1.0, 7.25, 4.75])),
        ("minimum", 1.0),
        ("maximum", 7.25),
        ("range", 6.25),
    ],
)
def test_a_statistic_is_of_the_rows_that_tell_a_number(table: Artifact, statistic: str, expected: float) -> None:
    assert row_statistics(table, statistic, "level_m") == pytest.approx([expected])  # type: ignore[arg-type]


def test_rows_are_taken_together_by_a_column_or_by_when_they_were(table: Artifact) -> None:
    assert row_statistics(table, "maximum", "level_m", ["Hainburg", "Lobau"], by="station") == [7.25, 3.5]
    assert row_statistics(table, "sum", "level_m", ["2021-01", "2022-02"], grain="month") == [4.5, 4.75]
    assert row_statistics(table, "count", keys=["2021", "2022"], grain="year") == [4.0, 1.0]
    assert math.isnan(row_statistics(table, "mean", "level_m", ["2020"], grain="year")[0])


def test_rows_may_be_those_of_a_name(table: Artifact) -> None:
    assert row_statistics(table, "mean", "level_m", names=["Hainburg"]) == [6.0]


@pytest.mark.parametrize(
    ("attribute", "grain", "said"),
    [("depth", "", "no column 'depth'"), ("station", "", "no numbers"), ("level_m", "hour", "no column tells")],
)
def test_what_the_table_does_not_tell_is_named(table: Artifact, attribute: str, grain: str, said: str) -> None:
    with pytest.raises(ToolError, match=said):
        row_statistics(table, "mean", attribute, grain=grain)
