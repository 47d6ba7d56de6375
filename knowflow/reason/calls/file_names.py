"""Known files that a wrong path may have meant, by file name: the same name elsewhere, else the same date and words."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from knowflow.ground.bands import band
from knowflow.ground.kept import kept
from knowflow.knowledge.words import MONTHS, SHORT_MONTHS
from knowflow.model.artifact import Artifact
from knowflow.reason.calls.words import CARRIERS, words_of
from knowflow.reason.inventory import inventory_of_names
from knowflow.reason.inventory.dates import DATE_PATTERN, iso_datetime

_DATE = re.compile(rf"(?<!\d)(?:{DATE_PATTERN})(?!\d)")
_MONTH = re.compile(r"(?<!\d)((?:19|20)\d{2})[-_]?(0[1-9]|1[0-2])(?!\d)")
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d{2})(?!\d)")
_NAMED_MONTHS = {**MONTHS, **SHORT_MONTHS}
# words of names that say nothing of what is in a file
_EMPTY = CARRIERS | {"corrected", "raw", "result", "map", "tiff", "sample", "img", "test", "sur", "mean", "average"}
_WORD_FLOOR = 0.3


@dataclass(frozen=True)
class FileName:
    """What a file's name says: its words, its date as far as told (``2022``, ``2022-07`` or ``2022-07-16``), and of a
    known file, by all that names are read by, its quantity."""

    path: str
    words: frozenset[str]
    date: str
    quantity: str | None = None
    moment: str = ""

    @property
    def plain(self) -> str:
        """The name without case, extension and punctuation."""
        return re.sub(r"[^a-z0-9]", "", PurePosixPath(self.path).stem.lower())


def file_name(path: str) -> FileName:
    """What the name of one file says by itself."""
    stem = PurePosixPath(path).stem if PurePosixPath(path).suffix else PurePosixPath(path).name
    date, rest = _dated(stem)
    words = frozenset(words_of(re.sub(r"\.tiff?", "_", rest, flags=re.IGNORECASE))) - _EMPTY
    return FileName(path, words, date)


@kept(64)
def described(paths: tuple[str, ...]) -> tuple[FileName, ...]:
    """What the names of files say, with the bands, the quantity and the time of day that they tell."""
    known = {artifact.path: artifact for artifact in inventory_of_names(paths).artifacts}
    sensor = _sensor_by_bands(list(known.values()))
    found = []
    for path in paths:
        name, artifact = file_name(path), known.get(path)
        if artifact is None:
            found.append(name)
            continue
        quantity = artifact.fact("quantity")
        bands = artifact.fact("bands")
        if bands is None and sensor and (own := band(sensor, str(artifact.fact("band")))) is not None:
            bands = (own.common_name,)
        told = [*(bands if isinstance(bands, tuple) else ()), artifact.fact("daynight") or "", quantity or ""]
        words = name.words | {word for text in told for word in words_of(str(text))}
        moment = str(artifact.fact("datetime") or name.date)
        found.append(FileName(path, words, name.date, quantity, moment))
    return tuple(found)


def _sensor_by_bands(files: Sequence[Artifact]) -> str | None:
    """The sensor that alone has the bands of a folder's names, where no name says it: thermal band 10, and none of the
    thermal bands 12 to 14 that ASTER has, beside numbered bands is OLI and TIRS of Landsat 8 and 9."""
    unknown = [file for file in files if file.fact("band") is not None and file.fact("sensor") is None]
    thermal = {str(f.fact("band")) for f in unknown if f.fact("quantity") == "toa_brightness_temperature"}
    others = [file for file in unknown if file.fact("quantity") != "toa_brightness_temperature"]
    return "landsat-8-9-oli-tirs" if thermal and thermal <= {"10", "11"} and others else None


def _dated(stem: str) -> tuple[str, str]:
    """The date in a name and the name without it."""
    for pattern in (_DATE, _MONTH, _YEAR):
        found = pattern.search(stem)
        if found is None:
            continue
        date = iso_datetime(found[0]) if pattern is _DATE else "-".join(found.groups())
        rest = f"{stem[: found.start()]}_{stem[found.end() :]}"
        if pattern is _YEAR:
            month = next((word for word in words_of(rest) if word in _NAMED_MONTHS), None)
            if month is not None:
                return f"{date}-{_NAMED_MONTHS[month]:02d}", re.sub(month, "", rest, flags=re.IGNORECASE)
        return date or "", rest
    return "", stem


def matches(
    wanted: str, there: Sequence[str], role: Collection[str] = (), quantities: Collection[str] = ()
) -> tuple[str, ...]:
    """Known files that a path may mean, all equally likely.

    ``role`` are words of the argument that the file is given to, and ``quantities`` what it accepts. No date is
    guessed: a name that tells a date matches only files of that date.
    """
    asked = file_name(wanted)
    names = described(tuple(there))
    base = PurePosixPath(wanted).name
    same = [name.path for name in names if PurePosixPath(name.path).name == base]
    same = same or [name.path for name in names if asked.plain and name.plain == asked.plain]
    same = same or _nth(asked, names)
    if same:
        return (same[0],)
    fitting = [name for name in names if name.date.startswith(asked.date) and _accepted(name, quantities)]
    scored = [(_score(asked, name, frozenset(role)), name.path) for name in fitting]
    best = max((score for score, _ in scored), default=0.0)
    return tuple(path for score, path in scored if score == best) if best >= _WORD_FLOOR else ()


def _nth(asked: FileName, names: Sequence[FileName]) -> list[str]:
    """The n-th file of a folder where no name has a number or a date, for a name that is nothing but the number n."""
    if asked.date or len(asked.words) != 1 or any(n.date or any(w.isdigit() for w in n.words) for n in names):
        return []
    word = next(iter(asked.words))
    paths = sorted(name.path for name in names)
    return [paths[int(word) - 1]] if word.isdigit() and 1 <= int(word) <= len(paths) else []


def _accepted(name: FileName, quantities: Collection[str]) -> bool:
    return not quantities or name.quantity is None or name.quantity in quantities


def _score(asked: FileName, name: FileName, role: frozenset[str]) -> float:
    """Share of the asked words (or, of a name without any, of the role's) that a file's name has."""
    told = asked.words
    if told:
        shared = len(told & name.words) / len(told)
        # of files that fit equally, the one that fits the role too
        return shared + 0.01 * len(role & name.words) if shared else 0.0
    return len(role & name.words) / len(role) if role else 0.0


def by_date(groups: Sequence[Sequence[str]]) -> list[tuple[str, ...]] | None:
    """Files of several lists that belong to one moment each, in order of time; None where they cannot be paired."""
    dated = [{name.moment or name.date: name.path for name in described(tuple(group))} for group in groups]
    if any(len(one) != len(group) or "" in one for one, group in zip(dated, groups, strict=True)):
        return None
    common = sorted(set.intersection(*(set(one) for one in dated)))
    return [tuple(one[date] for one in dated) for date in common] or None
