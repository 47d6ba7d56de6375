"""One flat call of a tool, as a language model or a person writes it: a name and arguments, files as texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from knowflow.ground.json_text import json_value

_QUOTES = " \t\r\n\"'\\"


@dataclass(frozen=True, slots=True)
class Result:
    """What an earlier call of the same proposal returns: all of it, or one of its items."""

    call: int
    item: int | None = None

    def __str__(self) -> str:
        return f"result {self.call + 1}" + ("" if self.item is None else f"[{self.item}]")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool's name and its arguments: numbers, texts, lists and mappings of them, and results of earlier calls."""

    tool: str
    arguments: Mapping[str, Any]

    def sentence(self) -> str:
        shown = ", ".join(f"{name}={_shown(value)}" for name, value in self.arguments.items())
        return f"{self.tool}({shown})"

    def to_json(self) -> dict[str, Any]:
        return {"tool": self.tool, "arguments": {name: _plain(value) for name, value in self.arguments.items()}}


def _plain(value: Any) -> Any:
    if isinstance(value, Result):
        return {"result_of": value.call} | ({} if value.item is None else {"item": value.item})
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _shown(value: Any) -> str:
    text = repr(value) if not isinstance(value, Result) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


@dataclass(frozen=True)
class KnownFiles:
    """The files that are there when a call is made.

    ``listed`` are folders that are there, though they may be empty. ``unlisted`` tells of a path whether it lies where
    nobody has looked yet. ``on_disk``: what the file system says counts too.
    """

    files: frozenset[str] = frozenset()
    listed: frozenset[str] = frozenset()
    unlisted: Callable[[str], bool] = field(default=lambda path: False)
    on_disk: bool = False

    def has_file(self, path: str) -> bool | None:
        """Whether a file is there; None where it lies in a folder whose content is not known."""
        named = normal(path)
        if named in self.files:
            return True
        if self.on_disk:
            return Path(path).is_file()
        return None if self.unlisted(named) else False

    def has_folder(self, path: str) -> bool | None:
        """Whether a folder is there; None where that is not known."""
        named = normal(path)
        if any(folder == named or folder.startswith(f"{named}/") for folder in self.listed):
            return True
        if any(file.startswith(f"{named}/") for file in self.files):
            return True
        if self.on_disk:
            return Path(path).is_dir()
        return None if self.unlisted(named) else False

    def folder_like(self, path: str) -> str | None:
        """The known folder that a wrong path may mean: the path without what is before or behind a known one."""
        named = normal(path).strip("/")
        folders = sorted(self.listed | {folder_of(file) for file in self.files})
        fitting = [one for one in folders if f"/{named}/".find(f"/{one.strip('/')}/") >= 0]
        fitting = fitting or [one for one in folders if PurePosixPath(one).name == PurePosixPath(named).name]
        return fitting[0] if len(fitting) == 1 else None

    def beside(self, path: str) -> tuple[str, ...]:
        """The known files that a wrong path may have meant: those of its folder, else all, in order."""
        folder = normal(path)
        near = [file for file in self.files if folder_of(file) in (folder_of(folder), folder)]
        if not near and self.on_disk:
            near = _listing(Path(path).parent)
        return tuple(sorted(near or self.files))

    def plus(self, files: Iterable[str]) -> KnownFiles:
        """With files that an earlier call writes."""
        return KnownFiles(self.files | {normal(file) for file in files}, self.listed, self.unlisted, self.on_disk)


def _listing(folder: Path) -> list[str]:
    return [normal(str(path)) for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []


def normal(path: str) -> str:
    """A path without ``./``, doubled and trailing slashes."""
    return str(PurePosixPath(path.replace("\\", "/").strip()))


def folder_of(path: str) -> str:
    return str(PurePosixPath(path).parent)


def unwrapped(value: Any) -> Any:
    """A value out of the wrapping that models put around it: ``{"type": ..., "value": v}``, a list written as text."""
    if isinstance(value, Mapping) and "value" in value and set(value) <= {"type", "value", "items"}:
        return unwrapped(value["value"])
    if isinstance(value, str) and (listed := listed_in(value)) is not None:
        return listed
    if isinstance(value, (list, tuple)):
        return [unwrapped(item) for item in value]
    return value


def listed_in(text: str) -> list[Any] | None:
    """The items of a list that is written as a text, quoted well or badly; None for a text that is no list."""
    text = text.strip(_QUOTES)
    if not (text.startswith("[") and text.endswith("]")):
        return None
    # (0, 0.3, "above") is how Python writes a row
    for candidate in (text, text.replace("'", '"'), text.replace("(", "[").replace(")", "]")):
        try:
            found = json_value(candidate)
        except ValueError:
            continue
        return list(found) if isinstance(found, list) else None
    return [item.strip(_QUOTES) for item in re.split(r",", text[1:-1]) if item.strip(_QUOTES)]


def texts_in(value: Any) -> list[str]:
    """Every text of a value, in order."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in texts_in(item)]
    if isinstance(value, Sequence):
        return [text for item in value for text in texts_in(item)]
    return []
