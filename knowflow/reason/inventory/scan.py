"""Taking the inventory of a folder: every file's facts from header, tags, companions and name, in this precedence."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePath
from typing import Any

from knowflow.ground.bands import band as sensor_band
from knowflow.ground.errors import DataNotFoundError, UnreadableDataError
from knowflow.ground.files import in_place_of_file
from knowflow.ground.opening import TRUST_VARIABLE, told_elsewhere, trusted
from knowflow.ground.quantities import quantity_kinds
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.dataset import DATASET_FILE
from knowflow.model.facts import Facts, Origin, SharedFacts
from knowflow.model.goal import Period
from knowflow.reason.inventory.amounts import as_amounts, with_months_told
from knowflow.reason.inventory.assume import Assumption, apply_assumptions, parse_assumptions
from knowflow.reason.inventory.band_names import with_band_facts
from knowflow.reason.inventory.columns_noted import with_columns_noted
from knowflow.reason.inventory.companions import Companions
from knowflow.reason.inventory.crs_beside import with_crs_beside
from knowflow.reason.inventory.dates import period_of
from knowflow.reason.inventory.described import said_by_folders
from knowflow.reason.inventory.drafts import Draft, Read, draft_of, drafts_of, not_chosen_from
from knowflow.reason.inventory.evidence import Candidate, weigh
from knowflow.reason.inventory.folder_dates import folder_dates
from knowflow.reason.inventory.georeference import require_one_place
from knowflow.reason.inventory.header import read_artifact, read_bands, read_table_of_series, type_of
from knowflow.reason.inventory.inventory import Inventory
from knowflow.reason.inventory.kept_inventory import KeptInventory
from knowflow.reason.inventory.landsat_beside import with_landsat_beside
from knowflow.reason.inventory.legends_beside import with_class_names
from knowflow.reason.inventory.legends_of_products import with_legends_of_products
from knowflow.reason.inventory.levels import with_levels, with_sensors
from knowflow.reason.inventory.lore import load_lore
from knowflow.reason.inventory.names import name_facts, plain_stem
from knowflow.reason.inventory.noted import NOTES
from knowflow.reason.inventory.remembered import Identity, Remembered, stamps_of
from knowflow.reason.inventory.seen_values import judged_by_values
from knowflow.reason.inventory.selection import selected
from knowflow.reason.inventory.sibling_dates import with_dates_beside
from knowflow.reason.inventory.siblings import candidates_by_siblings, with_regions_settled
from knowflow.reason.inventory.told_bands import OF_BANDS
from knowflow.reason.inventory.usual_units import PURE_NUMBER

STORE_SUFFIX = ".zarr"
_SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules", "__MACOSX"})
_OF_TEMPERATURES = "temperature_difference"
_OF_SOME_BAND = 0.4  # what speaks for the quantity of a file of which nobody knows which band is meant
_WHY_UNREAD = " lie on other grids than its largest variables, and are not read"
_HIDDEN = (".", "~$")  # the last, of who has a workbook open
_READERS = min(8, 2 * (os.cpu_count() or 1))


def take_inventory(
    folder: Path,
    *,
    assume: Mapping[str, Any] | Iterable[str] = (),
    dates: Period | tuple[str | None, str | None] | str | None = None,
    aoi: geo.Box | None = None,
) -> Inventory:
    """The inventory of a folder and what is below it, or of a single file.

    ``assume`` holds the user's ``--assume`` facts, ``dates`` an inclusive period (``2020-01-01/2020-12-31``), ``aoi``
    west, south, east, north in degrees; what has no date or no known extent is kept. Hidden files are passed over.

    Raises ``DataNotFoundError`` for a folder that is missing, empty, or holds nothing usable, and the errors of
    ``parse_assumptions`` and ``period_of``.
    """
    folder = Path(folder)
    given = parse_assumptions(assume)
    period = (dates.start, dates.end) if isinstance(dates, Period) else period_of(dates)
    every = _files(folder)
    if not folder.is_dir():
        return _taken(folder, every, stamps_of(every), given, period, aoi)[0]
    stamps = stamps_of(every)
    kept = KeptInventory(folder, stamps, (given, period, aoi))
    found = kept.told()
    if found is None:
        found, read, remembered = _taken(folder, every, stamps, given, period, aoi)
        kept.keep(found, read, remembered)
    return found


def _taken(
    folder: Path,
    every: list[Path],
    stamps: Mapping[Path, tuple[Identity, ...]],
    given: tuple[Assumption, ...],
    period: tuple[str | None, str | None],
    aoi: geo.Box | None,
) -> tuple[Inventory, list[Path], set[Path]]:
    """The inventory of some files, which of them are data, and of which of these the headers are remembered."""
    named = [path for path in every if _as_text(str(path)) == str(path)]
    no_files = {path: other for path in named if (other := in_place_of_file(path)) is not None}
    files = [path for path in named if path not in no_files]
    root = folder if folder.is_dir() else folder.parent
    assumptions = (*said_by_folders(named), *given)
    companions = Companions(files, root)
    own = [path for path in files if not companions.describes(path)]
    load_lore()
    read = [path for path in own if type_of(path) is not None]
    drafts, unreadable, remembered = _read_all(read, stamps, root, companions, assumptions)
    unreadable += [(_shown(Path(path), root), reason) for path, reason in companions.unreadable.items()]
    unreadable += [(_shown(path, root), _instead(path, other)) for path, other in no_files.items()]
    no_text = "its path is no text in UTF-8: rename it"
    unreadable += [(_as_text(_shown(path, root)), no_text) for path in every if _as_text(str(path)) != str(path)]
    found = _assembled(str(root), drafts, assumptions)
    meant = [not_chosen_from(item) for item in found.artifacts]
    chosen = selected((item for item, _ in meant), *period, aoi)

    def shown(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """Paths as seen from the folder, what is said of them, too."""
        return tuple((_shown(Path(path), root), said.replace(f"{root}{os.sep}", "")) for path, said in pairs)

    left_open = {**found.open}
    for before, (after, told) in zip(found.artifacts, meant, strict=True):
        if told and (known := before.known("quantity")) is not None:
            place = (str(after.path), after.band)
            candidate = Candidate("quantity", known.value, (known.source,), _OF_SOME_BAND)
            left_open[place] = (candidate, *left_open.get(place, ()))
    for key, more in candidates_by_siblings(chosen.artifacts).items():
        left_open[key] = (*left_open.get(key, ()), *more)
    judged = judged_by_values(
        with_levels(with_sensors(with_landsat_beside(with_class_names(chosen.artifacts, files))), left_open),
        left_open,
        root,
    )
    alike = SharedFacts()
    maps = with_legends_of_products(with_columns_noted(with_crs_beside(judged.artifacts), files))
    artifacts = tuple(item.with_facts(alike.of(item.facts)) for item in maps)
    legends = {(PurePath(str(item.path)).parent, said.source) for item in artifacts if (said := item.known("classes"))}
    unknown = [path for path in own if type_of(path) is None and (path.parent, path.name) not in legends]
    inventory = replace(
        found,
        artifacts=artifacts,
        unknown=tuple((_shown(path, root), _no_data(path)) for path in unknown),
        unreadable=tuple(unreadable),
        copies=shown(chosen.copies),
        replaced=chosen.replaced,
        left_out=shown(chosen.left_out),
        disagreements=(
            *found.disagreements,
            *filter(None, (said for _, said in meant)),
            *judged.notes,
            *_told_of_trust(own, root),
        ),
        open=with_dates_beside(artifacts, judged.open, root),
    )
    if not inventory.artifacts:
        raise _nothing_usable(folder, found, inventory)
    return inventory, read, remembered


def inventory_of_names(names: Iterable[str], *, assume: Mapping[str, Any] | Iterable[str] = ()) -> Inventory:
    """The inventory that file names alone give; no file is opened, and none needs to exist."""
    assumptions = parse_assumptions(assume)
    load_lore()
    drafts: list[Read] = []
    unknown: list[tuple[str, str]] = []
    listed = list(names)
    beside = cache(lambda: folder_dates(plain_stem(path) for path in listed))
    for path in listed:
        place = PurePath(path)
        type = type_of(place)
        if type is None:
            unknown.append((path, _no_data(place)))
            continue
        name = name_facts(path, folders="" if place.is_absolute() else str(place.parent), beside=beside)
        artifact = Artifact(type=type, facts=name.facts, name=place.stem, path=path)
        drafts.append((Draft(artifact, name, name.clues), ()))
    found = _assembled("", drafts, assumptions)
    return replace(found, unknown=tuple(unknown))


def read_file(path: Path, assumptions: tuple[Assumption, ...] = ()) -> Artifact:
    """One file, whole, as questions about its folder see it: with what its name and the files beside it say.

    Raises as ``read_artifact``.
    """
    around = _around(path)
    assumptions = (*said_by_folders(around), *assumptions)
    companions, artifact = Companions(around, path.parent), read_artifact(path)
    _require_one_place(path, artifact, companions, assumptions)
    draft = draft_of(path, artifact, companions)
    found = _assembled(str(path.parent), [draft], assumptions).artifacts
    judged = judged_by_values(with_class_names(found, _around(path)), {}, path.parent).artifacts
    return next(with_legends_of_products(judged))


def read_dates(path: Path, assumptions: tuple[Assumption, ...] = ()) -> tuple[Artifact, ...]:
    """The layers of one file that is a stack in time, in their order; of any other the file, whole.

    Raises as ``read_artifact``.
    """
    whole = read_file(path, assumptions)
    if whole.type != "raster" or (whole.fact("count") or 1) < 2:
        return (whole,)
    around = _around(path)
    assumptions = (*said_by_folders(around), *assumptions)
    layers = list(drafts_of(path, read_bands(path), Companions(around, path.parent), assumptions))
    found = _assembled(str(path.parent), layers, assumptions).artifacts
    return found if len({item.fact("datetime") for item in found} - {None}) == len(found) > 1 else (whole,)


def _around(file: Path) -> list[Path]:
    """The files in the folder of one, in a stable order."""
    return sorted(path for path in file.parent.iterdir() if path.is_file())


def _told_of_trust(paths: list[Path], root: Path) -> Iterator[str]:
    """What is read beside the files themselves, because somebody said that they are trusted."""
    for path in paths if trusted() else ():
        for elsewhere in told_elsewhere(path):
            yield f"{_shown(path, root)}: {elsewhere}; it is read, because the data are trusted ({TRUST_VARIABLE})"


def _files(folder: Path) -> list[Path]:
    """Every file that is not hidden, in a stable order."""
    if folder.exists() and not folder.is_dir():
        beside = (path for path in folder.parent.iterdir() if path.suffix.casefold() == ".json")
        own = folder.parent / DATASET_FILE
        return sorted({folder, *beside, *([own] if own.is_file() else [])})
    if not folder.is_dir():
        raise DataNotFoundError(
            "the data folder does not exist",
            where=str(folder),
            expected="a folder of files",
            found="nothing of that name",
            hint="check the path given with --data",
        )
    files: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=_refuse_folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED_FOLDERS)
        files += [Path(place, name) for name in sorted(names) if not name.startswith(_HIDDEN)]
        files += [Path(place, name) for name in folders if name.endswith(STORE_SUFFIX)]
        folders[:] = [name for name in folders if not name.endswith(STORE_SUFFIX)]
    if not files:
        raise DataNotFoundError(
            "the data folder is empty",
            where=str(folder),
            expected="rasters, vectors or tables",
            found="no files",
            hint="check the path given with --data",
        )
    return files


def _as_text(path: str) -> str:
    """A path with ? for bytes that are no UTF-8, which GDAL and the records of runs cannot take."""
    return path.encode("utf-8", "replace").decode("utf-8")


def _refuse_folder(error: OSError) -> None:
    raise UnreadableDataError(
        "a folder cannot be read",
        where=str(error.filename),
        expected="permission to list it",
        found=error.strerror or str(error),
        hint="check its permissions",
    ) from error


def _no_data(path: PurePath) -> str:
    if path.suffix.casefold() in NOTES:
        return "a note, read for what it says of files, columns, classes and words"
    return f"not a raster, vector or table that we read ({path.suffix or 'no ending'})"


def _instead(path: Path, other: str) -> str:
    """What is told of something that stands in place of a file."""
    if path.suffix == STORE_SUFFIX:
        return f"it is a Zarr store, which is a source of its own: --data {path}"
    return f"it is {other}"


def _shown(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def _require_one_place(
    path: Path, artifact: Artifact, companions: Companions, assumptions: tuple[Assumption, ...]
) -> None:
    """Raises ``UnreadableDataError`` for a raster that is placed differently by the files that say where it lies."""
    if artifact.type == "raster":
        described = companions.place(path)
        require_one_place(path, artifact, () if described is None else (described,), assumptions)


def _read_all(
    paths: list[Path],
    stamps: Mapping[Path, tuple[Identity, ...]],
    root: Path,
    companions: Companions,
    assumptions: tuple[Assumption, ...],
) -> tuple[list[Read], list[tuple[str, str]], set[Path]]:
    """Drafts in the order of the paths with the disagreements of each, what could not be read, and of which files the
    headers are remembered."""
    remembered = Remembered(stamps)
    known: dict[Path, tuple[Artifact, ...] | UnreadableDataError] = {**remembered.known(paths)}
    news = dict(_opened([path for path in paths if path not in known]))
    lasting = remembered.remember(
        {path: found for path, found in news.items() if not isinstance(found, UnreadableDataError)}
    )
    drafts: list[Read] = []
    unreadable: list[tuple[str, str]] = []
    for path in paths:
        found = news.get(path) or known[path]
        try:
            if isinstance(found, UnreadableDataError):
                raise found
            if not remembered.alone(path) or companions.place(path) is not None:
                _require_one_place(path, found[0], companions, assumptions)
            drafts += drafts_of(path, found, companions, assumptions)
        except UnreadableDataError as error:
            unreadable.append((_shown(path, root), f"{error.message.removeprefix(path.name).lstrip()}: {error.found}"))
    return drafts, unreadable, {*known, *lasting}


def _opened(paths: list[Path]) -> Iterator[tuple[Path, tuple[Artifact, ...] | UnreadableDataError]]:
    """What the header of each file says, several of them read at once."""
    if not paths:
        return
    import pyproj  # noqa: F401  before the threads import it: where several do so at once, one may see half of it

    def read(path: Path) -> tuple[Artifact, ...] | UnreadableDataError:
        try:
            return read_bands(path) if type_of(path) == "raster" else (read_artifact(path),)
        except UnreadableDataError as error:
            table = read_table_of_series(path)
            return error if table is None else (table,)

    # filters of warnings belong to the process: set them before the threads do
    with warnings.catch_warnings(), ThreadPoolExecutor(_READERS) as pool:
        warnings.simplefilter("ignore")
        yield from zip(paths, pool.map(read, paths), strict=True)


def _assembled(root: str, drafts: list[Read], assumptions: tuple[Assumption, ...]) -> Inventory:
    sensors = _sensors_of_products([draft for draft, _ in drafts])
    artifacts = []
    still_open: dict[tuple[str, int | None], tuple[Candidate, ...]] = {}
    unused = list(assumptions)
    for draft, _ in drafts:
        facts = draft.artifact.facts
        sensor = sensors.get(_product_key(draft)) if sensors else None
        own = facts.value("band")
        if sensor is not None and "sensor" not in facts and own is not None and sensor_band(sensor, str(own)):
            source = "other files of the same product, region and date"
            facts = facts.put("sensor", sensor, Origin.DECLARED, source)
        settled, left = weigh(draft.clues)
        artifact = draft.artifact.with_facts(facts.over(settled))
        if left:
            still_open[str(artifact.path), artifact.band] = left
        if artifact.type == "raster":
            artifact = artifact.with_facts(with_band_facts(artifact.facts))
        unused = [one for one in unused if not one.applies_to(artifact)]
        artifact = apply_assumptions(artifact, assumptions)
        artifacts.append(artifact.with_facts(_with_unit_of_pure_numbers(artifact.facts)))
    notes = [text for _, texts in drafts for text in texts]
    notes += [
        f"{PurePath(str(one.path)).name}: {unread}{_WHY_UNREAD if one.type == 'raster' else ''}"
        for one in artifacts
        if (unread := one.fact("unread")) is not None
    ]
    notes += [f"{one.source} {one} changes nothing: {_why_unused(one, artifacts)}" for one in unused]
    left_open = {
        (str(item.path), item.band): left
        for item in artifacts
        if (left := tuple(one for one in still_open.get((str(item.path), item.band), ()) if one.fact not in item.facts))
    }
    return Inventory(
        root, as_amounts(with_months_told(with_regions_settled(artifacts))), disagreements=tuple(notes), open=left_open
    )


def _why_unused(assumption: Assumption, artifacts: Iterable[Artifact]) -> str:
    counts = {item.fact("count") for item in artifacts if assumption.names(item)} - {None}
    if counts and assumption.fact in OF_BANDS:
        return f"the files of that name have {' or '.join(map(str, sorted(counts)))} bands"
    if assumption.files is not None:
        return f"no file is called {assumption.files}"
    if assumption.fact == "unit":
        return f"no file without one is of a quantity told in {assumption.value}"
    return f"the files say it themselves (against them: *:{assumption.fact}=...)"


def _with_unit_of_pure_numbers(facts: Facts) -> Facts:
    """Quantities without a dimension need nobody to state their unit, and a difference of so many degrees Celsius is
    one of as many kelvin."""
    quantity = facts.value("quantity")
    unit = facts.get("unit")
    if quantity == _OF_TEMPERATURES and unit is not None and unit.value == "degC":
        return facts.without(("unit",)).put("unit", "K", unit.origin, f"{unit.source}, a difference of as many kelvin")
    kind = None if quantity is None or "unit" in facts else quantity_kinds().get(str(quantity))
    if kind is None or kind.unit != "1" or kind.borrows_unit:
        return facts
    return facts.put("unit", "1", Origin.DECLARED, f"{quantity} {PURE_NUMBER}")


def _product_key(draft: Draft) -> tuple[Any, ...]:
    facts = draft.artifact.facts
    folder = os.path.dirname(draft.artifact.path or "")
    return draft.name.family, folder, facts.value("region"), str(facts.value("datetime"))[:10]


def _sensors_of_products(drafts: list[Draft]) -> dict[tuple[Any, ...], str]:
    """The sensor of each product, region and date of which some file names it and none names another."""
    named: dict[tuple[Any, ...], set[str]] = {}
    for draft in drafts:
        if draft.name.family is None:
            continue
        sensor = draft.artifact.fact("sensor")
        if sensor is not None:
            named.setdefault(_product_key(draft), set()).add(str(sensor))
    return {key: sensors.pop() for key, sensors in named.items() if len(sensors) == 1}


def _nothing_usable(folder: Path, found: Inventory, inventory: Inventory) -> DataNotFoundError:
    if found.artifacts:
        return DataNotFoundError(
            "no data in the folder lie in the period and area asked for",
            where=str(folder),
            expected="data that overlap --dates and --aoi",
            found=found.summary(),
            hint="widen --dates or --aoi",
        )
    listed = [f"{path}: {reason}" for path, reason in (*inventory.unreadable, *inventory.unknown)]
    return DataNotFoundError(
        "the folder holds no data that can be read",
        where=str(folder),
        expected="rasters, vectors or tables",
        found="; ".join(listed[:5]) + (f"; and {len(listed) - 5} more" if len(listed) > 5 else ""),
        hint="check the path given with --data, and that the files are complete",
    )
