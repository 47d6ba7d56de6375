"""Cloudy vegetation scenes with a known trend, one of them on another grid: the generated part of the demo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from knowflow.model.template import Scene
from knowflow.testing.demo_sample import write_sentinel2_sample, write_terrain_sample
from knowflow.testing.scenes import write_scene, years_since

# NDVI of the generated scenes: truth(x, y, t) = 0.35 + 0.2 x + TREND t, t in years since the first date
TREND_PER_YEAR = 0.012
DATES = tuple(f"{year}-07-{day:02d}" for year, day in zip(range(2015, 2023), (3, 8, 1, 14, 5, 11, 2, 9), strict=True))
OTHER_GRID_DATE = DATES[3]
_OTHER_GRID: dict[str, Any] = {"shift": (0.4, 0.3)}
_NIR = 0.42
_CLOUD_NDVI = 0.04


def vegetation_trend_scene(product: str = "reflectance", size: tuple[int, int] = (120, 120)) -> Scene:
    """Eight July scenes of an area whose NDVI rises by ``TREND_PER_YEAR``, under clouds that hide it.

    ``product`` is ``"reflectance"`` (red and near infrared, uint16, scale 0.0001) or ``"ndvi"``. Each date has a cloud
    mask (1 = cloud). Under clouds NDVI is about 0.04 and clouds grow with the years: without masking, the trend comes
    out with the wrong sign. The fourth scene and its mask lie on a grid shifted by (0.4, 0.3) pixels.
    """
    regular = [date for date in DATES if date != OTHER_GRID_DATE]
    layers = [
        *_layers(product, regular, {}),
        *_layers(product, [OTHER_GRID_DATE], _OTHER_GRID),
    ]
    return Scene.model_validate({"size": size, "layers": layers})


def write_demo(folder: Path) -> dict[str, Path]:
    """The three data folders of ``knowflow demo``: ``sentinel2``, ``terrain`` and ``trend``, by name."""
    folders = {name: folder / name for name in ("sentinel2", "terrain", "trend")}
    write_sentinel2_sample(folders["sentinel2"])
    write_terrain_sample(folders["terrain"])
    write_scene(vegetation_trend_scene(), folders["trend"])
    return folders


def _layers(product: str, dates: list[str], grid: dict[str, Any]) -> list[dict[str, Any]]:
    # t of a layer counts from its own first date, i from its own first file
    t = f"(t + {years_since(DATES[0], dates[0]):.9f})"
    cloud = f"({_cloud(t)})"
    ndvi = f"where({cloud}, {_CLOUD_NDVI}, 0.35 + 0.2 * x + {TREND_PER_YEAR} * {t})"
    mask = {"name": "CLM", "quantity": "cloud_mask", "values": cloud, "dtype": "uint8", "nodata": 255}
    if product == "ndvi":
        layer: dict[str, Any] = {"name": "NDVI", "quantity": "ndvi", "values": ndvi}
    else:
        nir = f"where({cloud}, 0.6, {_NIR})"
        layer = {"name": "S2", "quantity": "surface_bidirectional_reflectance", "sensor": "sentinel-2"}
        layer |= {"dtype": "uint16", "scale": 0.0001, "nodata": 0}
        layer["bands"] = {"red": f"{nir} * (1 - {ndvi}) / (1 + {ndvi})", "nir": nir}
    return [{**one, **grid, "dates": dates} for one in (layer, mask)]


def _cloud(t: str) -> str:
    """A round cloud that wanders with the years and grows from 10 to 30 per cent of the width."""
    centre_x, centre_y = f"(0.5 + 0.35 * sin(2.1 * {t}))", f"(0.5 + 0.35 * cos(1.3 * {t}))"
    return f"(x - {centre_x}) ** 2 + (y - {centre_y}) ** 2 < (0.1 + 0.03 * {t}) ** 2"
