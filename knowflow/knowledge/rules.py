"""Repair rules at hand: ``pkb/rules/**/*.yaml``, loaded and checked; every problem with file and line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import Field

from knowflow.ground.errors import DocumentError, UnknownNameError
from knowflow.ground.report import Problem, Problems
from knowflow.ground.resources import resources
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.yamldoc import Document, Key
from knowflow.knowledge.documents import Loaded, load_model
from knowflow.knowledge.schema_check import condition_problems
from knowflow.model.causes import CAUSES
from knowflow.model.facts import FACT_TITLES
from knowflow.model.rule import Rule, RuleAction
from knowflow.model.tool import Document as Authored
from knowflow.model.tool import ToolSchema

Tools = Mapping[str, ToolSchema]
_REFERENCE = re.compile(r"\$(found|args)\.[A-Za-z_]\w*( *\* *[0-9.]+)?")


class RuleFile(Authored):
    """Rules about one subject."""

    rules: tuple[Rule, ...] = Field(min_length=1)


@dataclass(frozen=True)
class RuleBook:
    """The rules in use by name, with the file of each; ``broken`` has those left out, by name, with what is wrong.

    A file of which no names can be read stands there by its path.
    """

    rules: Mapping[str, Rule] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    broken: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)

    def rule(self, name: str) -> Rule:
        """A rule by name; an unknown name is an error that suggests the closest, a broken rule its problems."""
        if name in self.broken:
            problems = self.broken[name]
            raise DocumentError(f"the rule {name!r} has errors", where=problems[0].file, problems=problems)
        if name in self.rules:
            return self.rules[name]
        raise UnknownNameError(
            f"no rule is called {name!r}",
            expected="a rule that exists",
            found=name,
            hint=did_you_mean(name, self.rules, "see `knowflow rules list`"),
        )


def load_rules(tools: Tools, extra: Collection[Path] = ()) -> RuleBook:
    """Every rule on the search path, strongest layer first, and ``extra`` files before all of them.

    A rule of a stronger layer hides one of the same name; a broken one is left out, with its problems.
    """
    problems = Problems()
    rules: dict[str, Rule] = {}
    files: dict[str, str] = {}
    layers: dict[str, str] = {}
    broken: dict[str, tuple[Problem, ...]] = {}
    known = {path.resolve() for path in extra}
    places = [("given", path) for path in extra]
    places += [(r.layer, r.path) for r in resources("pkb", "rules/**/*.yaml") if r.path.resolve() not in known]
    for layer, path in places:
        loaded = _read(path, path.stat().st_mtime_ns) if path.is_file() else load_model(path, RuleFile)
        problems.extend(loaded.problems)
        if loaded.model is None:
            broken |= dict.fromkeys(_names(loaded.document) or [str(path)], loaded.problems)
        for number, rule in enumerate(loaded.model.rules if loaded.model else ()):
            where: Key = ("rules", number)
            if rule.rule in files:
                hidden = layers[rule.rule] != layer
                code, expected = ("shadowed", "rules in use") if hidden else ("duplicate_name", "each rule once")
                found = f"{rule.rule}, also in {files[rule.rule]}"
                severity: Any = "warning" if hidden else "error"
                problems.add(loaded.document.problem((*where, "rule"), code, expected, found, severity=severity))
                continue
            files[rule.rule], layers[rule.rule] = str(path), layer
            own = list(rule_problems(rule, loaded.document, where, tools))
            problems.extend(own)
            if any(problem.severity == "error" for problem in own):
                broken[rule.rule] = tuple(own)
            else:
                rules[rule.rule] = rule
    return RuleBook(rules, files, tuple(problems), broken)


def _names(document: Document) -> list[str]:
    """The names of the rules in a file that is not valid, as far as they can be read."""
    listed = document.data.get("rules") if isinstance(document.data, dict) else None
    rules = listed if isinstance(listed, list) else []
    return [rule["rule"] for rule in rules if isinstance(rule, dict) and isinstance(rule.get("rule"), str)]


@lru_cache(maxsize=256)
def _read(path: Path, changed: int) -> Loaded[RuleFile]:
    """A file of rules, parsed once for as long as nobody changes it: a server answers many failures."""
    return load_model(path, RuleFile)


def rule_problems(rule: Rule, document: Document, path: Key, tools: Tools) -> Iterator[Problem]:
    """What is wrong with one rule: names that do not exist, conditions, references, arguments."""
    for number, cause in enumerate(rule.if_.cause):
        if cause not in CAUSES:
            yield _unknown(document, (*path, "if", "cause", number), "unknown_cause", "a cause", cause, CAUSES)
    for number, tool in enumerate(rule.if_.tool):
        if tool not in tools:
            yield _unknown(document, (*path, "if", "tool", number), "unknown_tool", "a tool that exists", tool, tools)
    named = {"it"}
    for tool in rule.if_.tool or tools:
        if tool in tools:
            named |= set(tools[tool].inputs)
    for number, text in enumerate(rule.if_.where):
        yield from condition_problems(document, (*path, "if", "where", number), text, named)
    for number, fact in enumerate(rule.if_.lacks):
        if fact not in FACT_TITLES:
            yield _unknown(document, (*path, "if", "lacks", number), "unknown_fact", "a fact", fact, FACT_TITLES)
    if rule.if_.error is not None:
        try:
            re.compile(rule.if_.error)
        except re.error as error:
            yield document.problem((*path, "if", "error"), "bad_pattern", "a regular expression", str(error))
    for number, action in enumerate(rule.then):
        yield from _action_problems(action, rule, document, (*path, "then", number), tools)
    if not rule.tests:
        yield document.problem(path, "no_test", "at least one test", f"none in {rule.rule}")
    for number, test in enumerate(rule.tests):
        if test.tool not in tools:
            place = (*path, "tests", number, "tool")
            yield _unknown(document, place, "unknown_tool", "a tool that exists", test.tool, tools)


def _action_problems(action: RuleAction, rule: Rule, document: Document, path: Key, tools: Tools) -> Iterator[Problem]:
    if action.insert_tool is not None:
        name, given, block = action.insert_tool.tool, action.insert_tool.with_, "insert_tool"
    elif action.replace_tool is not None:
        name, given, block = action.replace_tool.tool, action.replace_tool.arguments, "replace_tool"
    else:
        if action.set_parameter is not None:
            yield from _value_problems(action.set_parameter.value, rule, document, (*path, "set_parameter", "value"))
        for fact, value in (action.state_facts or {}).items():
            place = (*path, "state_facts", fact)
            if fact not in FACT_TITLES:
                yield _unknown(document, place, "unknown_fact", "a fact", fact, FACT_TITLES)
            yield from _value_problems(value, rule, document, place)
        return
    if name not in tools:
        yield _unknown(document, (*path, block, "tool"), "unknown_tool", "a tool that exists", name, tools)
        return
    within = "with" if block == "insert_tool" else "arguments"
    for argument, value in given.items():
        place = (*path, block, within, argument)
        if argument not in tools[name].inputs:
            inputs = tools[name].inputs
            yield _unknown(document, place, "unknown_argument", f"a parameter of {name}", argument, inputs)
        yield from _value_problems(value, rule, document, place)


def _value_problems(value: Any, rule: Rule, document: Document, path: Key) -> Iterator[Problem]:
    """A reference that is none, or to a finding that the pattern does not ask for."""
    if not isinstance(value, str) or not value.startswith("$"):
        return
    if not _REFERENCE.fullmatch(value):
        yield document.problem(path, "bad_reference", "$found.NAME, $args.NAME, or one of them * NUMBER", value)
    elif value.startswith("$found."):
        name = value.removeprefix("$found.").split("*")[0].strip()
        if name not in rule.if_.found:
            expected = f"found: [{name}] in the pattern, so that the rule needs it"
            yield document.problem(path, "finding_not_asked_for", expected, value)


def _unknown(document: Document, path: Key, code: str, expected: str, found: str, known: Collection[str]) -> Problem:
    return document.problem(path, code, expected, repr(found), did_you_mean(found, known))
