"""Authored YAML with the line of every key, read safely; what is wrong is reported, all of it, never raised.

The scalars are those of YAML 1.2's core schema, so that ``no``, ``on`` and ``2022-07-01`` stay the text that was
typed: only ``true``/``false``, ``null``/``~``, decimal integers and floats are anything else. Anchors, aliases and
tags are refused: an authored document says what it means where it says it.

Source: YAML 1.2.2, section 10.3 (https://yaml.org/spec/1.2.2/#103-core-schema).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

import yaml

from knowflow.ground.files import in_place_of_file
from knowflow.ground.kept_documents import brought_back, keep
from knowflow.ground.report import Problem, Problems, Severity

Key: TypeAlias = tuple[str | int, ...]

_DEEPEST = 60  # levels of nesting
_MOST_DIGITS = 308  # of an integer: floating-point numbers end there
_PLAIN = "plain"
_TEXT_TAG, _MAP_TAG, _SEQ_TAG = (f"tag:yaml.org,2002:{name}" for name in ("str", "map", "seq"))
_CORE_TAGS = frozenset({_PLAIN, _TEXT_TAG, _MAP_TAG, _SEQ_TAG})
_BRACKET = re.compile(r"[\[\]{}]")
_DASHES = re.compile(r"(?:[-?:] +){1000}")
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_WORDS: Mapping[str, object] = MappingProxyType(
    {
        **dict.fromkeys(("", "~", "null", "Null", "NULL")),
        **dict.fromkeys(("true", "True", "TRUE"), True),
        **dict.fromkeys(("false", "False", "FALSE"), False),
        **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf"), float("inf")),
        **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
        **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    }
)
_HINTS = (
    ("mapping values are not allowed", "put text that contains ': ' in quotes, and check the indentation"),
    ("could not find expected ':'", "every line of a mapping needs 'key: value'"),
    ("cannot start any token", "put text that starts with @, ` or % in quotes"),
    ("expected <block end>", "lines of one mapping or list need the same indentation"),
    ("did not find expected key", "lines of one mapping or list need the same indentation"),
    ("did not find expected '-' indicator", "lines of one list need the same indentation"),
    ("found unexpected end of stream", "a quote or bracket is not closed"),
    ("expected ',' or", "a bracket is not closed, or a comma is missing"),
    ("alias", "put text that starts with * in quotes"),
)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """libyaml's loader where PyYAML has it; marks plain scalars, so that their meaning is decided here."""

    def descend_resolver(self, current_node: yaml.Node | None, current_index: object) -> None:
        """No tag depends on where in a document it stands."""

    def ascend_resolver(self) -> None:
        """As before."""

    def resolve(self, kind: type[yaml.Node], value: str | None, implicit: tuple[bool, bool] | bool) -> str:
        if kind is yaml.ScalarNode:
            return _PLAIN if isinstance(implicit, tuple) and implicit[0] else _TEXT_TAG
        return _MAP_TAG if kind is yaml.MappingNode else _SEQ_TAG


@dataclass(frozen=True, slots=True)
class Document:
    """One authored file: its plain data, the line of every key path, and what is wrong with it as YAML.

    ``data`` is None when the syntax is broken. ``lines`` maps key paths, such as ``("steps", "share", "with")`` or
    ``(0, "quantity")``, to lines counted from 1; a mapping's entry has the line of its key.
    """

    file: str
    data: object
    lines: Mapping[Key, int]
    problems: tuple[Problem, ...] = ()

    def line(self, path: Key) -> int:
        """The line of a key path, or of its nearest parent that is in the file; 1 for a file without any."""
        for length in range(len(path), -1, -1):
            found = self.lines.get(path[:length])
            if found is not None:
                return found
        return 1

    def problem(
        self, path: Key, code: str, expected: str, found: str, hint: str = "", severity: Severity = "error"
    ) -> Problem:
        """A problem at a key path of this document, with its file and line."""
        return Problem(
            code=code,
            expected=expected,
            found=found,
            hint=hint,
            where=dotted(path),
            file=self.file,
            line=self.line(path),
            severity=severity,
        )


def dotted(path: Key) -> str:
    """A key path as people write it: ``steps.share.with`` or ``[0].quantity``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def load(path: Path) -> Document:
    """Read one YAML file; an unreadable file or broken syntax is a problem of the document, not an exception."""
    file = str(path)
    other = in_place_of_file(path)
    if other is not None:
        return _broken(file, "unreadable_file", 1, "a readable file", other)
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"byte {error.start} that is not"
        return _broken(file, "yaml_encoding", 1, "text in UTF-8", found, "save the file as UTF-8")
    except OSError as error:
        return _broken(file, "unreadable_file", 1, "a readable file", error.strerror or str(error))
    known = brought_back(content)
    if known is not None:
        return Document(file, *known)
    parsed = parse(text, file)
    if not parsed.problems:
        keep(content, parsed.data, parsed.lines)
    return parsed


def parse(text: str, file: str = "<text>") -> Document:
    """Read YAML text; ``file`` is what problems call it."""
    if _dangerously_deep(text):
        return _broken(file, "yaml_depth", 1, f"at most {_DEEPEST} levels", "over a thousand", "write it flatter")
    loader = None
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
    except yaml.YAMLError as error:
        return _syntax_problem(text, file, error)
    finally:
        if loader is not None:
            loader.dispose()
    reader = _Reader(file)
    data = None if root is None else reader.value(root, ())
    return Document(file, data, MappingProxyType(reader.lines), tuple(reader.problems))


class _Reader:
    """Turns composed nodes into plain data, noting lines and problems on the way."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[Key, int] = {}
        self.problems = Problems()
        self._seen: set[int] = set()

    def value(self, node: yaml.Node, path: Key) -> object:
        self.lines.setdefault(path, _line(node))
        if id(node) in self._seen:
            self._problem(node, path, "yaml_alias", "values written out", "an alias (*name)", "repeat the value")
            return None
        self._seen.add(id(node))
        if len(path) > _DEEPEST:
            self._problem(node, path, "yaml_depth", f"at most {_DEEPEST} levels", "more", "write it flatter")
            return None
        if node.tag not in _CORE_TAGS:
            self._problem(node, path, "yaml_tag", "plain YAML", f"the tag {node.tag}", "leave the tag out")
            return None
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        if node.tag == _PLAIN and _too_long(node.value):
            digits = f"{node.value[:12]}... of {len(node.value)} digits"
            expected = f"a number of at most {_MOST_DIGITS} digits"
            self._problem(node, path, "yaml_number", expected, digits, "put it in quotes if it is a name")
            return None
        return _plain(node.value) if node.tag == _PLAIN else node.value

    def _mapping(self, node: yaml.MappingNode, path: Key) -> dict[str | int, object]:
        data: dict[str | int, object] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node, path)
            if key is None:
                continue
            if key in data:
                first = self.lines[(*path, key)]
                self._problem(
                    key_node,
                    (*path, key),
                    "duplicate_key",
                    "each key once",
                    f"{key} again, first in line {first}",
                )
                continue
            self.lines[(*path, key)] = _line(key_node)
            data[key] = self.value(value_node, (*path, key))
        return data

    def _key(self, node: yaml.Node, path: Key) -> str | int | None:
        key = None
        if isinstance(node, yaml.ScalarNode) and node.tag in _CORE_TAGS and not _too_long(node.value):
            key = _plain(node.value) if node.tag == _PLAIN else node.value
        if isinstance(key, str) or (isinstance(key, int) and not isinstance(key, bool)):
            return key
        found = repr(node.value)[:80] if isinstance(node, yaml.ScalarNode) else "a list or mapping"
        self._problem(node, path, "yaml_key", "a name or an integer as key", found, "put the key in quotes")
        return None

    def _problem(self, node: yaml.Node, path: Key, code: str, expected: str, found: str, hint: str = "") -> None:
        self.problems.add(Problem(code, expected, found, hint, dotted(path), self.file, _line(node)))


def _dangerously_deep(text: str) -> bool:
    """Whether brackets or list dashes are nested so deep that libyaml's binding would overflow the C stack."""
    steps = (1 if bracket in "[{" else -1 for bracket in _BRACKET.findall(text))
    return max(accumulate(steps), default=0) > 1000 or _DASHES.search(text) is not None


def _too_long(text: str) -> bool:
    """Whether a text is an integer that no floating-point number can stand for."""
    return len(text) > _MOST_DIGITS and _INTEGER.match(text) is not None


def _plain(text: str) -> object:
    """The value of an unquoted scalar in YAML 1.2's core schema (decimal numbers only)."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.match(text):
        return int(text)
    return float(text) if _FLOAT.match(text) else text


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _syntax_problem(text: str, file: str, error: yaml.YAMLError) -> Document:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = mark.line + 1 if mark is not None else 1
    said = " ".join(str(part) for part in (getattr(error, "problem", None), getattr(error, "context", None)) if part)
    said = said or " ".join(str(error).split())
    source = text.splitlines()[line - 1] if 0 < line <= len(text.splitlines()) else ""
    if "\t" in source[: len(source) - len(source.lstrip())]:
        hint = "replace each tab by two spaces"
        return _broken(file, "yaml_tab", line, "spaces as indentation", "a tab character", hint)
    if "expected a single document" in said:
        return _broken(file, "yaml_documents", line, "one document in a file", "a second one after ---")
    hint = next((hint for words, hint in _HINTS if words in said), "")
    return _broken(file, "yaml_syntax", line, "valid YAML", said, hint)


def _broken(file: str, code: str, line: int, expected: str, found: str, hint: str = "") -> Document:
    problem = Problem(code=code, expected=expected, found=found, hint=hint, file=file, line=line)
    return Document(file, None, MappingProxyType({}), (problem,))
