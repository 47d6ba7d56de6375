"""What speaks for the facts of one file, what nobody could settle, and why it does not count where it does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from knowflow.ground.errors import UnknownNameError
from knowflow.ground.spelling import did_you_mean
from knowflow.model.artifact import Artifact
from knowflow.reason.inventory.inventory import Inventory
from knowflow.reason.inventory.layers import Perhaps, perhaps
from knowflow.reason.inventory.names import name_facts


@dataclass(frozen=True)
class Known:
    """One layer of a file: its facts, the candidates that stayed open, and the series that it is an item of."""

    artifact: Artifact
    candidates: tuple[Perhaps, ...]
    series: str | None

    def to_json(self) -> dict[str, Any]:
        return {
            "layer": self.artifact.name,
            "band": self.artifact.band,
            "series": self.series,
            "facts": self.artifact.facts.to_json(),
            "candidates": [one.to_json() for one in self.candidates],
        }


@dataclass(frozen=True)
class About:
    """One file of a folder: the words of its name with what each is taken for, its layers that count, and what is said
    of those that do not."""

    file: str
    words: tuple[tuple[str, str], ...]
    layers: tuple[Known, ...]
    reasons: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "name": [{"words": words, "kind": kind} for words, kind in self.words],
            "layers": [one.to_json() for one in self.layers],
            "reasons": list(self.reasons),
        }


def about_file(inventory: Inventory, file: str) -> About:
    """What is known of a file, given by its path, its path within the folder, or its name.

    Raises:
        UnknownNameError: the folder has no such file, or several of that name.
    """
    shown = _found(inventory, file)
    series = {
        (leaf.path, leaf.band): f"{one.name} ({len(one.items)} dates)"
        for one in reversed(inventory.series())
        for leaf in one.leaves()
    }
    layers = tuple(
        Known(item, perhaps([item], inventory.open, ()), series.get((item.path, item.band)))
        for item in inventory.artifacts
        if _shown(inventory, str(item.path)) == shown
    )
    listed = (*inventory.left_out, *inventory.unreadable, *inventory.unknown)
    reasons = [reason for path, reason in listed if path == shown]
    reasons += [text for text in inventory.disagreements if text.startswith(f"{PurePath(shown).name}:")]
    tokens = name_facts(PurePath(shown).name).tokens
    words = tuple((token.text, token.kind) for token in tokens if token.kind != "date")
    return About(shown, words, layers, tuple(reasons))


def _found(inventory: Inventory, file: str) -> str:
    """The path within the folder of the file that is meant."""
    every = dict.fromkeys(_files(inventory))
    asked = Path(file)
    within = [
        path for path in (file, _shown(inventory, file), _shown(inventory, str(asked.resolve()))) if path in every
    ]
    named = within[:1] or [path for path in every if asked.name in (PurePath(path).name, PurePath(path).stem)]
    if len(named) != 1:
        raise UnknownNameError(
            f"the folder has {'several files' if named else 'no file'} called {file!r}",
            expected=f"one of {', '.join(named[:5])}" if named else f"a file of {inventory.root}",
            found=file,
            hint="give its path within the folder"
            if named
            else did_you_mean(file, every, "`knowflow data DIR` lists them"),
        )
    return named[0]


def _files(inventory: Inventory) -> Iterator[str]:
    """Every file that an inventory speaks of, as seen from its folder."""
    yield from (_shown(inventory, str(item.path)) for item in inventory.artifacts)
    for listed in (inventory.left_out, inventory.unreadable, inventory.unknown):
        yield from (path for path, _ in listed)


def _shown(inventory: Inventory, path: str) -> str:
    place = Path(path)
    return place.relative_to(inventory.root).as_posix() if place.is_relative_to(inventory.root) else path
