"""Faults of how data come: names, endings, links, archives, what lies beside the files, and what was left in them."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np
import rasterio

from knowflow_bench.faults.injection.data import FileFault, Site, put_at, rewrite, shape_of


def rename(site: Site, *, like: str) -> None:
    """Other names for all files; ``{}`` stands for the old name without its ending."""
    for path in site.rasters:
        path.rename(path.with_name(like.replace("{}", path.stem) + path.suffix))


def ending(site: Site, *, suffix: str) -> None:
    """The same files under another ending, or under none."""
    for path in site.rasters:
        path.rename(path.with_suffix(suffix))


def linked(site: Site) -> None:
    """Links to the files, which lie elsewhere."""
    elsewhere = site.folder.parent / "archive"
    elsewhere.mkdir()
    for path in site.rasters:
        path.rename(elsewhere / path.name)
        path.symlink_to(elsewhere / path.name)


def broken_link(site: Site) -> None:
    """One file is a link to what is no longer there."""
    path = site.one(site.of(None))
    path.unlink()
    path.symlink_to(site.folder.parent / "unmounted" / path.name)


def twin_below(site: Site) -> None:
    """A link to one of the files in a folder below, as "latest" folders have them."""
    path = site.one(site.of(None))
    (site.folder / "latest").mkdir()
    (site.folder / "latest" / path.name).symlink_to(path)


def zipped(site: Site) -> None:
    """An archive under the name of the raster that is in it."""
    path = site.one(site.of(None))
    packed = path.with_suffix(".packed")
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(path, path.name)
    packed.replace(path)


def leftovers(site: Site) -> None:
    """What browsers, editors and other systems leave beside files."""
    path = site.rasters[0]
    content = path.read_bytes()
    (site.folder / f"{path.name}.part").write_bytes(content[: len(content) // 3])
    (site.folder / f"{path.name}.crdownload").write_bytes(b"")
    (site.folder / f"._{path.name}").write_bytes(b"\x00\x05\x16\x07" * 16)
    (site.folder / "Thumbs.db").write_bytes(b"\xd0\xcf\x11\xe0")
    (site.folder / f"{path.name}.lock").write_text("", encoding="utf-8")


def half_twin(site: Site) -> None:
    """The beginning of a second download beside the whole file."""
    path = site.one(site.of(None))
    content = path.read_bytes()
    path.with_name(f"{path.stem}_1.tif").write_bytes(content[: len(content) // 2])


def huge_tag(site: Site, *, size: int) -> None:
    for path in site.rasters:
        rewrite(
            path, lambda pixels: pixels, tags={"PROCESSING_HISTORY": "warped, cut and warped again; " * (size // 30)}
        )


def touched(site: Site) -> None:
    """The same content, with another time of change."""
    for path in site.rasters:
        told = path.stat()
        os.utime(path, (told.st_atime + 5, told.st_mtime + 5))


def stale_statistics(site: Site) -> None:
    """Statistics in the header that are those of other pixels."""
    for path in site.of(None):
        with rasterio.open(path, "r+") as file:
            false = {"MINIMUM": "-30", "MAXIMUM": "5000", "MEAN": "900", "STDDEV": "77", "VALID_PERCENT": "3"}
            file.update_tags(1, **{f"STATISTICS_{name}": value for name, value in false.items()})


def stale_overviews(site: Site) -> None:
    """Reduced images beside the files that show other pixels."""
    for path in site.of(None):
        spare = path.with_name("spare.tif")
        shutil.copy2(path, spare)
        rewrite(spare, lambda pixels: np.full_like(pixels, np.nanmax(pixels)))
        with rasterio.Env(TIFF_USE_OVR="YES"), rasterio.open(spare, "r+") as file:
            file.build_overviews([2, 4])
        Path(f"{spare}.ovr").rename(f"{path}.ovr")
        spare.unlink()


def mask_beside(site: Site, *, share: float, value: float) -> None:
    """Pixels that only a mask beside the file says to be missing; a possible value stands in them."""
    random_numbers = np.random.default_rng(site.chance.randrange(2**32))
    for path in site.of(None):
        gaps = random_numbers.random(shape_of(path)[1:]) < share
        site.gap(path, gaps)
        rewrite(path, partial(put_at, gaps, value), nodata=None)
        with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=False), rasterio.open(path, "r+") as file:
            file.write_mask(~gaps)


def said_date(site: Site, *, forms: list[str]) -> None:
    """Files whose date is told by their tags only, each in one of these forms."""
    for number, path in enumerate(site.rasters):
        rewrite(path, lambda pixels: pixels, tags={"DATETIME": forms[number % len(forms)]})
        path.rename(path.with_name(f"{path.stem.split('_')[0]}_{'abcdefgh'[number]}.tif"))


DELIVERY_FAULTS: Mapping[str, FileFault] = {
    "rename": rename,
    "ending": ending,
    "linked": linked,
    "broken_link": broken_link,
    "twin_below": twin_below,
    "zipped": zipped,
    "leftovers": leftovers,
    "half_twin": half_twin,
    "huge_tag": huge_tag,
    "touched": touched,
    "stale_statistics": stale_statistics,
    "stale_overviews": stale_overviews,
    "mask_beside": mask_beside,
    "said_date": said_date,
}
