"""Classes by a part of their names: the one that is called so and no more, or all that are."""

from __future__ import annotations

import pytest

from knowflow.question.operators import IsClass, Not, Over, Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

TREES = ("Fichte (spruce)", "Tanne (fir)", "Douglasie (Douglas fir)", "Red oak", "White oak")
DATA = DataWords(frozenset({"class_label"}), classes={"class_label": TREES}, maps={"class_label": 1})


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("fir", {"Tanne (fir)"}),
        ("Douglas fir", {"Douglasie (Douglas fir)"}),
        ("fir or Douglas fir", {"Tanne (fir)", "Douglasie (Douglas fir)"}),
        ("oak", {"Red oak", "White oak"}),
        ("red oak", {"Red oak"}),
    ],
)
def test_a_part_of_a_name(said: str, names: set[str]) -> None:
    found = read(f"How many hectares of {said} are there?", DATA).expression
    assert found is not None
    assert {name for _, part in walk(found) if isinstance(part, IsClass) for name in part.names} == names


def test_what_is_said_of_ground_by_a_class_is_denied_of_other_ground() -> None:
    data = DataWords(
        frozenset({"class_label", "wind_speed"}),
        classes={"class_label": ("open", "protected (Natura 2000)")},
        keys=(("protected", "classes of class_label"),),
    )
    protected = IsClass(Quantity("class_label"), ("protected (Natura 2000)",))
    for said, where in (("protected", protected), ("unprotected", Not(protected)), ("not protected", Not(protected))):
        assert read(f"What percentage of the area is {said}?", data).expression == Over(where, "space", "share"), said
    windy = read("How large is the open land with a wind speed above 7 m/s?", data).expression
    assert "'open'" in str(windy)  # which the wind does not explain
