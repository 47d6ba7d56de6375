"""Sources made into a folder: gathered once, kept, held against what lies there now, and renewed when asked."""

from __future__ import annotations

import filecmp
import hashlib
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowflow.ground.errors import DataNotFoundError, RemoteChangeError, RemoteDataError
from knowflow.ground.json_text import json_text, json_value
from knowflow.ground.locks import locked
from knowflow.ground.references import State, shown, sources_home
from knowflow.ground.report import Problem
from knowflow.model import geo
from knowflow.reason.area import area_of
from knowflow.reason.inventory.dates import period_of
from knowflow.service.sources.gathering import Gathered, at_once, gathered
from knowflow.service.sources.named import Source, is_plain, source_of
from knowflow.tools.remote.secrets import asked
from knowflow.tools.remote.vsi import look
from knowflow.tools.remote.zarr_store import state_of_store

if TYPE_CHECKING:
    from knowflow.question.operators import Expression

_SET, _TOGETHER, _MOST_TOLD = "set.json", "together", 5
Data = str | Path | Sequence[str | Path]


def local(
    data: Data,
    *,
    aoi: str | None = None,
    dates: str | None = None,
    refresh: bool = False,
    asked: str | Expression | None = None,
) -> Path:
    """The folder that stands for data, wherever they lie: what a question is planned over.

    A single folder or file of one's own is used where it is. Anything else is gathered into a folder of its own in the
    state folder, for the area (``aoi``, as of a question) and the period (``dates``, else that of the question that is
    ``asked``); kept from one question to the next; and with ``refresh`` gathered anew. What lies elsewhere and has
    changed meanwhile is found here.

    Raises:
        RemoteDataError: data elsewhere cannot be had. RemoteChangeError: they have changed.
        DataNotFoundError: there are none.
        PlanningError, UnreadableDataError: a source is not understood, or says two different things of itself.
    """
    texts = (str(data),) if isinstance(data, (str, Path)) else tuple(str(one) for one in data)
    if is_plain(texts):
        return Path(texts[0])
    sources = tuple(source_of(one) for one in texts)
    extent = None if aoi is None else area_of(aoi).extent
    period = _period(dates, asked) if any(one.dated for one in sources) else (None, None)
    key = hashlib.sha256(json_text([_identity(sources), extent, period]).encode()).hexdigest()[:16]
    home = sources_home() / "sets" / key
    with locked(home.with_suffix(".lock")):
        before = _kept(home)
        title = sources[0].title if len(sources) == 1 else _TOGETHER
        if before is not None and not refresh and (home / title).is_dir():
            _require_unchanged(before)
            if any(not one.elsewhere and one.kind in ("local", "zarr") for one in sources):
                _made(home, title, sources, extent, period, before, refresh)  # files of one's own come and go unasked
        else:
            _made(home, title, sources, extent, period, before, refresh)
    return home / title


def _period(dates: str | None, asked: str | Expression | None) -> tuple[str | None, str | None]:
    if dates is not None or not asked:
        return period_of(dates)
    from knowflow.service.sources.asked_about import period_of_question

    return period_of_question(asked)


def notes_of(folder: str | Path) -> tuple[str, ...]:
    """What was told as a folder of ours was gathered; of any other folder, nothing."""
    name = os.path.abspath(folder)
    if not name.startswith(f"{sources_home()}{os.sep}"):
        return ()
    kept = _kept(Path(name).parent)
    return () if kept is None else tuple(kept["notes"])


def _identity(sources: Iterable[Source]) -> list[Any]:
    """What tells sources apart: addresses without secrets, lists and items of one's own by what they hold."""
    found = []
    for one in sources:
        path = Path(one.address)
        held = one.kind in ("list", "items") and not one.elsewhere
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if held else None
        place = shown(one.address) if one.elsewhere else os.path.abspath(path)
        found.append([one.kind, place, one.collection, one.narrowed, digest])
    return found


def _kept(home: Path) -> Mapping[str, Any] | None:
    try:
        found = json_value((home / _SET).read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _made(
    home: Path,
    title: str,
    sources: tuple[Source, ...],
    extent: geo.Box | None,
    period: tuple[str | None, str | None],
    before: Mapping[str, Any] | None,
    refresh: bool,
) -> Mapping[str, Any]:
    """Gather into a draft, which takes the place of what was there."""
    draft = home.with_name(f".{home.name}.{os.getpid()}")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        found = Gathered({}, [])
        taken: set[str] = set()
        for number, source in enumerate(sources):
            name = source.title if source.title not in taken else f"{source.title}_{number + 1}"
            taken.add(name)
            found = found.with_more(
                gathered(source, draft / title / (name if len(sources) > 1 else ""), extent, period)
            )
        if not (draft / title).is_dir():
            raise DataNotFoundError(
                "nothing is found there",
                where=", ".join(one.shown for one in sources),
                expected="data in the area and period",
                found="nothing",
                hint="widen --dates or --aoi, or check the address",
            )
        news = _news(before["objects"], found.objects) if before is not None and refresh else []
        kept = {
            "sources": _identity(sources),
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "objects": {address: [state.etag, state.size] for address, state in found.objects.items()},
            "notes": [*news, *found.notes],
        }
        (draft / _SET).write_text(json_text(kept, 1), encoding="utf-8")
        if _alike(draft / title, home / title):  # a run that reads it meanwhile goes on
            (draft / _SET).replace(home / _SET)
        else:
            shutil.rmtree(home, ignore_errors=True)
            draft.replace(home)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return kept


def _alike(one: Path, other: Path) -> bool:
    """Whether two folders hold the same links, and files of the same content."""
    names = {path.relative_to(one) for path in one.rglob("*")}
    if names != {path.relative_to(other) for path in other.rglob("*")}:
        return False
    return all(_same(one / name, other / name) for name in names)


def _same(one: Path, other: Path) -> bool:
    if one.is_symlink() or other.is_symlink():
        return one.is_symlink() and other.is_symlink() and one.readlink() == other.readlink()
    return one.is_dir() == other.is_dir() and (one.is_dir() or one.samefile(other) or filecmp.cmp(one, other, False))


def _news(before: Mapping[str, list[Any]], now: Mapping[str, State]) -> list[str]:
    """What came, went and changed between two searches."""
    came = [one for one in now if one not in before]
    went = [one for one in before if one not in now]
    other = [one for one in now if one in before and before[one] != [now[one].etag, now[one].size]]
    told = ((came, "came"), (went, "went"), (other, "changed"))
    said = [f"since the last search {len(names)} {word}: {_listed(names)}" for names, word in told if names]
    return said or ["since the last search nothing came, went or changed"]


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_TOLD} more" if len(names) > _MOST_TOLD else ""
    return ", ".join(shown(one) for one in names[:_MOST_TOLD]) + more


def _require_unchanged(kept: Mapping[str, Any]) -> None:
    """Raise ``RemoteChangeError`` where objects are not what they were; what cannot be asked now its reader asks."""
    listed = {address: State(*said) for address, said in kept["objects"].items()}

    def other(address: str) -> str | None:
        try:
            now = state_of_store(address) if address.endswith(".zarr") else asked(address, look)
        except RemoteDataError:
            return None
        return None if now == listed[address] else f"{now.etag}, {now.size} bytes"

    changed = {one: found for one, found in zip(listed, at_once(other, list(listed)), strict=True) if found is not None}
    if changed:
        first, found = next(iter(changed.items()))
        raise RemoteChangeError(
            "data elsewhere have changed since they were looked at",
            where=shown(first),
            expected=f"{listed[first].etag}, {listed[first].size} bytes",
            found=found,
            hint="take them as they are now: the same command with --refresh",
            problems=[Problem("changed", listed[one].etag, said, where=shown(one)) for one, said in changed.items()],
        )
