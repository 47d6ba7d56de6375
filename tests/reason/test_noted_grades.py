"""The classes of a quantity that notes list, with their limits."""

from __future__ import annotations

from pathlib import Path

import pytest
from rasters import write_raster

from knowflow.question.operators import Beyond, Not, Number, Quantity, walk
from knowflow.question.reading.grades import Grades
from knowflow.question.reading.reader import read
from knowflow.reason.data_words import data_words
from knowflow.reason.inventory import take_inventory
from knowflow.reason.noted_grades import noted_grades

_FOUR = ("unburned", "low", "moderate", "high")


@pytest.mark.parametrize(
    "text",
    [
        "dNBR = before - after. Classes used: unburned < 0.10; low 0.10-0.27; moderate 0.27-0.66; high >= 0.66. Done.",
        "Severity (USGS): unburned below 0.1, low 0.1 to 0.27, moderate 0.27 to 0.66 and high above 0.66.",
        "Burn severity: < 0.1 unburned; 0.1-0.27 low; 0.27-0.66 moderate; 0.66 and more high",
        "Some notes.\ndNBR classes: high > 0.66, moderate 0.27-0.66, low 0.1-0.27, unburned < 0.1\nMore notes.",
    ],
)
def test_classes_are_read_in_any_way_that_notes_list_them(text: str) -> None:
    assert [*noted_grades([text])] == [Grades("dnbr", (0.1, 0.27, 0.66), _FOUR, ("severity",))]


def test_classes_of_other_quantities_have_their_unit() -> None:
    (slopes,) = noted_grades(["Slope classes: flat < 5°, gentle 5-15°, steep > 15°"])
    assert (slopes.kind, slopes.limits, slopes.unit, slopes.nouns) == ("slope", (5.0, 15.0), "degree", ("slope",))


@pytest.mark.parametrize(
    "text",
    [
        "Severity: unburned < 0.1, low 0.1-0.27, high > 0.5",  # of some nobody says what they are
        "Severity: low 0.1-0.27, moderate 0.27-0.66, high > 0.66",
        "Severity x 1000: unburned < 100, low 100-270, high > 270",
        "Files: first 1-2, second 2-3, third > 3",
        "Burnt: dNBR > 0.27; high severity: dNBR > 0.66.",
        "Severity: unburned < 0.1, low 0.1-0.3, high > 0.3. dNBR: unburned < 0.1, low 0.1-0.27, high > 0.27.",
    ],
)
def test_what_leaves_something_open_is_no_list_of_classes(text: str) -> None:
    assert not [*noted_grades([text])]


def test_what_burned_is_what_the_classes_do_not_call_unburned(tmp_path: Path) -> None:
    for day in ("20220701", "20220901"):
        write_raster(tmp_path / f"nbr_{day}.tif")
    (tmp_path / "readme.txt").write_text("Severity (dNBR): unburned < 0.2, low 0.2-0.5, high > 0.5.")
    data = data_words(take_inventory(tmp_path).as_called())
    found = read("How many ha burned?", data).expression
    assert found is not None
    (rest,) = (part.x for _, part in walk(found) if isinstance(part, Not))
    assert rest == Beyond(Quantity("dnbr"), "below", Number(0.2))
