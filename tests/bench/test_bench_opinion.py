"""The second opinion is of its own, agrees where the tools are right, and disagrees where one is not."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import numpy as np
import pytest

from knowflow.knowledge.catalogue import load_catalogue
from knowflow.roof.cli import main
from knowflow_bench.opinion import engine as room
from knowflow_bench.opinion.engine import ground, numbers, pixels
from knowflow_bench.opinion.engine.book import OPINIONS, WITHOUT
from knowflow_bench.opinion.engine.field import Direction, Field, Partly, read_field
from knowflow_bench.opinion.run import opinion

MAY_IMPORT = {"numpy", "scipy", "rasterio", "shapely", "pyogrio", "pyproj", "xarray", "__future__"}
STANDARD = {"collections", "dataclasses", "datetime", "json", "math", "pathlib", "typing", "warnings"}
# templates that between them use most tools of which there is an opinion, and little time
TEMPLATES = (
    *("burn_severity_classes", "statistics_of_quantity", "heat_hotspots", "mann_kendall_trend", "water_bodies"),
    *("heat_island_intensity", "seasonal_cycle", "built_up_where_ndbi_is_positive", "snow_where_ndsi_is_high"),
)


def test_the_opinion_shares_nothing_with_what_it_judges() -> None:
    files = list(Path(str(room.__file__)).parent.glob("*.py"))
    assert len(files) >= 5
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                own = name.startswith("knowflow_bench.opinion.engine")
                assert own or name.partition(".")[0] in MAY_IMPORT | STANDARD, f"{path.name} imports {name}"


def test_opinions_are_on_tools_that_there_are() -> None:
    tools = load_catalogue().tools
    assert len(OPINIONS) >= 70
    assert not OPINIONS.keys() - tools.keys()
    assert not WITHOUT.keys() - tools.keys()
    assert not WITHOUT.keys() & OPINIONS.keys()


def test_tools_and_templates_agree_with_it() -> None:
    found = opinion(seed=3, names=TEMPLATES)
    assert found["counterparts"] >= 12
    wrong = {name: one["findings"] for kind in ("tools", "products") for name, one in found[kind].items()}
    assert {name: one for name, one in wrong.items() if one} == {}
    assert (found["share"], found["product_share"], found["refused"]) == (1.0, 1.0, 0)


def test_a_tool_that_is_wrong_is_seen_by_itself_and_in_what_is_made_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A difference that is too large by a hundred thousandth."""
    from knowflow.tools import arithmetic

    plain = arithmetic.difference

    def wrong(*args: object, **more: object) -> None:
        plain(*args, **more)
        with_error = more["output"]
        import rasterio

        with rasterio.open(with_error, "r+") as file:
            file.write(file.read(1) * np.float32(1.00001), 1)

    monkeypatch.setattr(arithmetic, "difference", wrong)
    found = opinion(names=["burn_severity_classes"])
    assert found["tools"]["raster_difference"]["agree"] == 0
    assert any(tool["agree"] for tool in found["tools"].values())
    assert found["products"]["burn_severity_classes"]["findings"]


def test_the_command_lists_what_has_no_counterpart(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["bench", "opinion", "--template", "hillshade_from_elevation", "--json"])
    assert ended.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert "hillshade" in found["without"]
    assert found["tools"]["hillshade"]["no_opinion"] == found["tools"]["hillshade"]["calls"] == 1


# --- the opinions themselves, on numbers that are known ---------------------------------------------------------------


def plane(values: object, size: float = 10.0, crs: str = "EPSG:32633", **tags: str) -> Field:
    from rasterio.crs import CRS
    from rasterio.transform import Affine

    grid = Affine(size, 0, 500_000, 0, -size, 5_100_000)
    return Field(np.asarray(values, dtype=float), grid, CRS.from_string(crs), {"UNIT": "m", **tags})


def test_a_plane_has_its_slope_and_its_way_down() -> None:
    rows, columns = np.indices((6, 7))
    east, south = plane(10.0 * columns), plane(10.0 * rows)
    for dem, down in ((east, 270.0), (south, 0.0)):
        steep, way = ground.slope(dem), ground.aspect(dem)
        assert isinstance(steep, Partly)
        np.testing.assert_allclose(steep.pixels[steep.about], 45.0)
        np.testing.assert_allclose(way.pixels[way.about] % 360, down, atol=1e-9)
        assert steep.about.sum() == 20


def test_areas_in_degrees_are_those_of_the_ellipsoid() -> None:
    """The whole globe in pixels of ten degrees has 510 million km2 (WGS 84)."""
    from rasterio.transform import Affine

    globe = plane(np.ones((18, 36)), crs="EPSG:4326")
    globe = Field(globe.pixels, Affine(10, 0, -180, 0, -10, 90), globe.crs)
    assert ground.area(globe, "km2") == pytest.approx(510_065_621.7, rel=2e-3)


def test_what_is_unknown_stays_so_unless_the_others_decide() -> None:
    a, b = plane([[0, 1, np.nan, np.nan]]), plane([[np.nan, np.nan, 1, np.nan]])
    np.testing.assert_array_equal(pixels.combine_masks([a, b], "and"), [[0, np.nan, np.nan, np.nan]])
    np.testing.assert_array_equal(pixels.combine_masks([a, b], "or"), [[np.nan, 1, 1, np.nan]])


def test_directions_meet_around_north() -> None:
    mean = numbers.statistic("mean")
    assert mean([350.0, 10.0]) == 180.0
    assert mean([Direction(350.0), Direction(10.0)]) == pytest.approx(0.0, abs=1e-9)


def test_decibels_are_averaged_as_power() -> None:
    """Half at 0 dB and half at -20 dB send back (1 + 0.01) / 2; a difference in decibels is a ratio and stays one."""
    mean, two = 10 * np.log10(0.505), [[0.0, -20.0]]
    echo, change = plane(two, QUANTITY="sigma0", UNIT="dB"), plane(two, QUANTITY="backscatter_change", UNIT="dB")
    assert pixels.raster_statistic(echo) == pytest.approx(mean)
    assert pixels.raster_statistic(change) == pytest.approx(-10.0)
    (row,) = pixels.raster_statistics(echo)
    assert row["mean"] == pytest.approx(mean)
    assert "sum" not in row
    series = [plane([[one]], QUANTITY="gamma0_db", UNIT="dB") for one in (0.0, -20.0)]
    np.testing.assert_allclose(pixels.temporal_composite(series, "mean"), [[mean]])


def test_files_are_read_with_their_scale_and_their_gaps(tmp_path: Path) -> None:
    import rasterio
    from rasterio.transform import Affine

    path = tmp_path / "one.tif"
    profile = {"driver": "GTiff", "count": 1, "height": 1, "width": 3, "dtype": "int16", "nodata": -1}
    with rasterio.open(path, "w", crs="EPSG:32633", transform=Affine(10, 0, 0, 0, -10, 0), **profile) as file:
        file.write(np.array([[100, -1, 300]], dtype="int16"), 1)
        file.scales, file.offsets = (0.01,), (5.0,)
    np.testing.assert_allclose(read_field(path).pixels, [[6.0, np.nan, 8.0]])
