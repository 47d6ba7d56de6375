"""One source gathered into a folder: what is linked, referred to, or copied whole."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from knowflow.ground.errors import PlanningError, UnreadableDataError
from knowflow.ground.json_text import json_text
from knowflow.ground.references import State, shown, sources_home
from knowflow.ground.report import Problem
from knowflow.model import geo
from knowflow.reason.inventory.header import type_of
from knowflow.service.sources.agreement import disagreements
from knowflow.service.sources.images import Piece, images_of
from knowflow.service.sources.items import Asset, assets_of, described, distinct, solar_day
from knowflow.service.sources.named import Source, listed_in, source_of
from knowflow.service.sources.searching import items_in, searched
from knowflow.tools.remote.headers import header_of, refer, refer_to, window_of
from knowflow.tools.remote.secrets import asked, keep
from knowflow.tools.remote.vsi import download, listed, state_of
from knowflow.tools.remote.web import linked

T = TypeVar("T")
A = TypeVar("A")
_AT_ONCE = 16
BY_TILES = frozenset({".tif", ".tiff", ".jp2"})
BY_PARTS = frozenset({".nc", ".nc4", ".cdf", ".h5", ".hdf5", ".he5"})
_BESIDE = frozenset({".json", ".xml", ".txt", ".qml", ".dbf", ".shx", ".cpg", ".yaml"})
_LARGEST_BESIDE = 8 << 20
_MOST_OBJECTS = 50_000
_Period = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class Gathered:
    """The objects elsewhere that a folder rests on, by address, and what is told of it."""

    objects: Mapping[str, State]
    notes: list[str]

    def with_more(self, other: Gathered) -> Gathered:
        return Gathered({**self.objects, **other.objects}, [*self.notes, *other.notes])


def at_once(work: Callable[[A], T], things: Iterable[A]) -> list[T]:
    """What a function that waits for others gives of each thing, many at a time, in their order."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(work, things))


def gathered(source: Source, folder: Path, extent: geo.Box | None, period: _Period) -> Gathered:
    """Put a source into a folder.

    Raises: as :func:`knowflow.service.sources.places.local`.
    """
    if source.kind == "local":
        return _linked_tree(Path(source.address), folder)
    if source.kind == "list":
        return _of_list(source, folder, extent, period)
    if source.kind == "catalogue":
        keys = tuple(filter(None, source.narrowed.get("assets", "").split(",")))
        return _of_items(searched(source, extent, period), source.address, keys, folder, extent, period)
    if source.kind == "items":
        return _of_items(items_in(source), source.address, (), folder, extent, period)
    if source.kind == "zarr":
        from knowflow.service.sources.cubes import of_zarr

        state = of_zarr(source.address, folder, extent, period)
        return Gathered({source.address: state} if source.elsewhere else {}, [])
    if source.kind == "object":
        name = os.path.basename(urlsplit(source.address).path)
        return _of_objects({keep(source.address): name}, folder, extent, period)
    found = listed(source.address) if source.kind == "objects" else linked(source.address)
    start = len(source.address.rstrip("/")) + 1
    return _of_objects({one: unquote(one[start:]) for one in found}, folder, extent, period)


def _linked_tree(place: Path, folder: Path) -> Gathered:
    """Links to the files of a folder, or to one file and what stands beside it under its name."""
    if place.is_dir():
        files = {one: one.relative_to(place) for one in place.rglob("*") if one.is_file()}
        files = {one: name for one, name in files.items() if not any(part.startswith(".") for part in name.parts)}
    else:
        files = {one: Path(one.name) for one in place.parent.glob(f"{place.stem}.*") if one.is_file()}
    for path, name in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.is_symlink():
            target.symlink_to(path.resolve())
    return Gathered({}, [])


def _of_list(source: Source, folder: Path, extent: geo.Box | None, period: _Period) -> Gathered:
    """What a list names: files by their names, addresses together, and whatever else may be a source."""
    found = Gathered({}, [])
    objects: dict[str, str] = {}
    for text in listed_in(source):
        one = source_of(text)
        if one.kind == "object":
            name = unquote(os.path.basename(urlsplit(text).path))
            taken = name in objects.values()
            objects[keep(text)] = f"{len(objects) + 1}/{name}" if taken else name
        else:
            inside = folder if one.kind == "local" and Path(text).is_file() else folder / one.title
            found = found.with_more(gathered(one, inside, extent, period))
    return found.with_more(_of_objects(objects, folder, extent, period)) if objects else found


def _of_objects(objects: Mapping[str, str], folder: Path, extent: geo.Box | None, period: _Period) -> Gathered:
    """References to the rasters among objects, by address and name, and whole copies of what has no tiles."""
    if len(objects) > _MOST_OBJECTS:
        raise UnreadableDataError(
            "there are too many objects", where=shown(next(iter(objects))), expected=f"at most {_MOST_OBJECTS}"
        )
    wanted = {one: name for one, name in objects.items() if _reads(name)}
    states = dict(zip(wanted, at_once(lambda one: asked(one, state_of), wanted), strict=True))
    notes: list[str] = []
    firsts: dict[State, str] = {}
    for address, name in list(wanted.items()):
        tells = _strong(states[address]) and type_of(PurePath(name)) is not None
        first = firsts.setdefault(states[address], name) if tells else name
        if first != name:
            notes.append(f"{name} holds the same as {first}, and is not used again")
            del wanted[address], states[address]
    outside: list[str] = []
    whole: list[State] = []

    def put(address: str) -> None:
        name, state = wanted[address], states[address]
        if PurePath(name).suffix.casefold() in BY_TILES:
            if not refer(folder / name, header_of(address, state), address, state, extent):
                outside.append(name)
        elif (parts := _by_parts(address, state, folder / name, extent, period)) is not None:
            outside.extend([] if parts else [name])
        elif type_of(PurePath(name)) is not None or state.size <= _LARGEST_BESIDE:
            _copied(address, folder / name, state)
            whole.extend([state] if type_of(PurePath(name)) == "raster" else [])

    at_once(put, wanted)
    if outside:
        notes.append(f"rasters that lie outside of the area or the period: {len(outside)}")
    return Gathered(states, [*notes, *_told_whole(whole)])


def _told_whole(whole: Sequence[State]) -> list[str]:
    size = sum(one.size for one in whole) / 1e6
    told = f"files that cannot be read by their parts, and are copied whole: {len(whole)}, {size:.1f} MB"
    return [told] if whole else []


def _by_parts(address: str, state: State, path: Path, extent: geo.Box | None, period: _Period) -> bool | None:
    """Refer to a cube that can be read by its parts: whether any is in the area and period; None where it is none."""
    if path.suffix.casefold() not in BY_PARTS:
        return None
    from knowflow.service.sources.cubes import of_file

    try:
        return of_file(address, state, path, extent, period)
    except (UnreadableDataError, PlanningError):
        return None


def _reads(name: str) -> bool:
    path = PurePath(name)
    hidden = any(part.startswith(".") for part in path.parts)
    return not hidden and (type_of(path) is not None or path.suffix.casefold() in _BESIDE)


def _strong(state: State) -> bool:
    """Whether a state tells contents apart, and not only times."""
    return state.etag.startswith('"') and state.size > 0


def _copied(address: str, target: Path, state: State) -> None:
    key = hashlib.sha256(json_text([address, state.etag, state.size]).encode()).hexdigest()[:32]
    kept = sources_home() / "whole" / f"{key}{target.suffix}"
    if not kept.is_file():
        asked(address, lambda now: download(now, kept, state))
    target.parent.mkdir(parents=True, exist_ok=True)
    os.link(kept, target)


def _of_items(
    items: Iterable[Mapping[str, object]],
    base: str,
    keys: tuple[str, ...],
    folder: Path,
    extent: geo.Box | None,
    period: _Period,
) -> Gathered:
    """References to the assets of items, those of one solar day together, with the items beside them."""
    listed_items, notes = distinct(items)
    assets = [asset for item in listed_items for asset in assets_of(item, base, keys)]
    tiled = [one for one in assets if "://" in one.address and PurePath(one.file).suffix.casefold() in BY_TILES]
    addresses = list(dict.fromkeys(one.address for one in tiled))
    states = dict(zip(addresses, at_once(lambda one: asked(one, state_of), addresses), strict=True))
    roots = at_once(lambda one: header_of(one.address, states[one.address]), tiled)
    problems = [problem for one, root in zip(tiled, roots, strict=True) for problem in disagreements(one, root)]
    if problems:
        raise _disagree(problems)
    layers: dict[tuple[object, ...], list[Piece]] = {}
    for one, root in zip(tiled, roots, strict=True):
        window = window_of(root, extent)
        if window is not None:
            layers.setdefault((*one.layer, solar_day(one.item)), []).append(
                Piece(one, states[one.address], root, window)
            )
    placed: dict[str, list[Asset]] = {}
    whole: list[State] = []
    for pieces in layers.values():
        for image in images_of(pieces):
            first = image.first.asset
            refer_to(folder / first.folder / first.file, image.root, image.parts)
            placed.setdefault(first.folder, []).append(first)
            notes += [image.note] if image.note else []
    for one in assets:
        if "://" not in one.address and Path(one.address).is_file():
            target = folder / one.folder / one.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(Path(one.address).resolve())
            placed.setdefault(one.folder, []).append(one)
        elif one not in tiled:
            target = folder / one.folder / one.file
            state = states[one.address] = asked(one.address, state_of)
            parts = _by_parts(one.address, state, target, extent, period)
            if parts is None:
                _copied(one.address, target, state)
                whole += [state] if type_of(target) == "raster" else []
            if parts is not False:
                placed.setdefault(one.folder, []).append(one)
    for name, ones in placed.items():
        text = json_text(described(ones[0].item, ones), 1)
        (folder / name / f"{name}.item.json").write_text(text, encoding="utf-8")
    return Gathered(states, [*dict.fromkeys(notes), *_told_whole(whole)])


def _disagree(problems: list[Problem]) -> UnreadableDataError:
    first = problems[0]
    return UnreadableDataError(
        "an item and the header of its data say different things",
        expected=first.expected,
        found=first.found,
        hint=first.hint,
        problems=problems,
    )
