"""What tools make by themselves is asked for by its nouns; numbers and places go where the tool takes them."""

from __future__ import annotations

import pytest

from knowflow.question.form import expression_of
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import Asked, DataWords
from knowflow.question.words import in_words

CONTOUR = Asked("contour", "elevation", (("interval", None), ("base", None)))
VIEWSHED = Asked("viewshed", "elevation", (("height", "m"), ("tilt", "degree")), "position")
DISTANCE = Asked("proximity", None, (("max_distance", "m"),))
PLACE = "'position': point(14.5, 46.1)"
DATA = DataWords(asked=(("contour lines", CONTOUR), ("viewshed", VIEWSHED), ("distance", DISTANCE)))


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Draw contour lines every 20 m", "apply(contour, elevation, {'interval': '20 m'})"),
        ("Contour lines of the NDVI in 2021 every 0.1", "apply(contour, during(ndvi, 2021), {'interval': 0.1})"),
        ("Show 50 m contour lines", "apply(contour, elevation, {'interval': '50 m'})"),
        ("Map the distance to water", "apply(proximity, water_mask)"),
        ("the distance to slopes steeper than 10 degrees", None),
        ("Viewshed from 14.5 E 46.1 N", f"apply(viewshed, elevation, {{{PLACE}}})"),
        (
            "Viewshed from 14.5 E 46.1 N with 2 m",
            "apply(viewshed, elevation, {'height': '2 m', 'position': point(14.5, 46.1)})",
        ),
        ("Viewshed from 14.5 E 46.1 N with 2 kg", None),
        ("Distance", None),
        ("The mean distance", None),
    ],
)
def test_what_a_tool_makes_is_asked_for(question: str, asked: str | None) -> None:
    found = read(question, DATA).expression
    if asked is None:
        assert found is None or found.op != "apply"
    else:
        wanted, faults = expression_of(asked)
        assert wanted is not None, faults
        assert found == wanted


def test_without_the_tool_its_noun_means_nothing() -> None:
    assert read("Draw contour lines every 20 m", DataWords()).expression is None


@pytest.mark.parametrize("interval", ["10 m", "20 m"])
def test_each_setting_is_told(interval: str) -> None:
    found, _ = expression_of(f"apply(contour, elevation, {{'interval': '{interval}'}})")
    assert found is not None
    assert in_words(found) == f"the contour with interval {interval} of elevation"


CLUSTERS = Asked("clusters", None, (("classes", None),), None, (("algorithm", "k_means"),), "nothing")
CYCLE = Asked("seasonal_cycle", None, (("harmonics", None),), takes="quantity")
TEMPLATES = DataWords(asked=(("spectral clusters", CLUSTERS), ("yearly cycle", CYCLE)))


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Show the spectral clusters", "apply(clusters)"),
        ("Spectral clusters by k-means in 2021", "apply(clusters, having={'algorithm': 'k_means'}, when=2021)"),
        ("5 spectral clusters", "apply(clusters, settings={'classes': 5})"),
        ("What is the yearly cycle of NDVI in 2021?", "apply(seasonal_cycle, during(ndvi, 2021))"),
        ("Spectral clusters of NDVI", None),
        ("What is the yearly cycle of the area with NDVI above 0.5?", None),
        ("What is the yearly cycle?", None),
    ],
)
def test_what_a_template_answers_is_asked_for(question: str, asked: str | None) -> None:
    found = read(question, TEMPLATES).expression
    assert found == (None if asked is None else expression_of(asked)[0])


def test_choices_and_times_are_told() -> None:
    found, _ = expression_of("apply(clusters, having={'algorithm': 'k_means'}, when=2021)")
    assert found is not None
    assert in_words(found) == "the clusters with algorithm k means in 2021"
