"""Delivered results: cloud optimised, and saying all that is known of them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from affine import Affine
from raster_files import UTM, artifact, opened, read, write

from knowflow.ground.errors import NoSpaceError, UnreadableDataError
from knowflow.tools.raster import Output, deliver_cog, map_blocks, read_stored
from knowflow.tools.raster.delivery import is_cog, tells_all


def test_a_delivered_raster_is_a_cog_with_averaged_overviews(tmp_path: Path) -> None:
    values = np.indices((1200, 1100)).sum(axis=0) % 2 * 2.0
    source = write(tmp_path / "a.tif", values.astype(np.float32), nodata=math.nan, tags={"QUANTITY": "ndvi"})
    deliver_cog(source, tmp_path / "out" / "cog.tif")
    np.testing.assert_array_equal(read(tmp_path / "out" / "cog.tif"), values)
    with opened(tmp_path / "out" / "cog.tif") as written:
        assert written.tags(ns="IMAGE_STRUCTURE")["LAYOUT"] == "COG"
        assert written.overviews(1)
        coarse = written.read(1, out_shape=(300, 275))
        assert written.tags()["QUANTITY"] == "ndvi"
    np.testing.assert_allclose(coarse, 1.0)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["cog.tif"]


def test_classes_are_not_averaged_and_keep_their_colours(tmp_path: Path) -> None:
    classes = np.random.default_rng(0).choice(np.array([1, 9], dtype=np.uint8), (1200, 1100))
    raster = write(tmp_path / "a.tif", classes, nodata=0, facts={"quantity": "land_cover_class"})
    output = Output.like(tmp_path / "b.tif", raster, colormap={1: (0, 128, 0, 255), 9: (255, 0, 0, 255)})
    map_blocks(lambda block: block.stored("raster"), {"raster": raster}, output)
    deliver_cog(artifact(tmp_path / "b.tif"), tmp_path / "cog.tif")
    with opened(tmp_path / "cog.tif") as written:
        assert set(np.unique(written.read(1, out_shape=(300, 275)))) == {1, 9}
        assert written.colormap(1)[9] == (255, 0, 0, 255)
        assert written.nodata == 0


def test_what_the_facts_say_is_written_into_the_file(tmp_path: Path) -> None:
    known = {
        "crs": UTM,
        "transform": (20.0, 0.0, 500_000.0, 0.0, -20.0, 5_100_000.0),
        "quantity": "surface_temperature",
        "unit": "K",
        "datetime": "2022-07-01T10:00:00Z",
        "cloud_masked": True,
        "nodata": 0,
    }
    raster = write(tmp_path / "a.tif", np.array([[300, 0]], dtype=np.uint16), crs=None, transform=None, facts=known)
    deliver_cog(raster, tmp_path / "cog.tif")
    with opened(tmp_path / "cog.tif") as written:
        assert written.crs.to_epsg() == 32633
        assert written.transform.almost_equals(Affine(20, 0, 500_000, 0, -20, 5_100_000))
        assert written.nodata == 0
        tags = written.tags()
    expected = {
        "QUANTITY": "surface_temperature",
        "UNIT": "K",
        "DATETIME": "2022-07-01T10:00:00Z",
        "CLOUD_MASKED": "YES",
    }
    assert expected.items() <= tags.items()


def test_what_only_the_facts_say_of_a_result_is_in_its_file_once_it_is_delivered(tmp_path: Path) -> None:
    """A result as the block writer leaves it: a second delivery finds a file that says all, in its form."""
    values = np.linspace(0, 1, 1200 * 600, dtype=np.float32).reshape(600, 1200)
    map_blocks(lambda block: block["a"], {"a": write(tmp_path / "a.tif", values)}, Output(tmp_path / "made.tif"))
    made = artifact(tmp_path / "made.tif", unit="K", datetime="2022-07-01", scale=1.0)
    assert not tells_all(made)
    deliver_cog(made, tmp_path / "cog.tif")
    with opened(tmp_path / "cog.tif") as written:
        assert {"UNIT": "K", "DATETIME": "2022-07-01", "SCALE": "1.0"}.items() <= written.tags().items()
        np.testing.assert_array_equal(written.read(1), values)
    assert tells_all(replace(made, path=str(tmp_path / "cog.tif")))
    assert is_cog(str(tmp_path / "cog.tif"))


@pytest.mark.parametrize("dtype", ["int16", "float32"])
def test_a_scale_that_only_the_facts_say_is_read_by_everybody_once_it_is_delivered(tmp_path: Path, dtype: str) -> None:
    """The numbers stay, and GDAL's own scale says what they stand for; so it is with one the header has wrong."""
    stored = np.arange(1200 * 30, dtype=dtype).reshape(30, 1200) % 9000
    for number, header in enumerate((1.0, 7.0)):
        raster = write(tmp_path / f"{number}.tif", stored, scale=header, facts={"scale": 1e-4, "offset": -0.1})
        assert not tells_all(raster)
        deliver_cog(raster, tmp_path / f"cog{number}.tif")
        with opened(tmp_path / f"cog{number}.tif") as written:
            values = written.read(1) * written.scales[0] + written.offsets[0]
            np.testing.assert_allclose(values, stored * 1e-4 - 0.1, rtol=1e-6)
            assert written.dtypes == (dtype,)


def test_statistics_descriptions_masks_and_scale_survive(tmp_path: Path) -> None:
    mask = np.array([[True, False, True]])
    raster = write(
        tmp_path / "a.tif", np.array([[1, 2, 3]], dtype=np.uint8), mask=mask, scale=0.5, descriptions=("red",)
    )
    map_blocks(lambda b: b.stored("raster"), {"raster": raster}, Output.like(tmp_path / "b.tif", raster))
    deliver_cog(artifact(tmp_path / "b.tif"), tmp_path / "cog.tif")
    with opened(tmp_path / "cog.tif") as written:
        assert written.descriptions == ("red",)
        assert written.scales == (0.5,)
        assert float(written.tags(1)["STATISTICS_MAXIMUM"]) == 1.5
        assert "KNOWFLOW_HISTOGRAM" in written.tags(1)
    found = read_stored(artifact(tmp_path / "cog.tif"))
    np.testing.assert_array_equal(found.mask, ~mask)


def test_one_band_of_several_is_delivered_alone(tmp_path: Path) -> None:
    stack = np.arange(12, dtype=np.uint8).reshape(3, 2, 2)
    raster = replace(write(tmp_path / "a.tif", stack, descriptions=("red", "green", "blue")), band=2)
    deliver_cog(raster, tmp_path / "cog.tif")
    with opened(tmp_path / "cog.tif") as written:
        assert (written.count, written.descriptions) == (1, ("green",))
        np.testing.assert_array_equal(written.read(1), stack[1])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tif", "cog.tif"]


def test_a_source_that_cannot_be_read_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    whole = write(tmp_path / "a.tif", np.random.default_rng(0).normal(size=(900, 900)).astype(np.float32))
    deliver_cog(whole, tmp_path / "whole.tif")
    cut = tmp_path / "cut.tif"  # the header of a COG comes first: it opens, and cannot be read to its end
    cut.write_bytes((tmp_path / "whole.tif").read_bytes()[:-1_000_000])
    with pytest.raises(UnreadableDataError, match=r"cut\.tif"):
        deliver_cog(artifact(cut), tmp_path / "out" / "cog.tif")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_full_disk_is_noticed_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raster = write(tmp_path / "a.tif", np.ones((300, 300), dtype=np.float32))

    class Full:
        free = 1000

    monkeypatch.setattr("knowflow.tools.raster.delivery.shutil.disk_usage", lambda _: Full)
    with pytest.raises(NoSpaceError):
        deliver_cog(raster, tmp_path / "out" / "cog.tif")
    assert list((tmp_path / "out").iterdir()) == []
