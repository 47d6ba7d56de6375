"""Products and sensors by which questions name their data: chosen by them, told, or kept for the data to refuse."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from knowflow.question.operators import Expression, Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import PRODUCT, DataWords, HeldProduct
from knowflow.reason.data_words import data_words
from knowflow.reason.inventory import inventory_of_names
from knowflow.reason.named_bands import is_other

NAMES = {"gpcc": frozenset({"precipitation"}), "terraclimate": frozenset({"precipitation"}), "smap": frozenset[str]()}
GPCC = HeldProduct("precipitation", frozenset({"gpcc"}), frozenset({"gpcc"}))
TERRACLIMATE = HeldProduct("precipitation", frozenset({"terraclimate"}), frozenset({"terraclimate", "a", "month"}))
UNKNOWN = HeldProduct("precipitation")
QUESTIONS = (
    "What was the mean GPCC rain in 2019?",
    "What was the mean rain of GPCC in 2019?",
    "What was the mean rain in 2019 by GPCC, in mm?",
    "What was the mean precipitation in the GPCC data in 2019?",
    "Using GPCC, what was the mean precipitation in 2019?",
    "How much did it rain on average in 2019 by GPCC?",
)


def having(expression: Expression) -> Iterator[str]:
    for _, part in walk(expression):
        if isinstance(part, Quantity):
            yield dict(part.having).get(PRODUCT, "")


def data(*held: HeldProduct) -> DataWords:
    return DataWords(quantities=frozenset({"precipitation"}), products=held, product_names=NAMES)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(
    ("held", "product", "told"),
    [
        ((GPCC,), "", False),  # it is what there is
        ((GPCC, TERRACLIMATE), "gpcc", False),  # which it tells from the other
        ((GPCC, UNKNOWN), "gpcc", False),
        ((TERRACLIMATE,), "gpcc", False),  # of which the data are not
        ((UNKNOWN,), "", True),  # and nobody knows
        ((HeldProduct("precipitation", layers=2),), "gpcc", False),  # and nobody knows which
    ],
)
def test_a_product_that_is_named_is_left_out_only_where_nothing_else_can_be_meant(
    question: str, held: tuple[HeldProduct, ...], product: str, told: bool
) -> None:
    found = read(question, data(*held))
    assert found.expression is not None, (found.unread, found.apart, found.alike)
    assert set(having(found.expression)) == {product}
    assert bool(found.whole) is told


def test_a_product_that_holds_no_such_quantity_is_not_assumed() -> None:
    found = read("What was the mean SMAP rain in 2019?", data(UNKNOWN))
    assert found.expression is not None
    assert set(having(found.expression)) == {"smap"}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_name_that_no_product_has_is_not_read(question: str) -> None:
    assert not read(question.replace("GPCC", "GQDC"), data(GPCC, TERRACLIMATE)).candidates()


FILES = (
    "chirps-v2.0.2021.05.tif",
    "wc2.1_10m_prec_05.tif",
    "MOD11A2.061_LST_Day_1km_doy2021121_aid0001.tif",
    "LC08_L2SP_190027_20210504_20210517_02_T1_ST_B10.TIF",
    "Copernicus_DSM_COG_10_N47_00_E013_00_DEM.tif",
    "srtm_gl1_n47e013.tif",
    "rain_2021-05.tif",
    "VI_20210504T100559_S2B_T33UVP-010m_V101_NDVI.tif",
    "MOD13Q1.061__250m_16_days_NDVI_doy2021129_aid0001.tif",
)


@pytest.mark.parametrize(
    ("question", "file"),
    [
        ("What was the mean CHIRPS rain in May 2021?", "chirps"),
        ("What is the mean WorldClim precipitation?", "wc2.1"),
        ("What was the mean surface temperature of Landsat in May 2021?", "LC08"),
        ("What was the highest MODIS surface temperature in May 2021?", "MOD11A2"),
        ("What is the highest elevation of the Copernicus DEM?", "Copernicus"),
        ("What was the highest NDVI of HR-VPP in May 2021?", "VI_"),
        ("What is the highest elevation in the SRTM data?", "srtm"),
    ],
)
def test_names_of_published_files_are_chosen_by_their_product(question: str, file: str) -> None:
    inventory = inventory_of_names(FILES)
    found = read(question, data_words(inventory))
    assert found.expression is not None, (found.unread, found.apart, found.alike)
    (quantity,) = {part for _, part in walk(found.expression) if isinstance(part, Quantity)}
    alike = [item for item in inventory.rasters if item.fact("quantity") == quantity.kind]
    fits = [str(item.path) for item in alike if is_other(item, quantity.having) is None]
    assert len(alike) > len(fits) == 1
    assert fits[0].startswith(file)


@pytest.mark.parametrize(
    "question",
    [
        "Using MODIS surface temperature data, what was the mean surface temperature in May 2021?",
        "From the MODIS data, what was the mean surface temperature in May 2021?",
        "What was the mean temperature of the surface in the MODIS data of May 2021?",
    ],
)
def test_a_sensor_of_several_chooses_among_the_data(question: str) -> None:
    found = read(question, data_words(inventory_of_names(FILES)))
    assert found.expression is not None, (found.unread, found.apart, found.alike)
    assert set(having(found.expression)) == {"modis"}
    alone = read(question, data_words(inventory_of_names(FILES[2:3])))
    assert alone.expression is not None
    assert set(having(alone.expression)) == {""}


def test_what_is_made_of_data_of_one_sensor_is_of_it_anyway() -> None:
    names = [f"LC08_L2SP_190027_20210504_20210517_02_T1_SR_B{band}.TIF" for band in (4, 5)]
    found = read("What was the mean Landsat NDVI in May 2021?", data_words(inventory_of_names(names)))
    assert found.expression is not None
    assert set(having(found.expression)) == {""}


def test_a_step_leaves_out_no_product_of_what_it_names() -> None:
    question = "Compute the mean GPCC rain and count the dates on which rain was above 1 mm."
    found = read(question, data(GPCC, TERRACLIMATE))
    assert all("gpcc" in set(having(one)) for one in found.candidates())


def test_data_of_another_product_are_refused_by_its_name() -> None:
    (item,) = inventory_of_names(FILES[:1]).rasters
    assert "CHIRPS" in str(is_other(item, ((PRODUCT, "imerg"),)))
