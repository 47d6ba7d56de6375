"""What a question says of its data and of the method: read into the expression, or known to be at hand."""

from __future__ import annotations

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import equal
from knowflow.question.reading.reader import read
from knowflow.question.reading.readings import Reading
from knowflow.question.reading.vocabulary import Chosen, DataWords
from knowflow.question.words import in_words
from knowflow.reason.data_words import data_words
from knowflow.reason.inventory import inventory_of_names

PARIS, VENICE = (Chosen("region", name, ("night_lights",), (name,)) for name in ("Paris", "Venice"))
B4 = Chosen("band", "green", ("surface_bidirectional_reflectance",), ("sur_refl_b04", "B4", "band 4"))
LST = "surface_temperature"
SPLIT = f"quantity({LST}, split_window)"


def reads(question: str, wanted: str, data: DataWords | None = None) -> Reading:
    found = read(question, data or DataWords(quantities=frozenset({"ndvi", LST})))
    expected, faults = expression_of(wanted)
    assert expected is not None, faults
    assert found.expression is not None, (found.unread, found.apart, found.alike)
    assert equal(found.expression, expected), found.expression
    return found


@pytest.mark.parametrize(
    "question",
    [
        "Calculate the mean LST by the split-window algorithm in 2022.",
        "Using the split-window method, calculate the mean LST in 2022.",
        "Calculate the mean split-window LST in 2022.",
        "Based on split-window LST of 2022, calculate the mean LST.",
        "Estimate LST in 2022 using the split-window algorithm, then calculate the mean LST.",
        "Compute the LST in 2022 by the split-window algorithm and calculate the mean LST.",
    ],
)
def test_the_method_that_is_named_makes_the_quantity_and_a_step_is_no_answer(question: str) -> None:
    assert reads(question, f"over(over(during({SPLIT}, 2022), space, mean), time, mean)")


@pytest.mark.parametrize(
    "question",
    [
        "Using NDVI and LST data, compute the mean TVDI in 2022.",
        "Based on LST and NDVI data in 2022, compute the mean TVDI.",
        "Compute the mean TVDI in 2022 from NDVI and LST data.",
        "Using MODIS NDVI and LST data in 2022, compute the TVDI and calculate the mean TVDI.",
    ],
)
def test_data_that_are_at_hand_ask_for_nothing_but_their_time(question: str) -> None:
    assert reads(question, "over(over(during(tvdi, 2022), space, mean), time, mean)")


def test_data_that_are_not_at_hand_are_asked_back() -> None:
    assert read("Using EVI data, compute the mean NDVI.", DataWords(quantities=frozenset({"ndvi"}))).expression is None


def test_a_sensor_that_the_images_are_not_of_is_asked_back() -> None:
    held = frozenset({"ndvi"})
    question = "Using MODIS data, compute the mean NDVI."
    assert read(question, DataWords(quantities=held, sensors=frozenset({"modis"}))).expression is not None
    assert read(question, DataWords(quantities=held, sensors=frozenset({"sentinel-2"}))).expression is None


def test_a_band_is_what_an_index_is_made_of_and_never_left_out_where_it_is_asked_about() -> None:
    data = DataWords(quantities=frozenset({"surface_bidirectional_reflectance"}), chosen=(B4,))
    assert reads(
        "Using band 4 data of 2022, compute the mean NDTI.",
        "over(over(during(ndti, 2022), space, mean), time, mean)",
        data,
    )
    assert read("Using band 4 data, compute the mean reflectance.", data).expression is None


def test_layers_and_bands_by_the_names_of_their_files_are_at_hand() -> None:
    names = [f"Testland_{layer}_2022-07-12.tif" for layer in ("sur_refl_b01", "sur_refl_b04")]
    data = data_words(inventory_of_names(names))
    for said in ("sur_refl_b01 and sur_refl_b04", "band 1 and band 4", "MODIS b01 and b04", "Band 1, Band 4"):
        reads(f"Based on {said} data, compute the mean NDTI.", "over(over(ndti, space, mean), time, mean)", data)
    assert read("Based on sur_refl_b01 data, compute the mean reflectance.", data).expression is None
    assert read("Based on sur_refl_b03 data, compute the mean NDTI.", data).expression is None


def test_what_is_converted_is_what_is_asked_for() -> None:
    data = data_words(inventory_of_names(["Testland_B10_2022-12-16.tif"]))
    wanted = "over(over(during(surface_temperature, '2022-12-16'), space, mean), time, mean)"
    assert reads("Convert Landsat B10 thermal data to surface temperature for Testland (2022-12-16).", wanted, data)


def test_the_place_of_all_files_is_the_whole_and_told() -> None:
    data = DataWords(quantities=frozenset({"ndvi"}), places=("Yellow River basin",))
    for question in (
        "Mean NDVI in 2022 over the Yellow River Basin",
        "Mean NDVI of the Yellow River Basin area in 2022",
    ):
        found = reads(question, "over(over(during(ndvi, 2022), space, mean), time, mean)", data)
        assert "Yellow River Basin" in found.whole
    assert read("Mean NDVI in 2022 over Vindelmora", data).expression is None
    found = reads(
        "Mean NDVI in 2022 over Vindelmora",
        "over(over(during(ndvi, 2022), space, mean), time, mean)",
        DataWords(quantities=frozenset({"ndvi"}), anywhere=True),
    )
    assert found.whole == ("Vindelmora",)


def test_files_of_several_places_are_chosen_by_the_place() -> None:
    data = DataWords(quantities=frozenset({"night_lights"}), chosen=(PARIS, VENICE))
    paris, venice = (
        f"over(over(during(quantity(night_lights, having={{'region': '{name}'}}), 2015), space, mean), time, mean)"
        for name in ("Paris", "Venice")
    )
    for question in ("Mean night lights of Paris in 2015", "Using Paris data of 2015, compute the mean night lights."):
        reads(question, paris, data)
    both = "Calculate the mean night lights of Paris and Venice in 2015, and give the difference between the two."
    assert reads(both, f"calculate(difference, {paris}, {venice})", data)
    assert reads(
        both.replace("difference", "absolute difference"),
        f"calculate(absolute, calculate(difference, {paris}, {venice}))",
        data,
    )


def test_places_of_files_are_read_as_they_are_rendered() -> None:
    data = DataWords(quantities=frozenset({"night_lights"}), chosen=(PARIS, VENICE))
    asked = read("Mean night lights of Paris in 2015", data).expression
    assert asked is not None
    assert "night lights with region “Paris”" in in_words(asked)
    again = read("Mean of night lights with region “Paris” in 2015", data).expression
    assert again is not None
    assert equal(again, asked)


def test_listing_the_files_asks_for_nothing_and_what_occurs_on_a_date_ranks_the_dates() -> None:
    listed = "First list the files, then compute the mean NDVI in 2022."
    assert reads(listed, "over(over(during(ndvi, 2022), space, mean), time, mean)")
    on_which = "Determine the date in 2022 on which the maximum average NDVI occurs."
    assert reads(on_which, "extreme(over(during(ndvi, 2022), space, mean), highest)")


def test_what_two_steps_ask_of_other_times_or_things_stays_two_questions() -> None:
    for question in (
        "Compute the NDVI and the mean LST in 2022.",
        "Compute the NDVI in 2021 and give the mean NDVI in 2022.",
    ):
        found = read(question, DataWords(quantities=frozenset({"ndvi", LST}))).expression
        assert found is not None
        assert found.op == "several"


@pytest.mark.parametrize(
    ("question", "read_so"),
    [
        ("What was the mean NDMI, from B08 and B11, in 2021?", True),
        ("What was the mean NDMI, from B8A and B11, in 2021?", False),  # which is another index
        ("What was the mean NDVI from B8A and B04 in 2021?", False),
    ],
)
def test_an_index_of_other_bands_than_its_own_is_not_that_index(question: str, read_so: bool) -> None:
    names = {"red": ("B04",), "nir": ("B08", "B8"), "nir08": ("B8A",), "swir16": ("B11",)}
    kind = "surface_bidirectional_reflectance"
    data = DataWords(frozenset({kind}), chosen=tuple(Chosen("band", *one) for one in _bands(names, kind)))
    assert (read(question, data=data).expression is not None) == read_so


def _bands(names: dict[str, tuple[str, ...]], kind: str) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    return [(band, (kind,), called) for band, called in names.items()]
