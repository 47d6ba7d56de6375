"""Files of a product whose names tell it, and those beside them whose names do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rasters import write_raster

from knowflow.model.artifact import Artifact
from knowflow.reason.inventory import take_inventory
from knowflow.reason.inventory.names import name_facts, told_beside


def layers(folder: Path) -> dict[str, Artifact]:
    return {Path(str(item.path)).name: item for item in take_inventory(folder).artifacts}


def whole(path: Path) -> None:
    write_raster(path, dtype="int16")


def said(name: str, *beside: str, dtype: str = "int16") -> dict[str, Any]:
    facts = name_facts(name, dtype, near=lambda: told_beside((name.removesuffix(".tif"), *beside))).facts
    return {fact: facts.value(fact) for fact in facts}


def test_a_name_made_like_one_that_tells_the_product_is_of_it(tmp_path: Path) -> None:
    for name in ("cfvo 0-5cm.tif", "clay 0-5cm.tif", "nitrogen 5-15cm.tif", "slope.tif"):
        whole(tmp_path / name)
    found = layers(tmp_path)
    assert (found["clay 0-5cm.tif"].fact("scale"), found["clay 0-5cm.tif"].fact("unit")) == (0.1, "%")
    assert (found["nitrogen 5-15cm.tif"].fact("scale"), found["nitrogen 5-15cm.tif"].fact("unit")) == (0.01, "g kg-1")
    assert found["slope.tif"].fact("scale") is None  # no layer of it


def test_in_a_folder_of_its_own_it_is_of_none(tmp_path: Path) -> None:
    for folder, name in (("a", "cfvo 0-5cm.tif"), ("b", "clay 0-5cm.tif")):
        (tmp_path / folder).mkdir()
        whole(tmp_path / folder / name)
    assert layers(tmp_path)["clay 0-5cm.tif"].fact("scale") is None


def test_a_name_made_otherwise_is_not_of_it_where_its_layer_is_called_so_by_many() -> None:
    assert "sensor" not in said("ndvi_drone.tif", "MOD13Q1_NDVI_2018257")


def test_a_word_for_a_layer_that_says_nothing_by_itself_means_the_same_beside_it() -> None:
    alone, beside = said("conc_2021-03-14.tif"), said("conc_2021-03-14.tif", "NSIDC_conc_monthly_202103")
    assert "quantity" not in alone
    assert (beside["quantity"], beside["unit"], beside["scale"]) == ("sea_ice_concentration", "%", 0.1)


def test_of_two_products_that_it_may_be_of_it_is_of_none() -> None:
    found = said("temp_2020.tif", "worldclim_tmean", "cru_tmp_2020", "chelsa_tas_2020")
    assert "scale" not in found


@pytest.mark.parametrize("name", ["presence_2020.tif", "deficit_2020.tif", "length_2020.tif"])
def test_a_word_that_one_product_alone_calls_a_layer_by_says_nothing_for_certain(name: str, tmp_path: Path) -> None:
    write_raster(tmp_path / name, dtype="float32")
    (item,) = take_inventory(tmp_path).artifacts
    assert item.fact("quantity") is None


def test_what_holds_of_sixteen_bits_holds_of_whole_numbers_in_more() -> None:
    narrow, wide, decimal = (said("terraclimate_pdsi_201807.tif", dtype=one) for one in ("int16", "int32", "float32"))
    assert (narrow["scale"], wide["scale"], "scale" in decimal) == (0.01, 0.01, False)
