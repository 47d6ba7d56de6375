"""The seasons that notes beside data name, with their months."""

from __future__ import annotations

import pytest

from knowflow.reason.noted_seasons import seasons_noted


@pytest.mark.parametrize(
    ("note", "told"),
    [
        ("kiremt = the main rains, June to September", {"kiremt": (6, 9), "main rains": (6, 9)}),
        ("Gu season: April-June. Deyr rains (Oct - Dec).", {"gu season": (4, 6), "deyr rains": (10, 12)}),
        ("MAM = long rains (Mar-May), OND = short rains (Oct-Dec).", {"mam": (3, 5), "long rains": (3, 5),
                                                                        "ond": (10, 12), "short rains": (10, 12)}),
        ("The dry season is November to March.", {"dry season": (11, 3)}),
        ("Sentinel-2 images (June to September), cut to the box", {}),
        ("NDVI: June to September", {}),
        ("Season here: October 2021 to March 2022.", {}),
        ("rains = March to May\nrains = April to June", {}),
    ],
)  # fmt: skip
def test_a_note_names_seasons(note: str, told: dict[str, tuple[int, int]]) -> None:
    assert {" ".join(words): months for words, months in seasons_noted([note])} == told


def test_two_ways_are_none() -> None:
    assert seasons_noted(["long rains (Mar-May)", "long rains (April-June)"]) == ()
