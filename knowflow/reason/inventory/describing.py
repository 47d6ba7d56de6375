"""What was understood of a folder, written down as its description (``knowflow.yaml``), to be corrected by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from knowflow.model.artifact import Artifact
from knowflow.model.dataset import DATASET_FILE, DescribedFiles
from knowflow.model.facts import Fact, Origin
from knowflow.model.literal import plain
from knowflow.reason.inventory.file_patterns import patterns_of, variable_of
from knowflow.reason.inventory.inventory import Inventory

_FACTS = tuple(name for name in DescribedFiles.model_fields if name not in ("files", "bands", "dates"))
_SAID = (Origin.DECLARED, Origin.USER)
_NEEDED = ("quantity", "crs", "datetime")
_HEAD = f"""\
# What the files of this folder hold, as far as it was understood. What stands here counts as if you had said it with
# --assume, until you say otherwise: correct it, delete what is to be found out anew, and check it with
# `knowflow check {DATASET_FILE}`. A line behind # is not said: take the # away to say it.
"""


def description(inventory: Inventory) -> str:
    """The description of a folder as YAML: its rasters by patterns of their names, with the facts that names, tags and
    companions declare or the user said; what headers measure is left to them; candidates and gaps are comments."""
    files: dict[str, list[Artifact]] = {}
    for item in inventory.rasters:
        files.setdefault(_within(inventory, str(item.path)) + variable_of(item), []).append(item)
    alike: dict[str, list[str]] = {}
    for file, layers in files.items():
        alike.setdefault(json.dumps(_facts(layers), sort_keys=False), []).append(file)
    every = [*files, *(_within(inventory, str(item.path)) for item in inventory.artifacts if item.type != "raster")]
    lines = [_HEAD + f"dataset: {_yaml(Path(inventory.root).resolve().name or 'data')}", "layers:"]
    for some in alike.values():
        layers = [item for file in some for item in files[file]]
        own = _dates(files[some[0]]) or any(name == "datetime" for name, _ in _shared(layers))
        # other files of that form are of other dates
        patterns = patterns_of(some, every, exact=bool(own))
        lines += [f"- files: [{', '.join(map(_yaml, patterns))}]", *(f"  {line}" for line in _told(inventory, layers))]
    return "\n".join(lines if alike else [lines[0], "layers: []"]) + "\n"


def _facts(layers: list[Artifact]) -> list[Any]:
    """All that tells files apart: what would be written of them, and what is not known."""
    said = {name: plain(fact.value) for name, fact in _shared(layers)}
    lacking = [name for name in _NEEDED if any(item.fact(name) is None for item in layers)]
    return [said, _bands(layers), _dates(layers), lacking]


def _shared(layers: Iterable[Artifact]) -> Iterator[tuple[str, Fact]]:
    """Facts that are not measured and the same of all layers; of dates those that the user said: names and headers tell
    the others again."""
    first, *others = layers
    for name in _FACTS:
        fact = first.known(name)
        if fact is None or fact.origin not in _SAID or (name == "datetime" and fact.origin != Origin.USER):
            continue
        if all(item.fact(name) == fact.value for item in others):
            yield name, fact


def _bands(layers: list[Artifact]) -> tuple[str, ...]:
    """The names of the bands of one file, in their order, where names or the user tell them."""
    if layers[0].band is not None and len(layers) != layers[0].fact("count"):
        return ()
    known = [item.facts.known("bands") for item in layers]
    if any(fact is None or fact.origin not in _SAID for fact in known):
        return ()
    names = tuple(str(name) for fact in known if fact is not None for name in fact.value)
    return names if len(set(names)) == len(names) else ()


def _dates(layers: list[Artifact]) -> tuple[str, ...]:
    """The dates of the bands of one file, in their order, where the user told them."""
    if layers[0].band is None or len(layers) != layers[0].fact("count") or len(layers) < 2:
        return ()
    known = [item.facts.known("datetime") for item in layers]
    return tuple(str(one.value) for one in known if one is not None and one.origin == Origin.USER)


def _told(inventory: Inventory, layers: list[Artifact]) -> Iterator[str]:
    """The lines of one entry; facts with where they come from, then what stayed open."""
    for name, fact in _shared(layers):
        yield f"{name}: {_yaml(plain(fact.value))}" + (f"  # {_one_line(fact.source)}" if fact.source else "")
    first = [item for item in layers if item.path == layers[0].path]
    for name, listed in (("bands", _bands(first)), ("dates", _dates(first))):
        if listed:
            yield f"{name}: [{', '.join(map(_yaml, listed))}]"
    dates = sorted({str(moment) for item in layers if (moment := item.fact("datetime")) is not None})
    if dates:
        yield f"# {len(dates)} dates, {dates[0]} to {dates[-1]}" if len(dates) > 1 else f"# of {dates[0]}"
    left = {one for item in layers for one in inventory.open.get((str(item.path), item.band), ())}
    for one in sorted(left, key=lambda one: (one.fact, -one.weight, str(one.value))):
        yield f"# {one.fact}: {_yaml(plain(one.value))}  # perhaps: {_one_line('; '.join(one.sources))}"
    for name in _FACTS:
        usual = layers[0].known(name)
        if usual is not None and usual.origin == Origin.ASSUMED:
            yield f"# {name}: {_yaml(plain(usual.value))}  # {_one_line(usual.source)}"
        elif name in _NEEDED and name not in {one.fact for one in left} and any(i.fact(name) is None for i in layers):
            yield f"# {name}: VALUE  # nobody knows"


def _yaml(value: Any) -> str:
    """A value in YAML on one line; text as JSON has it, which is YAML, too, where it could be read otherwise."""
    if isinstance(value, str) and value.replace("_", "a").isalnum() and not value[0].isdigit():
        return (
            value if value.casefold() not in ("true", "false", "null", "yes", "no", "on", "off") else json.dumps(value)
        )
    return json.dumps(value, ensure_ascii=False)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _within(inventory: Inventory, path: str) -> str:
    place = Path(path)
    return place.relative_to(inventory.root).as_posix() if place.is_relative_to(inventory.root) else path
