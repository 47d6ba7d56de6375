"""What a folder holds: groups of layers, their facts by how these are known, and what cannot be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from knowflow.model.facts import Origin
from knowflow.model.geo import crs_of
from knowflow.reason.inventory.called import called
from knowflow.reason.inventory.layers import perhaps
from knowflow.roof.notation import day, literal, pixel_size, plain, words
from knowflow.roof.terminal.console import ACCENT, QUIET, WARN, said

if TYPE_CHECKING:
    from knowflow.reason.inventory import Inventory
    from knowflow.reason.inventory.layers import Perhaps
    from knowflow.reason.inventory.overview import Group, Told
    from knowflow.reason.inventory.why import About

_MOST_LINES = 20
_MOST_CANDIDATES = 3  # of one fact
_MOST_VALUES = 3
_ORIGINS = {
    Origin.MEASURED: ("measured", ""),
    Origin.DERIVED: ("derived", ""),
    Origin.DECLARED: ("declared", ""),
    Origin.ASSUMED: ("assumed", WARN),
    Origin.USER: ("you said", ACCENT),
}
_IN_HEADING = {"quantity": "quantity", "datetime": "date"}  # where their values are
_SPEAKING = ("crs", "shape", "resolution", "geometry", "features")  # values that say what they are
_LONG = 40
_TAKEN_FOR = {"word": "nothing known", "plain": "says nothing", "link": "says nothing", "derived": "another thing"}


def show_inventory(console: Console, inventory: Inventory) -> None:
    """Each group with its facts by origin; then the files that hold none, and what sources disagree on."""
    every = [str(item.path) for item in inventory.artifacts]
    for group in inventory.groups:
        console.print(_heading(group))
        table = _facts(group)
        _candidates(table, perhaps(group.layers, inventory.open, every))
        console.print(table)
    _section(console, "Unreadable", (said(f"{path}: {reason}") for path, reason in inventory.unreadable))
    _section(console, "No data", (said(f"{path}: {reason}") for path, reason in inventory.unknown))
    _section(console, "Left out", (said(f"{path}: {reason}") for path, reason in inventory.left_out))
    _section(console, "To note", map(said, inventory.disagreements))


def show_file(console: Console, about: About) -> None:
    """Each layer of a file: its facts with their origin and source, and what is open with the line that settles it."""
    for layer in about.layers:
        band = "" if layer.artifact.band is None else f"  band {layer.artifact.band}"
        series = "" if layer.series is None else f"  in the series {plain(layer.series)}"
        console.print(Text.assemble((plain(about.file), "bold"), f"{band}{series}"))
        table = _indented()
        for name, fact in layer.artifact.facts.items():
            label, style = _ORIGINS[fact.origin]
            value = literal(fact.value)
            short = value if len(value) < 2 * _LONG else f"{value[: 2 * _LONG]}..."
            table.add_row("", words(name), plain(short), Text(label, style=style or QUIET), plain(fact.source))
        console.print(table)
        if layer.candidates:
            table = _indented()
            _candidates(table, layer.candidates)
            console.print(table)
    if not about.layers:
        console.print(Text(plain(about.file), style=f"bold {WARN}"))
    if about.words:
        read = ", ".join(f"{plain(text)} ({_TAKEN_FOR.get(kind, words(kind))})" for text, kind in about.words)
        console.print(Text.assemble(("  its name  ", QUIET), read))
    for reason in about.reasons:
        console.print(Text.assemble(("  not used  " if not about.layers else "  to note  ", WARN), said(reason)))


def _candidates(table: Table, candidates: Iterable[Perhaps]) -> None:
    """A row for each of the likeliest values of a fact, with what speaks for it and the line that settles it."""
    seen: Counter[str] = Counter()
    for one in candidates:
        seen[one.candidate.fact] += 1
        if seen[one.candidate.fact] > _MOST_CANDIDATES:
            continue
        value = f"{words(one.candidate.fact)} {plain(literal(one.candidate.value))}"
        why = "; ".join(map(plain, one.candidate.sources))
        table.add_row(
            "", Text("perhaps", style=WARN), Text.assemble(value, f", by {why}: ", (plain(one.assume), ACCENT))
        )
    for fact, number in seen.items():
        if number > _MOST_CANDIDATES:
            rest = f"and {number - _MOST_CANDIDATES} less likely values of {words(fact)}: knowflow data --why FILE"
            table.add_row("", "", Text(rest, style=QUIET))


def _section(console: Console, title: str, lines: Iterable[Text]) -> None:
    found = list(lines)
    if not found:
        return
    console.print(Text(title, style=f"bold {WARN}"))
    if len(found) > _MOST_LINES:
        found[_MOST_LINES:] = [Text(f"and {len(found) - _MOST_LINES} more", style=QUIET)]
    table = _indented()
    for line in found:
        table.add_row("", line)
    console.print(table)


def _heading(group: Group) -> Text:
    parts = [group.type if group.type != "raster" else _counted(len(group.files), "file")]
    if len(group.layers) > len(group.files):
        parts.append(_counted(len(group.layers), "layer"))
    if len(group.dates) > 1:
        parts.append(f"{len(group.dates)} dates from {_time(group.times[0])} to {_time(group.times[-1])}")
    elif group.dates:
        parts.append(" and ".join(map(_time, group.times)))
    name = group.pattern or (group.quantity if group.type == "raster" else None) or group.layers[0].name
    return Text.assemble((plain(name), "bold" if group.pattern is None else f"bold {WARN}"), "  ", ", ".join(parts))


def _time(text: str) -> str:
    """The day of a moment; a month, a year or a span as it is."""
    return day(text) if "T" in text else plain(text)


def _counted(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def _facts(group: Group) -> Table:
    table = _indented()
    if group.bands:
        table.add_row("", Text("bands", style=QUIET), ", ".join(map(plain, group.bands)))
    for origin in sorted(_ORIGINS, reverse=True):
        parts = list(_of_origin(group, origin))
        if parts:
            label, style = _ORIGINS[origin]
            table.add_row("", Text(label, style=style or QUIET), Text(", ".join(parts)))
    if group.quantity is None and (name := called(group.layers[0])) is not None:
        table.add_row("", Text("called", style=QUIET), f"{plain(name)}: a question may ask for it so")
    if group.assume is not None:
        option = plain(group.assume if group.pattern is None else f'"{group.assume}"')
        facts = ", ".join(map(words, group.missing))
        table.add_row("", Text("unknown", style=WARN), Text.assemble(facts, ": ", (f"--assume {option}", ACCENT)))
    return table


def _indented() -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column()
    return table


def _of_origin(group: Group, origin: Origin) -> Iterator[str]:
    """The facts of one origin, in words; of what is assumed also why."""
    by_fact: dict[str, list[Told]] = {}
    for told in group.told:
        if told.origin == origin:
            by_fact.setdefault(told.fact, []).append(told)
    for fact, found in by_fact.items():
        text = _value(fact, found, group)
        sources = list(dict.fromkeys(source for told in found for source in told.sources))
        if origin == Origin.ASSUMED and len(sources) == 1:
            text += f": {plain(sources[0])}"
        layers = sum(told.layers for told in found)
        if layers < len(group.layers):
            text += f" (of {layers} layers)"
        yield text
        if fact == "resolution" and group.grids > 1:
            yield f"{group.grids} different grids"


def _value(fact: str, found: Sequence[Told], group: Group) -> str:
    if fact in _IN_HEADING:
        return _IN_HEADING[fact]
    texts = list(dict.fromkeys(_text(fact, told.value, group) for told in found))
    values = " or ".join(texts[:_MOST_VALUES])
    if len(texts) > _MOST_VALUES:
        values += f" or {len(texts) - _MOST_VALUES} more"
    return values if fact in _SPEAKING else f"{words(fact)} {values}"


def _text(fact: str, value: Any, group: Group) -> str:
    match fact:
        case "crs":
            return plain(value) if len(value) < _LONG else plain(crs_of(value).name)
        case "shape":
            return f"{value[1]:,} x {value[0]:,} pixels"
        case "resolution":
            return pixel_size(value, group.layers[0].fact("crs"), times="x")
        case "classes":
            named = [f"{number} {plain(name)}" for number, name in value]
            more = f" and {len(named) - _MOST_VALUES} more" if named[_MOST_VALUES:] else ""
            return ", ".join(named[:_MOST_VALUES]) + more
        case "features":
            return _counted(int(value), "row" if group.type == "table" else "feature")
    return literal(value)
