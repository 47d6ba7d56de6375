"""What features and classes are called by the columns of tables: a policy, of ``P-032``, and rock, of a legend."""

from __future__ import annotations

from pathlib import Path

from rasters import write_raster

from knowflow.reason.data_keys import keys_of_classes, keys_of_polygons
from knowflow.reason.inventory import take_inventory


def test_features_are_called_by_the_column_that_tells_them_apart(tmp_path: Path) -> None:
    write_raster(tmp_path / "slope.tif")
    vector = take_inventory(tmp_path).artifacts[0]
    names = dict(keys_of_polygons(vector, {"policy": ["P-001", "P-002", "P-003"], "type": ["shop"] * 3}))
    assert (names["policy"], names["policies"]) == ("objects", "objects")
    assert "date" not in dict(keys_of_polygons(vector, {"date": ["2021-06-01", "2021-07-01"]}))


def test_classes_are_called_by_the_column_of_their_legend(tmp_path: Path) -> None:
    write_raster(tmp_path / "lithology.tif", dtype="uint8")
    (tmp_path / "lithology_codes.csv").write_text("code,rock\n1,limestone\n2,flysch\n")
    found = take_inventory(tmp_path).as_called()
    tables = [one for one in found.artifacts if one.type == "table"]
    names = {name for name, _ in keys_of_classes(found.rasters[0], tables)}
    assert {"rock", "rock type", "lithology"} <= names
    assert "code" not in names


def test_features_are_called_by_what_names_them_and_by_what_stands_before_a_place(tmp_path: Path) -> None:
    def named(stem: str, column: str) -> set[str]:
        write_raster(tmp_path / f"{stem}.tif")
        vector = next(one for one in take_inventory(tmp_path).rasters if Path(str(one.path)).stem == stem)
        return {name for name, key in keys_of_polygons(vector, {column: ["Nord", "Mitte", "Ost"]}) if key == "objects"}

    assert {"ward", "wards"} <= named("admin", "ward_name")
    assert {"glacier", "glaciers"} <= named("rgi_huascaran", "NAME_1")
    assert {"districts", "district"} <= named("districts_chaco", "label")
    assert {"municipality", "distrito"} & named("municipios_cauca", "nombre")
    assert "river" not in named("river_gauges", "label")
