"""Plain data as YAML text that a person can read and ``yamldoc`` reads back: a plan of thousands of files in no time.

Mappings and lists are written here, in block style, lists of nothing but scalars in brackets. What is not plain about a
scalar (quotes, escapes, more than a line) is PyYAML's to write, once for each text.
"""

from __future__ import annotations

import marshal
import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import yaml

WIDTH = 110
# what YAML 1.1 and 1.2 read as text without quotes, in brackets and out of them; and dates, which the former does not
_PLAIN = re.compile(
    r"(?!(?:y|n|yes|no|on|off|true|false|null)\Z)[a-z/](?:[\w./-]| (?=[a-z/]))*\Z", re.ASCII | re.IGNORECASE
)
_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T\d\d:\d\d:\d\d(?:\.\d+)?Z?)?\Z", re.ASCII)
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_LONGEST_KEY = 100
_SMALL = 4  # entries of a mapping that is likely to be there more than once
_BREAKS = ("\x85", "\u2028", "\u2029")

# libyaml's, where PyYAML was built with it
_SafeDumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def written(data: Mapping[str, Any]) -> str:
    """A mapping of mappings, lists, tuples and scalars as YAML; text that would be read as a number is in quotes."""
    if not data:
        return "{}\n"
    writer = _Writer()
    writer.mapping(data, "")
    return "".join(line if line[-1:] in _BREAKS else f"{line}\n" for line in writer.lines)


class _Writer:
    """The lines of one text, and what was found out about the texts in it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._texts: dict[str, str] = {}
        self._blocks: dict[tuple[bytes, str], list[str]] = {}

    def mapping(self, data: Mapping[str, Any], indent: str) -> None:
        inner, column = f"{indent}  ", len(indent) + 2
        for key, value in data.items():
            name = self._inline(key, column)
            if name is None or len(name) > _LONGEST_KEY:
                self._foreign({key: value}, indent)
            elif isinstance(value, dict) and value:
                self.lines.append(f"{indent}{name}:")
                self._block(value, inner)
            elif isinstance(value, list | tuple) and _is_block(value):
                self.lines.append(f"{indent}{name}:")
                self._sequence(value, indent)
            else:
                text = self._inline(value, column + len(name))
                if text is None:
                    self._foreign({key: value}, indent)
                else:
                    self.lines.append(f"{indent}{name}: {text}")

    def _block(self, data: Mapping[str, Any], indent: str) -> None:
        """A mapping inside of another; what many files have alike is written once."""
        if len(data) > _SMALL:
            self.mapping(data, indent)
            return
        key = marshal.dumps(dict(data), 2), indent  # unlike equality, it tells 1, 1.0 and true apart
        lines = self._blocks.get(key)
        if lines is None:
            begins = len(self.lines)
            self.mapping(data, indent)
            self._blocks[key] = self.lines[begins:]
        else:
            self.lines += lines

    def _sequence(self, data: Sequence[Any], indent: str) -> None:
        inner, column, lines = f"{indent}  ", len(indent) + 2, self.lines
        for item in data:
            begins = len(lines)
            if isinstance(item, dict) and item:
                self.mapping(item, inner)
            elif isinstance(item, list | tuple) and _is_block(item):
                self._sequence(item, inner)
            else:
                text = self._inline(item, column)
                if text is None:
                    self._foreign([item, None], indent)  # a list of scalars alone would be in brackets
                    lines.pop()
                    continue
                lines.append(f"{inner}{text}")
            lines[begins] = f"{indent}- {lines[begins][column:]}"

    def _inline(self, value: Any, column: int) -> str | None:
        """A value in what is left of a line; None where it needs more."""
        if isinstance(value, str):
            text = self._texts.get(value)
            if text is None:
                text = self._texts[value] = _simple(value)
            found = text or _scalar(value, False)
        elif isinstance(value, list | tuple):
            items = [_simple(item) or _scalar(item, True) for item in value]
            found = None if None in items else f"[{', '.join(map(str, items))}]"
        else:
            found = "{}" if isinstance(value, dict) else _simple(value) or _scalar(value, False)
        return found if found is None or column + len(found) < WIDTH or " " not in found else None

    def _foreign(self, data: Any, indent: str) -> None:
        self.lines.extend(f"{indent}{line}" if line.strip() else line for line in _foreign(data, len(indent)))


def _is_block(value: Sequence[Any]) -> bool:
    return not all(isinstance(one, int | float | str) for one in value)


def _simple(value: str | float | bool | None) -> str:
    """A scalar that nothing has to be found out about; else nothing."""
    if isinstance(value, str):
        return value if _PLAIN.match(value) else f"'{value}'" if _DATE.match(value) else ""
    if isinstance(value, float):
        return text if math.isfinite(value) and "e" not in (text := repr(value)) else ""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


@lru_cache(maxsize=4096, typed=True)
def _scalar(value: str | float | bool | None, in_brackets: bool) -> str | None:
    """A scalar as PyYAML writes it; None where that takes more than a line."""
    lines = _foreign({"": [value] if in_brackets else value}, 0)
    text = lines[0].removeprefix("'': ")
    return None if len(lines) > 1 else text[1:-1] if in_brackets else text


def _foreign(data: Any, column: int) -> list[str]:
    """The lines that PyYAML writes, as YAML counts them: separators of lines and paragraphs end one, and stay there."""
    text = yaml.dump(
        data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH - column, default_flow_style=False
    )
    return [line.removesuffix("\n") for line in text.splitlines(keepends=True)]


class _Dumper(_SafeDumper):  # type: ignore[misc]
    """Tuples as lists, and quotes around text that our reader would take for a number."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    quoted = _NUMBER.match(text) is not None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if quoted else None)


def _list(dumper: yaml.SafeDumper, items: Sequence[Any]) -> yaml.SequenceNode:
    flat = all(isinstance(item, (int, float, str)) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", list(items), flow_style=flat)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(tuple, _list)
_Dumper.add_representer(list, _list)
