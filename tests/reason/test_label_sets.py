"""Lists of class names in questions about images, told from things to be counted."""

from __future__ import annotations

import pytest

from knowflow.reason.language.label_sets import label_set

SCENES = ("river", "lake", "forest", "meadow", "dense residential", "port", "park", "school", "stadium", "square")
THINGS = ("ship", "plane", "storage tank", "tennis court", "bridge", "harbor")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (
            "Possible labels, one for each tile: Forest, River, Port. How many tiles are Port?",
            ("Forest", "River", "Port"),
        ),
        ("Every tile is either river, lake or forest. How many are lakes?", ("river", "lake", "forest")),
        ("Does the picture show a stadium, a park or a square?", ("stadium", "park", "square")),
        (
            "Sort them: {River, Lake, DenseResidential, StorageTanks, Bridge, Heliport}",
            ("River", "Lake", "DenseResidential", "StorageTanks", "Bridge", "Heliport"),
        ),
        ('How many are "Port"? Classes: ["Forest", "River", "Port"]', ("Forest", "River", "Port")),
        ("Pick one for each image:\n- river\n- lake\n- forest\nHow many are lakes?", ("river", "lake", "forest")),
        ("1) river\n2) lake\n3) forest\nWhich class has each image?", ("river", "lake", "forest")),
        (
            "The classes are glacier, dune, lagoon, marsh, reef, and bog; which is the most frequent?",
            ("glacier", "dune", "lagoon", "marsh", "reef", "bog"),
        ),
    ],
)
def test_names_that_each_image_has_one_of_are_classes_whatever_is_said_of_them(
    text: str, labels: tuple[str, ...]
) -> None:
    found = label_set(text, SCENES, THINGS)
    assert found is not None
    assert found.labels == labels


@pytest.mark.parametrize(
    "text",
    [
        "Count the ships, planes, bridges and harbors in each image.",
        "Detect objects such as ship, plane, bridge, harbor, tennis court, storage tank.",
        "Which image has the most ships, planes or bridges?",
        "GSD for A is 0.3, for B 0.4, for C 0.5; rank them by the area of tennis courts.",
        "Using the image, find the ship, give its box, and report the area.",
    ],
)
def test_things_to_be_counted_or_found_are_no_classes(text: str) -> None:
    assert label_set(text, SCENES, THINGS) is None


def test_what_is_asked_is_told_without_the_list_and_names_the_longest_class() -> None:
    text = "How many are dense residential areas? Options: residential, dense residential, port, park."
    found = label_set(text, SCENES, THINGS)
    assert found is not None
    assert found.without(text).split() == ["How", "many", "are", "dense", "residential", "areas?", "Options:", "."]
    assert found.named(found.without(text)) == "dense residential"
    assert found.named("How many are rivers?") is None
