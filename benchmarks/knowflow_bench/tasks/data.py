"""The data of a case, written as a user would have them, with everything that is wrong with them; and their truth."""

from __future__ import annotations

import fnmatch
import shutil
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from knowflow.ground.errors import DataNotFoundError, DocumentError
from knowflow.model.template import Scene, SceneLayer
from knowflow.testing.scenes import write_scene
from knowflow_bench.tasks.task_file import BenchmarkFile, Damage, Sample
from knowflow_bench.truth import Fields, fields_of


def write_data(
    file: BenchmarkFile,
    name: str,
    folder: Path,
    *,
    altered: Mapping[str, Mapping[str, Any]] | None = None,
    added: Sequence[SceneLayer] = (),
    damage: Sequence[Damage] = (),
    real: Path | None = None,
) -> None:
    """Write the scene or sample of a name into a folder, altered and damaged as said.

    Raises:
        DataNotFoundError: the sample is of a folder that was not given, or is not there.
    """
    if name in file.samples:
        _write_sample(file.samples[name], folder, real)
    else:
        write_scene(with_changes(file.scenes[name], altered or {}, added), folder)
    for one in damage:
        _damage(one, folder)


def with_changes(scene: Scene, altered: Mapping[str, Mapping[str, Any]], added: Sequence[SceneLayer]) -> Scene:
    """The scene with keys of its layers replaced, and further layers beside them."""
    layers = [
        SceneLayer.model_validate({**layer.model_dump(), **altered.get(layer.name, {})}) for layer in scene.layers
    ]
    return scene.model_copy(update={"layers": (*layers, *added)})


def true_fields(file: BenchmarkFile, name: str, added: Sequence[SceneLayer] = (), real: Path | None = None) -> Fields:
    """What truths about a scene or sample can speak of: the scene as it was, before anything went wrong with it."""
    if name in file.samples:
        return _sample_fields(file.samples[name], real)
    return fields_of(with_changes(file.scenes[name], {}, added))


def needs_folder(file: BenchmarkFile, name: str) -> bool:
    """Whether data can only come from a folder that the caller gives."""
    return name in file.samples and file.samples[name].sample == "folder"


def _write_sample(sample: Sample, folder: Path, real: Path | None) -> None:
    from knowflow.testing.demo_sample import write_sentinel2_sample, write_terrain_sample

    if sample.sample == "sentinel2":
        write_sentinel2_sample(folder)
    elif sample.sample == "terrain":
        write_terrain_sample(folder)
    else:
        for path in _real_files(sample, real):
            target = folder / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def _real_files(sample: Sample, real: Path | None) -> list[Path]:
    found = [] if real is None else sorted(path for pattern in sample.files for path in real.glob(pattern))
    if not found:
        raise DataNotFoundError(
            "the data of the task are not there",
            where=str(real),
            expected=", ".join(sample.files),
            found="nothing",
            hint="`--data DIR` names the folder of real data",
        )
    return found


def _sample_fields(sample: Sample, real: Path | None) -> Fields:
    """Raw arrays, read without any tool."""
    if sample.sample == "sentinel2":
        return Fields({"S2": _sentinel2()}, pixel_area=100.0)
    if sample.sample == "terrain":
        return Fields({"dem": _elevation()})
    return _of_folder(_real_files(sample, real))


def _sentinel2() -> dict[str, Any]:
    import importlib.resources
    import json

    text = importlib.resources.files("spyndex").joinpath("data/S2_10m.json").read_text()
    bands = np.asarray(json.loads(text), dtype=np.float64) / 10_000
    return dict(zip(("blue", "green", "red", "nir"), bands, strict=True))


def _elevation() -> Any:
    import importlib.resources

    path = importlib.resources.files("matplotlib").joinpath("mpl-data/sample_data/jacksboro_fault_dem.npz")
    with path.open("rb") as stream, np.load(stream) as archive:
        return archive["elevation"].astype(np.float64)


def _of_folder(paths: Sequence[Path]) -> Fields:
    """Rasters by the first word of their names, in the order of the names, which begins with the date."""
    import rasterio

    images: dict[str, list[Any]] = {}
    days: dict[str, list[str]] = {}
    area = float("nan")
    for path in paths:
        if path.suffix != ".tif":
            continue
        words = path.stem.split("_")
        with rasterio.open(path) as file:
            pixels = file.read(1).astype(np.float64)
            if file.nodata is not None:
                pixels[pixels == file.nodata] = np.nan
            area = abs(file.transform.a * file.transform.e)
        layer = "_".join((words[0], *words[2:]))
        images.setdefault(layer, []).append(pixels)
        if len(words) > 1:
            days.setdefault(layer, []).append(words[1][:10])
    layers = {name: np.stack(found) if name in days else found[0] for name, found in images.items()}
    return Fields(layers, {name: tuple(found) for name, found in days.items()}, area)


def _damage(damage: Damage, folder: Path) -> None:
    if damage.write is not None:
        (folder / damage.files).write_text(damage.write, encoding="utf-8")
        return
    files = sorted(path for path in folder.iterdir() if fnmatch.fnmatch(path.name, damage.files))
    if not files:
        raise DocumentError("there is no file to damage", expected="a file", found=damage.files)
    for path in files:
        if damage.copy_as is not None:
            shutil.copyfile(path, folder / damage.copy_as)
        if damage.forget:
            _forget(path, damage.forget)
        if damage.cut:
            content = path.read_bytes()
            path.write_bytes(content[: len(content) // 2])
        if damage.remove:
            path.unlink()


def _forget(path: Path, what: Sequence[str]) -> None:
    """Write a raster again without parts of its header; its pixels stay as they are stored."""
    import rasterio

    with rasterio.open(path) as file:
        profile, pixels = dict(file.profile), file.read()
        tags, description = file.tags(), file.descriptions[0]
    if "crs" in what:
        profile.pop("crs")
        profile.pop("transform")
    if "nodata" in what:
        profile["nodata"] = None
    if "scale" in what:
        tags = {name: value for name, value in tags.items() if name not in ("SCALE", "OFFSET")}
    if "tags" in what:
        tags = {}
    path.unlink()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)  # that is what is wanted
        with rasterio.open(path, "w", **profile) as file:
            file.write(pixels)
            file.update_tags(**tags)
            if description is not None and "tags" not in what:
                file.set_band_description(1, description)
