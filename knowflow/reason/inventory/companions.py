"""Files that describe other files: STAC items, requests to Sentinel Hub, Landsat MTL, Sentinel-2 product metadata, and
parts of formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from knowflow.ground.errors import UnreadableDataError
from knowflow.model.dataset import DATASET_FILE
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory import landsat_mtl, sentinel_hub, sentinel_safe, stac
from knowflow.reason.inventory.folder_dates import FolderDates, folder_dates
from knowflow.reason.inventory.georeference import Place
from knowflow.reason.inventory.names import NameFacts, places_told, plain_stem, told_beside
from knowflow.reason.inventory.noted import LEVEL_2, words_noted
from knowflow.reason.inventory.product_beside import Beside

# parts of other files: statistics, overviews, world files, the parts of a shapefile
_PARTS = re.compile(
    r".*\.(aux\.xml|ovr|msk|tfw|tifw|jgw|pgw|wld|j2w|dbf|shx|prj|cpg|sbn|sbx|qix|qmd|qml|hdr|gpkg-(wal|shm)|lock)",
    re.IGNORECASE,
)
_LANDSAT_PARTS = re.compile(r"L[COTE]0[4-9]_.*\.(txt|xml|json)", re.IGNORECASE)
# the names that images of Sentinel-2 products have, in the product's folder and outside of it
_SENTINEL_2 = frozenset({"sentinel2_image", "sentinel2_band"})


class Companions:
    """The descriptive files of a folder, each read once, when a file it describes asks."""

    def __init__(self, files: Iterable[Path], root: Path) -> None:
        self._root = root
        self._files = tuple(files)
        self._dates: FolderDates | None = None
        self._products: dict[Path, Beside] = {}
        self.unreadable: dict[str, str] = {}
        self._safe_files: dict[Path, Path] = {}
        self._tiles: dict[Path, Path] = {}
        self._sun: dict[Path, Facts] = {}
        self._mtl_files: dict[tuple[Path, str], Path] = {}
        self._renamed_mtl: dict[Path, list[Path]] = {}
        self._json: list[Path] = []
        self._safe: dict[Path, sentinel_safe.SafeMetadata | None] = {}
        self._mtl: dict[Path, landsat_mtl.Groups | None] = {}
        for path in self._files:
            product = landsat_mtl.METADATA.fullmatch(path.name)
            folder = sentinel_safe.safe_folder(path)
            if product:
                # one form is enough; JSON is the strictest
                key = (path.parent, product["product"].upper())
                if key not in self._mtl_files or path.suffix.casefold() == ".json":
                    self._mtl_files[key] = path
            elif landsat_mtl.ALONE.fullmatch(path.name):
                self._renamed_mtl.setdefault(path.parent, []).append(path)
            elif sentinel_safe.METADATA.fullmatch(path.name) and folder in (None, path.parent):
                self._safe_files[path.parent] = path
            elif folder is not None and path.name == sentinel_safe.TILE_METADATA:
                self._tiles[path.parent] = path
            elif path.suffix.casefold() == ".json":
                self._json.append(path)
        self._assets = self._read_items()

    def _read_items(self) -> Mapping[tuple[Path, str], tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
        """(Folder, file name) -> the item's name, the item and the asset that describe it."""
        found = {}
        self._described = set()
        self._requests: dict[Path, list[tuple[str, Mapping[str, Any]]]] = {}
        self._told_of: dict[Path, list[str]] = {}
        for path in self._json:
            item = stac.read_item(path)
            if item is None:
                if (request := sentinel_hub.read_request(path)) is not None:
                    self._described.add(path)
                    self._requests.setdefault(path.parent, []).append((path.name, request))
                continue
            self._described.add(path)
            self._told_of.setdefault(path.parent, []).append(stac.names_of(item))
            for name, asset in stac.assets_by_file(item).items():
                found[(path.parent, name)] = (path.name, item, asset)
        return found

    def describes(self, path: Path) -> bool:
        """Whether a file is a companion: it holds no data of its own and is no surprise."""
        if (
            path.name == DATASET_FILE
            or _PARTS.fullmatch(path.name)
            or _LANDSAT_PARTS.fullmatch(path.name)
            or path in self._described
            or path in self._renamed_mtl.get(path.parent, ())
        ):
            return True
        if self._safe_files.get(path.parent) == path:
            return True
        if sentinel_safe.safe_folder(path) is not None:
            return not sentinel_safe.is_image(path)
        return path.suffix.casefold() == ".json" and stac.is_catalogue(path)

    def folders_of(self, path: Path) -> str:
        """The folders between the inventory's own and a file; the names of the only item in a folder say of its files
        what its own name would."""
        folders = path.parent.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else ""
        told = self._told_of.get(path.parent, ())
        return f"{folders}/{told[0]}" if len(told) == 1 else folders

    def dates(self) -> FolderDates:
        """What the names of all files and folders, that of the whole too, tell of dates of several readings."""
        if self._dates is None:
            own = (path.relative_to(self._root) if path.is_relative_to(self._root) else path for path in self._files)
            parts = [(path.parts[:-1], plain_stem(path.name)) for path in own]
            folders = dict.fromkeys((self._root.name, *(folder for above, _ in parts for folder in above)))
            self._dates = folder_dates(dict.fromkeys(name for _, name in parts), folders)
        return self._dates

    def products(self, folder: Path) -> Beside:
        """What the names of the files in a folder tell of products."""
        if not self._products:
            stems: dict[Path, list[str]] = {}
            for path in self._files:
                stems.setdefault(path.parent, []).append(plain_stem(path.name))
            places = places_told((stem for some in stems.values() for stem in some), self._root.name)
            noted = self._noted()
            self._products = {
                place: replace(told_beside(some), places=places, noted=noted(place)) for place, some in stems.items()
            }
        return self._products.get(folder, Beside())

    def _noted(self) -> Callable[[Path], frozenset[str]]:
        """What is written down of each folder, or else of that which it lies in."""
        files: dict[Path, list[Path]] = {}
        for path in self._files:
            files.setdefault(path.parent, []).append(path)
        own = {place: words_noted(some, self._root.name) for place, some in files.items()}
        return lambda place: frozenset().union(*(own.get(above, ()) for above in (place, *place.parents)))

    def facts(self, path: Path, name: NameFacts, band: int | None) -> Facts:
        """What companions declare of a file, or of one band of it."""
        found = Facts()
        entry = self._assets.get((path.parent, path.name))
        if entry is not None:
            source, item, asset = entry
            found = stac.item_facts(item, asset, band, source)
        if len(requests := self._requests.get(path.parent, [])) == 1:
            source, request = requests[0]
            found = found.over(sentinel_hub.request_facts(request, band, f"request {source}"))
        folder = self._product_folder(path, name)
        if folder is None and name.product in _SENTINEL_2 and name.groups.get("band"):
            found = found.over(sentinel_safe.by_baseline(path))
        if folder is not None:
            metadata = self._safe_metadata(folder)
            if metadata is not None:
                found = found.over(metadata.facts(name.groups.get("band"), name.groups.get("layer")))
            found = found.over(self._over_tile(path))
        return found.over(self._landsat(path, name))

    def _product_folder(self, path: Path, name: NameFacts) -> Path | None:
        """The folder of the Sentinel-2 product that a file belongs to: a ``.SAFE``, or one that holds its metadata."""
        folder = sentinel_safe.safe_folder(path)
        if folder is not None or name.product not in _SENTINEL_2:
            return folder
        return next((parent for parent in path.parents if parent in self._safe_files), None)

    def place(self, path: Path) -> Place | None:
        """Where a file lies by the item that describes it."""
        entry = self._assets.get((path.parent, path.name))
        if entry is None:
            return None
        source, item, asset = entry
        return Place(source, *stac.placed(item, asset))

    def _safe_metadata(self, folder: Path) -> sentinel_safe.SafeMetadata | None:
        if folder not in self._safe:
            try:
                self._safe[folder] = sentinel_safe.SafeMetadata(folder, self._safe_files.get(folder))
            except UnreadableDataError as error:
                self.unreadable[str(error.where)] = f"{error.message}: {error.found}"
                self._safe[folder] = None
        return self._safe[folder]

    def _over_tile(self, path: Path) -> Facts:
        """Where the sun stood over the granule that an image belongs to."""
        metadata = next((self._tiles[parent] for parent in path.parents if parent in self._tiles), None)
        if metadata is None:
            return Facts()
        if metadata not in self._sun:
            try:
                self._sun[metadata] = sentinel_safe.sun_facts(metadata)
            except UnreadableDataError as error:
                self.unreadable[str(metadata)] = f"{error.message}: {error.found}"
                self._sun[metadata] = Facts()
        return self._sun[metadata]

    def _landsat(self, path: Path, name: NameFacts) -> Facts:
        metadata = self._mtl_files.get((path.parent, name.groups.get("granule", "").upper()))
        groups = name.groups
        if metadata is None and _is_of_landsat(name):
            groups = {"band": str(name.facts.value("band")), "layer": str(name.facts.value("band"))}
            day = str(name.facts.value("datetime") or "")
            others = [one for one in self._renamed_mtl.get(path.parent, ()) if self._is_of(day, one, groups)]
            metadata = others[0] if len(others) == 1 else None
        if metadata is None and _is_of_landsat(name) and LEVEL_2 in self.products(path.parent).noted:
            return Facts.of(Origin.ASSUMED, "notes beside it", level="L2")
        if metadata is None:
            return Facts()
        return self._told_by_mtl(metadata, groups)

    def _is_of(self, day: str, metadata: Path, groups: Mapping[str, str]) -> bool:
        """Whether metadata may be of a scene of a day, which a name may not tell."""
        acquired = str(self._told_by_mtl(metadata, groups).value("datetime") or "")
        return acquired[: len(day)] == day[: len(acquired)]

    def _told_by_mtl(self, metadata: Path, groups: Mapping[str, str]) -> Facts:
        if metadata not in self._mtl:
            try:
                self._mtl[metadata] = landsat_mtl.read_mtl(metadata)
            except UnreadableDataError as error:
                self.unreadable[str(metadata)] = f"{error.message}: {error.found}"
                self._mtl[metadata] = None
        read = self._mtl[metadata]
        return Facts() if read is None else landsat_mtl.mtl_facts(read, groups, metadata.name)


def _is_of_landsat(name: NameFacts) -> bool:
    """Whether a name tells a band of Landsat and no level."""
    facts = name.facts
    of_it = str(facts.value("sensor")).startswith("landsat") and facts.value("band") is not None
    return of_it and not {"level", "quantity"} & facts.keys()
