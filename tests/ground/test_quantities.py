"""Quantity kinds: enough of them, right about units and ranges, and every mistake in their files reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from knowflow.ground import units
from knowflow.ground.errors import DocumentError, UnknownNameError
from knowflow.ground.indices import spectral_indices
from knowflow.ground.kept import forget
from knowflow.ground.quantities import quantity_kind, quantity_kinds, validate_quantities

KINDS = quantity_kinds()
AUTHORED = [kind for kind in KINDS.values() if kind.family != "index"]


@pytest.fixture
def author(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Path]]:
    """Writes quantity kinds into a project's own layer and moves there."""

    def write(text: str, name: str = "mine.yaml") -> Path:
        file = tmp_path / ".knowflow" / "pkb" / "quantities" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        forget()
        return file

    yield write
    forget()


def entry(name: str = "thing", unit: str = "K", bounds: str = "[0, 1]", more: str = "") -> str:
    return (
        f"- quantity: {name}\n  title: A thing\n  unit: {unit}\n  range: {bounds}\n  family: test\n  source: me\n{more}"
    )


def test_the_packaged_kinds_have_no_problems_and_hide_no_index() -> None:
    assert validate_quantities() == ()


def test_there_are_many_authored_kinds_and_one_for_every_index() -> None:
    assert len(AUTHORED) >= 75
    assert {name for name, kind in KINDS.items() if kind.family == "index"} == set(spectral_indices())


@pytest.mark.parametrize("kind", AUTHORED, ids=lambda kind: kind.name)
def test_every_unit_is_known_and_spelt_canonically(kind) -> None:  # type: ignore[no-untyped-def]
    assert units.normalise(kind.unit) == kind.unit


@pytest.mark.parametrize("kind", AUTHORED, ids=lambda kind: kind.name)
def test_classes_are_categorical_and_in_range(kind) -> None:  # type: ignore[no-untyped-def]
    low, high = kind.range
    assert kind.categorical or not kind.classes
    assert all((low is None or key >= low) and (high is None or key <= high) for key in kind.classes)


def test_no_word_means_two_authored_kinds() -> None:
    words = [word for kind in AUTHORED for word in {kind.name.replace("_", " "), *map(str.lower, kind.synonyms)}]
    assert sorted({word for word in words if words.count(word) > 1}) == []


def test_masks_say_what_one_means() -> None:
    assert KINDS["cloud_mask"].classes[1] == "cloud"
    assert KINDS["water_mask"].classes[1] == "water"
    assert all(kind.classes and kind.range == (0.0, 1.0) for kind in AUTHORED if kind.family == "mask")


@pytest.mark.parametrize(
    ("name", "unit", "cf_name"),
    [
        ("surface_temperature", "K", "surface_temperature"),
        ("toa_brightness_temperature", "K", "toa_brightness_temperature"),
        ("elevation", "m", "surface_altitude"),
        ("slope", "degree", "ground_slope_angle"),
        ("columnar_water_vapour", "kg m-2", "atmosphere_mass_content_of_water_vapor"),
        ("ndvi", "1", "normalized_difference_vegetation_index"),
        ("evi", "1", None),
        ("toa_radiance", "W m-2 sr-1 um-1", "toa_outgoing_radiance_per_unit_wavelength"),
        ("sigma0_db", "dB", None),
    ],
)
def test_kinds_known_by_hand(name: str, unit: str, cf_name: str | None) -> None:
    kind = quantity_kind(name)
    assert (kind.unit, kind.cf_name) == (unit, cf_name)


def test_a_temperature_in_celsius_or_a_scaled_reflectance_is_outside_the_physical_range() -> None:
    low, _ = quantity_kind("surface_temperature").range
    _, high = quantity_kind("surface_bidirectional_reflectance").range
    assert low is not None
    assert high is not None
    assert low > 60
    assert high < 100


def test_pure_normalised_differences_are_bounded_and_other_indices_are_not() -> None:
    assert quantity_kind("ndvi").range == (-1.0, 1.0)
    assert quantity_kind("mndwi").range == (-1.0, 1.0)
    assert quantity_kind("evi").range == (None, None)


def test_indices_that_differ_in_case_only_are_two_kinds() -> None:
    assert quantity_kind("bai").title == "Burned Area Index"
    assert quantity_kind("bareness_index").family == "index"


@pytest.mark.parametrize(
    ("asked", "suggested"), [("lst", "surface_temperature"), ("surface_temprature", "surface_temperature")]
)
def test_an_unknown_kind_is_answered_with_similar_names_and_synonyms(asked: str, suggested: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        quantity_kind(asked)
    assert suggested in (caught.value.hint or "")


def test_all_mistakes_are_reported_with_their_lines(author: Callable[[str], Path]) -> None:
    file = author(
        entry("one", unit="parsnips")
        + entry("two", bounds="[5, 1]", more="  colour: red\n")
        + "- {quantity: three, unit: K}\n"
        + entry("one")
        + "- four\n"
        + entry("Five", bounds="[low, 1]", more="  classes: {a: b}\n")
    )
    found = {(problem.code, problem.line) for problem in validate_quantities() if problem.file == str(file)}
    assert found == {
        ("unknown_unit", 3),
        ("range_reversed", 10),
        ("unknown_key", 13),
        ("missing_field", 14),
        ("duplicate_name", 15),
        ("wrong_type", 21),
        ("wrong_type", 22),
        ("wrong_type", 25),
        ("wrong_type", 28),
    }
    missing = [problem.expected for problem in validate_quantities() if problem.code == "missing_field"]
    assert len(missing) == 4


def test_a_broken_file_is_refused_with_its_problems(author: Callable[[str], Path]) -> None:
    author("- quantity: [\n")
    with pytest.raises(DocumentError) as caught:
        quantity_kinds()
    assert caught.value.problems[0].code == "yaml_syntax"
    author("quantity: x\n")
    with pytest.raises(DocumentError) as caught:
        quantity_kinds()
    assert caught.value.problems[0].code == "wrong_type"


def test_a_project_redefines_a_kind_and_an_index_and_is_told(author: Callable[[str], Path]) -> None:
    file = author(entry("elevation", unit="m", bounds="[0, 300]") + entry("ndvi", unit='"1"', bounds="[0, 1]"))
    assert quantity_kind("elevation").range == (0.0, 300.0)
    assert quantity_kind("ndvi").range == (0.0, 1.0)
    problems = validate_quantities()
    assert {(problem.code, problem.severity) for problem in problems} == {
        ("shadowed", "warning"),
        ("shadows_index", "warning"),
    }
    (index,) = [problem for problem in problems if problem.code == "shadows_index"]
    assert (index.file, index.line) == (str(file), 7)


def test_kinds_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        KINDS["ndvi"] = KINDS["evi"]  # type: ignore[index]
