"""Maps from maps: averages, differences, hot spots, masks, colours."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.tools.arithmetic import difference
from knowflow.tools.earth_agent.batch import distribution, grey
from knowflow.tools.earth_agent.files import Paths, Raster, Series, items, picture, raster, series, targets
from knowflow.tools.kernels.limits import above, below
from knowflow.tools.masking import apply_mask, cloud_mask_from_qa
from knowflow.tools.raster import Block, Output, grid_of, map_blocks, read_array, write_array
from knowflow.tools.raster.source import handles, stored_scale
from knowflow.tools.scaling import physical_like
from knowflow.tools.thresholding import as_mask

Side = Literal["above", "below"]
# surface reflectance of Landsat Collection 2: https://www.usgs.gov/landsat-missions/landsat-collection-2
LANDSAT_SCALE, LANDSAT_OFFSET, LANDSAT_FILL = 2.75e-5, -0.2, 0.0


def calc_batch_image_hotspot_tif(
    file_list: Series,
    threshold: float,
    output_path_list: Paths,
    uint8: bool = False,
    side: Side = "above",
    compat: bool = False,
) -> None:
    """A mask of the hot spots of each image: 1 where it is above the threshold (or ``below``, where that is the side).

    ``compat``: 1 where it is below, whatever the side, and fill is data.
    """
    if side not in ("above", "below"):
        raise ToolError("there is no such side", expected="above, below", found=str(side))
    chosen = "below" if compat else side
    sources = items(file_list)
    for source, path in zip(sources, targets(output_path_list, sources, compat), strict=True):
        _write_mask(raster(source, compat), path, threshold, chosen, uint8)


def _write_mask(artifact: Artifact, path: Path, limit: float, side: str, uint8: bool, kind: str = "mask") -> None:
    def kernel(block: Block) -> NDArray[np.uint8]:
        values = grey(block["raster"], uint8)
        return as_mask(above(values, limit) if side == "above" else below(values, limit), np.isfinite(values))

    map_blocks(kernel, {"raster": artifact}, Output.mask(path, kind))


def create_fire_increase_map(
    change_image_path: Raster, output_path: Path, threshold: float = 20.0, compat: bool = False
) -> None:
    """A mask of where fire power has grown by more than a threshold."""
    _write_mask(raster(change_image_path, compat), Path(output_path), threshold, "above", False, "fire_mask")


def identify_fire_prone_areas(
    file_path: Raster,
    output_path: Path,
    threshold_percentile: float = 75.0,
    uint8: bool = False,
    compat: bool = False,
) -> None:
    """A mask of the pixels above a percentile of their image."""
    if not 0 <= threshold_percentile <= 100:
        raise ToolError("there is no such percentile", expected="0 to 100", found=str(threshold_percentile))
    artifact = raster(file_path, compat)
    limit = float(distribution(artifact, uint8).quantiles([threshold_percentile / 100.0])[0])
    _write_mask(artifact, Path(output_path), limit, "above", uint8, "fire_mask")


def threshold_segmentation(input_image_path: Raster, threshold: float, output_path: Path, compat: bool = False) -> None:
    """A mask of what is brighter than a threshold; what is not data stays unknown, whatever the type of the image."""
    with picture(output_path) as path:
        _write_mask(raster(input_image_path, compat), path, threshold, "above", False)


def calculate_tif_average(file_list: Series, output_path: Path, uint8: bool = False, compat: bool = False) -> None:
    """Mean of images of one grid, pixel by pixel, over those that are data there. ``compat``: fill is data."""
    images = series(file_list, compat)

    def kernel(block: Block) -> NDArray[np.float64]:
        stack = grey(block["images"], uint8)
        known = np.isfinite(stack)
        return np.asarray(np.sum(stack, axis=0, where=known, dtype=np.float64) / known.sum(axis=0))

    map_blocks(kernel, {"images": images}, _like(output_path, images[0], uint8))


def _like(output: Path, artifact: Artifact, uint8: bool) -> Output:
    described = replace(physical_like(Path(output), artifact), bands=(None,))
    return replace(described, dtype="uint8", nodata=None) if uint8 else described


def calculate_tif_difference(
    image_a_path: Raster, image_b_path: Raster, output_path: Path, uint8: bool = False, compat: bool = False
) -> None:
    """The second image less the first: the change from a to b. ``compat``: fill is data."""
    a, b = raster(image_a_path, compat), raster(image_b_path, compat)
    if not uint8:
        difference(b, a, Path(output_path))
        return

    def kernel(block: Block) -> NDArray[np.float32]:
        return np.asarray(grey(block["b"], True) - grey(block["a"], True))

    map_blocks(kernel, {"a": a, "b": b}, Output(Path(output_path), quantity="difference", keep=()))


def subtract(img1_path: Raster, img2_path: Raster, output_path: Path, compat: bool = False) -> None:
    """The first image less the second. ``compat``: fill is data."""
    difference(raster(img1_path, compat), raster(img2_path, compat), Path(output_path))


def grayscale_to_colormap(
    image_path: Raster, save_name: Path, cmap_name: str = "viridis", preserve_geo: bool = True
) -> None:
    """An image of one band in the colours of a matplotlib colour map, from its smallest to its largest value.

    What is not data is transparent. ``preserve_geo``: the picture has the grid of the image, else none.
    """
    from matplotlib import colormaps

    if cmap_name not in colormaps:
        raise ToolError("there is no such colour map", expected="a colour map of matplotlib", found=str(cmap_name))
    artifact = raster(image_path)
    values = read_array(artifact)
    known = np.isfinite(values)
    if not known.any():
        raise ToolError("no pixel is data", where=artifact.path, expected="an image with data", found="none")
    low, high = float(values[known].min()), float(values[known].max())
    place = (np.where(known, values, low) - low) / (high - low or 1.0)
    colours = np.moveaxis(colormaps[cmap_name](place, bytes=True), -1, 0)
    colours[3] = np.where(known, 255, 0)
    grid = grid_of(artifact)
    bare = grid if preserve_geo else replace(grid, crs=None, transform=type(grid.transform).identity())
    with picture(save_name) as path:
        described = Output(path, dtype="uint8", nodata=None, quantity="display_value", unit="1", bands=_RGBA)
        write_array(described, colours, bare)


_RGBA = ("red", "green", "blue", "alpha")


def radiometric_correction_sr(input_band_path: Raster, output_path: Path, compat: bool = False) -> None:
    """Surface reflectance from stored numbers of Landsat Collection 2, level 2: x 0.0000275 - 0.2, 0 is fill.

    Where the file knows its own scale, offset or fill, those hold. ``compat``: fill is computed like data.
    """
    artifact = raster(input_band_path, compat)
    with handles() as opened:
        dataset = opened.get(str(artifact.path))
        scale, offset = stored_scale(artifact, dataset, artifact.band or 1)
        fill = dataset.nodatavals[(artifact.band or 1) - 1]
    known: dict[str, float] = {}
    if compat or (scale, offset) == (1.0, 0.0):
        known |= {"scale": LANDSAT_SCALE, "offset": LANDSAT_OFFSET}
    if not compat and fill is None and artifact.fact("nodata") is None:
        known["nodata"] = LANDSAT_FILL
    physical = artifact.with_facts(Facts.of(Origin.ASSUMED, "Landsat Collection 2", **known).over(artifact.facts))
    described = Output(Path(output_path), quantity="surface_bidirectional_reflectance", unit="1")

    def kernel(block: Block) -> NDArray[np.float32]:
        return block["band"]

    map_blocks(kernel, {"band": physical}, described)


def apply_cloud_mask(sr_band_path: Raster, qa_pixel_path: Raster, output_path: Path, compat: bool = False) -> None:
    """A band without the pixels that Landsat's QA_PIXEL marks as cloud, cirrus, dilated cloud or cloud shadow.

    ``compat``: fill of the band is data.
    """
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        mask = Path(folder) / "clouds.tif"
        cloud_mask_from_qa(raster(qa_pixel_path), mask, scheme="landsat_c2")
        apply_mask(raster(sr_band_path, compat), raster(mask), Path(output_path))


def get_filelist(dir_path: str) -> list[str]:
    """The names of the files in a folder, in order."""
    folder = Path(dir_path)
    if not folder.is_dir():
        raise ToolError("there is no such folder", where=str(folder), expected="a folder", found="nothing")
    return sorted(path.name for path in folder.iterdir() if path.is_file())
