"""Plain data as YAML text that a person can read and ``yamldoc`` reads back: a plan of thousands of files in no time.

Mappings and lists are written here, in block style, lists of nothing but scalars in brackets. What is not plain about a
scalar (quotes, escapes, more than a line) is PyYAML's to write, once for each text.
"""

from __future__ import annotations

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
_BREAKS = ("\x85", "\u2028", "\u2029")

# libyaml's, where PyYAML was built with it
_SafeDumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def written(data: Mapping[str, Any]) -> str:
    """A mapping of mappings, lists, tuples and scalars as YAML; text that would be read as a number is in quotes."""
    lines: list[str] = []
    _mapping(data, "", lines)
    return "".join(line if line[-1:] in _BREAKS else f"{line}\n" for line in lines) if data else "{}\n"


def _mapping(data: Mapping[str, Any], indent: str, lines: list[str]) -> None:
    for key, value in data.items():
        name = _inline(key, len(indent))
        if name is None or len(name) > _LONGEST_KEY:
            _foreign({key: value}, indent, lines)
        elif isinstance(value, Mapping) and value:
            lines.append(f"{indent}{name}:")
            _mapping(value, f"{indent}  ", lines)
        elif _is_block(value):
            lines.append(f"{indent}{name}:")
            _sequence(value, indent, lines)
        else:
            text = _inline(value, len(indent) + len(name) + 2)
            if text is None:
                _foreign({key: value}, indent, lines)
            else:
                lines.append(f"{indent}{name}: {text}")


def _sequence(data: Sequence[Any], indent: str, lines: list[str]) -> None:
    inner = f"{indent}  "
    for item in data:
        begins = len(lines)
        if isinstance(item, Mapping) and item:
            _mapping(item, inner, lines)
        elif _is_block(item):
            _sequence(item, inner, lines)
        else:
            text = _inline(item, len(inner))
            if text is None:
                _foreign([item, None], indent, lines)  # a list of scalars alone would be in brackets
                lines.pop()
                continue
            lines.append(f"{inner}{text}")
        lines[begins] = f"{indent}- {lines[begins][len(inner) :]}"


def _is_block(value: Any) -> bool:
    return isinstance(value, list | tuple) and not all(isinstance(one, int | float | str) for one in value)


def _inline(value: Any, column: int, in_brackets: bool = False) -> str | None:
    """A value in what is left of a line; None where it needs more."""
    if isinstance(value, list | tuple):
        items = [_inline(item, 0, True) for item in value]
        text = None if None in items else f"[{', '.join(map(str, items))}]"
    elif isinstance(value, Mapping):
        return "{}"
    else:
        text = _simple(value) or _scalar(value, in_brackets)
    return text if text is None or column + len(text) < WIDTH or " " not in text else None


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
    lines: list[str] = []
    _foreign({"": [value] if in_brackets else value}, "", lines)
    text = lines[0].removeprefix("'': ")
    return None if len(lines) > 1 else text[1:-1] if in_brackets else text


def _foreign(data: Any, indent: str, lines: list[str]) -> None:
    """Append what PyYAML writes, every line behind an indentation."""
    text = yaml.dump(
        data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH - len(indent), default_flow_style=False
    )
    lines.extend(f"{indent}{line}" if line.strip() else line for line in _lines(text))


def _lines(text: str) -> list[str]:
    """Lines as YAML counts them: separators of lines and paragraphs end one, and stay at its end."""
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
