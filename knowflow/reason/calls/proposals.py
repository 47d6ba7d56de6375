"""What a refused call should have been: the nearest call that passes the checks and keeps what was meant."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from knowflow.ground.report import Problem
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.reason.calls.arguments import are_files, renamed
from knowflow.reason.calls.call import Call, KnownFiles, Result, normal, texts_in, unwrapped
from knowflow.reason.calls.check import check_call, is_file_parameter
from knowflow.reason.calls.files import with_files
from knowflow.reason.calls.tool_names import nearest_tools, purpose_told
from knowflow.reason.calls.words import content, overlap, purpose

_CANDIDATES = 3


@dataclass(frozen=True, slots=True)
class Proposal:
    """Calls to make instead, in order; the last is the corrected one, those before it make what it needs.

    ``changes`` say what was done, one each; ``lost`` names arguments that were left out.
    """

    calls: tuple[Call, ...]
    changes: tuple[str, ...]
    lost: tuple[str, ...] = ()

    @property
    def call(self) -> Call:
        return self.calls[-1]

    def sentence(self) -> str:
        return "; ".join(self.changes)

    def to_json(self) -> dict[str, Any]:
        calls = [call.to_json() for call in self.calls]
        return {"calls": calls, "changes": list(self.changes), "lost": list(self.lost)}


def proposals(call: Call, tools: Mapping[str, ToolSchema], known: KnownFiles) -> tuple[Proposal, ...]:
    """Calls to make instead of a refused one, the best first: those that pass the checks, with the least left out.

    Nothing is proposed for what only the caller can know (an index out of range, a divisor of zero).
    """
    names = [call.tool] if call.tool in tools else list(nearest_tools(call, tools)[:_CANDIDATES])
    if call.tool in tools and any(name not in tools[call.tool].parameters for name in call.arguments):
        names += _takers(call, tools)
    mended = [_Mending(call, tools[name], tools, known).proposal() for name in names]
    passing = [one for one in mended if one is not None and not _problems(one, tools, known)]
    flags = {name for name, value in call.arguments.items() if str(value).lower() in ("true", "false")}
    ranked = sorted(enumerate(passing), key=lambda one: (len(set(one[1].lost) - flags), one[0]))
    return tuple(one for _, one in ranked)


def _problems(proposal: Proposal, tools: Mapping[str, ToolSchema], known: KnownFiles) -> list[Problem]:
    """What is still wrong with the calls of a proposal, each checked with what those before it write."""
    problems: list[Problem] = []
    for call in proposal.calls:
        problems += check_call(call, tools, known)
        known = known.plus(written(call, tools))
    return problems


def written(call: Call, tools: Mapping[str, ToolSchema]) -> list[str]:
    """The files that a call writes."""
    schema = tools.get(call.tool)
    if schema is None:
        return []
    outputs = [name for name, parameter in schema.parameters.items() if parameter.role == "output"]
    return [text for name in outputs for text in texts_in(unwrapped(call.arguments.get(name)))]


def _takers(call: Call, tools: Mapping[str, ToolSchema]) -> list[str]:
    """The tool most like the one called that takes all the arguments given, under its own names for them."""
    takers = []
    for name, schema in tools.items():
        names = renamed(schema, call.arguments)
        given = {names.get(one, one) for one in call.arguments}
        needed = {own for own, p in schema.parameters.items() if p.required or p.role == "output"}
        if needed <= given <= set(schema.parameters):
            takers.append((-overlap(purpose_told(tools[call.tool]), purpose_told(schema)), len(names), name))
    return [name for score, _, name in sorted(takers) if score < 0][:1]


class _Mending:
    """One call on its way to a tool's form; every step says what it changed."""

    def __init__(self, call: Call, schema: ToolSchema, tools: Mapping[str, ToolSchema], known: KnownFiles) -> None:
        self.schema, self.tools, self.known = schema, tools, known
        self.asked = call
        self.arguments: dict[str, Any] = dict(call.arguments)
        self.before: list[Call] = []
        self.changes: list[str] = [] if call.tool == schema.tool else [f"{call.tool} is called {schema.tool}"]
        self.lost: list[str] = []

    def proposal(self) -> Proposal | None:
        """The mended call; None where a step does not know what was meant."""
        steps: Sequence[Callable[[], bool]] = (
            self._unwrap,
            self._rename,
            self._forms,
            self._numbers,
            self._choices,
            self._folders,
            self._files,
            self._outputs,
        )
        if not all(step() for step in steps) or not self.changes:
            return None
        last = Call(self.schema.tool, self.arguments)
        return Proposal((*self.before, last), tuple(self.changes), tuple(self.lost))

    def _unwrap(self) -> bool:
        for name, value in self.arguments.items():
            plain = unwrapped(value)
            if isinstance(plain, Mapping) and "function_name" in plain:
                nested = self._nested(plain, name)
                if nested is None:
                    return False
                plain = nested
            if plain is not value and plain != value:
                self.changes.append(f"{name} is plain: {_short(plain)}")
            self.arguments[name] = plain
        return True

    def _nested(self, plain: Mapping[str, Any], name: str) -> Any:
        """The value of a call that is written where a value should be: the call goes first."""
        schema = self.tools.get(str(plain["function_name"]))
        given = plain.get("args", ())
        if schema is None or not isinstance(given, (list, tuple)):
            return None
        arguments: dict[str, Any] = {}
        for own, value in zip(schema.parameters, given, strict=False):
            found = unwrapped(value)
            arguments |= found if isinstance(found, Mapping) else {own: found}
        folder = next(iter(texts_in(list(arguments.values()))), "")
        parameter = self.schema.parameters.get(name)
        if parameter is not None and is_file_parameter(parameter) and self.known.has_folder(folder):
            return folder  # the files of a folder are found by name, and with the folder before it
        fixed = proposals(Call(schema.tool, arguments), self.tools, self.known)
        first = fixed[0].calls if fixed else (Call(schema.tool, arguments),)
        self.before += first
        return Result(len(self.before) - 1)

    def _rename(self) -> bool:
        names = renamed(self.schema, self.arguments)
        moved = {own: self.arguments.pop(given) for given, own in names.items()}
        self.arguments |= moved
        self.changes += [f"{given} is called {own}" for given, own in names.items()]
        for name in [name for name in self.arguments if name not in self.schema.parameters]:
            choosing = self._chosen_by(name)
            if choosing is not None:
                self.arguments[choosing] = name
                self.changes.append(f"{name}={self.arguments.pop(name)} is {choosing}={name!r}")
                continue
            del self.arguments[name]
            self.changes.append(f"{self.schema.tool} has no {name}: left out")
            self.lost.append(name)
        return True

    def _chosen_by(self, name: str) -> str | None:
        """The parameter of which a flag's name is a choice: ``above=True`` is ``mode="above"``."""
        if str(self.arguments[name]).lower() != "true":
            return None
        fitting = [
            own for own, p in self.schema.inputs.items() if name in p.choices and self.arguments.get(own) is None
        ]
        return fitting[0] if len(fitting) == 1 else None

    def _forms(self) -> bool:
        """One file where a list is wanted, as a list of one; rows with names, without them."""
        for name, value in self.arguments.items():
            parameter = self.schema.parameters[name]
            many = parameter.type == "raster_series" and not parameter.single
            many = many or (parameter.role == "output" and parameter.produces == "raster_series")
            if many and isinstance(value, str):
                self.arguments[name] = [value]
                self.changes.append(f"{name} is a list of one")
            if parameter.items is not None and isinstance(value, list) and _are_records(value):
                self.arguments[name] = [list(item.values()) for item in value]
                self.changes.append(f"{name} holds rows without names")
        return True

    def _numbers(self) -> bool:
        """Files where numbers are wanted: the numbers of the files come first."""
        wanted = {
            name: value
            for name, value in self.arguments.items()
            if self._takes_numbers(self.schema.parameters[name]) and are_files(value)
        }
        if not wanted:
            return True
        lists = {name: value for name, value in wanted.items() if self.schema.parameters[name].type == "list"}
        files = [text for value in wanted.values() for text in texts_in(value)]
        statistic = self._statistic(lists, len(files))
        if statistic is None:
            return False
        series = next(name for name, parameter in statistic.inputs.items() if parameter.required)
        mended = _Mending(Call(statistic.tool, {series: files}), statistic, self.tools, self.known)
        if not mended._files():
            return False
        first = Call(statistic.tool, mended.arguments)
        if len(files) == 1 and purpose(statistic.tool) == purpose(self.schema.tool) and len(self.arguments) == 1:
            self.schema, self.arguments = statistic, dict(first.arguments)
            self.changes.append(f"{self.asked.tool} takes numbers; {statistic.tool} takes files")
            return True
        self.before += [*mended.before, first]
        self.changes.append(f"first {statistic.tool} of the files: its numbers are taken")
        at = 0
        for name in wanted:
            self.arguments[name] = Result(len(self.before) - 1, None if name in lists else at)
            at += 0 if name in lists else 1
        return len(lists) <= 1

    def _takes_numbers(self, parameter: Parameter) -> bool:
        return parameter.items == "number" or parameter.type in ("number", "integer", "numbers")

    def _statistic(self, lists: Mapping[str, Any], count: int) -> ToolSchema | None:
        """The tool that gives one number per file: the same statistic for one file, else the mean."""
        fitting = [
            schema
            for schema in self.tools.values()
            if schema.returns is not None
            and schema.returns.type == "list"
            and [p.type for p in schema.inputs.values() if p.required] == ["raster_series"]
            and not any(p.role == "output" for p in schema.parameters.values())
        ]
        wanted = purpose(self.schema.tool) if lists and count == 1 else frozenset({"mean"})
        same = [schema for schema in fitting if purpose(schema.tool) == wanted]
        return next(iter(same or [schema for schema in fitting if purpose(schema.tool) == {"mean"}]), None)

    def _choices(self) -> bool:
        """A choice in other letters; a lacking one where a file or another argument names it."""
        said = {word for text in texts_in(list(self.arguments.values())) for word in content(PurePosixPath(text).stem)}
        for name, parameter in self.schema.inputs.items():
            value = self.arguments.get(name)
            if not parameter.choices or value in parameter.choices or (value is None and not parameter.required):
                continue
            meant = [choice for choice in parameter.choices if str(choice).casefold() == str(value).casefold()]
            if value is None:
                meant = [choice for choice in parameter.choices if str(choice).lower() in said]
            if len(meant) != 1:
                return False
            self.arguments[name] = meant[0]
            self.changes.append(f"{name} is {meant[0]!r}")
        return True

    def _folders(self) -> bool:
        """A folder that is there for one that is not: the same name elsewhere, else the one around it."""
        for name, parameter in self.schema.inputs.items():
            value = self.arguments.get(name)
            if parameter.type != "path" or not isinstance(value, str) or self.known.has_folder(value) is not False:
                continue
            found = self.known.folder_like(value)
            if found is None:
                return False
            self.arguments[name] = found
            self.changes.append(f"{name} is {found}")
        return True

    def _files(self) -> bool:
        found = with_files(Call(self.schema.tool, self.arguments), self.schema, self.tools, self.known)
        if found is None:
            return False
        self.before = [*found.before, *self.before]
        self.arguments |= found.values
        self.changes += found.changes
        return True

    def _outputs(self) -> bool:
        """Names for what is written: as many as there are scenes."""
        count, stems = self._scenes()
        for name, parameter in self.schema.parameters.items():
            if parameter.role != "output":
                continue
            value = self.arguments.get(name)
            listed = parameter.produces == "raster_series" or count > 1
            given = texts_in(value)
            if given and (len(given) == count or not listed):
                if listed and isinstance(value, str):
                    self.arguments[name] = given
                continue
            folder = _folder(given)
            label = "_".join(sorted(purpose(self.schema.tool))) or self.schema.tool
            named = [str(PurePosixPath(folder) / f"{label}_{stem}.tif") for stem in stems]
            self.arguments[name] = named if listed else named[0]
            self.changes.append(f"{name} is {_short(named if listed else named[0])}")
        return True

    def _scenes(self) -> tuple[int, list[str]]:
        """How many scenes a call is about, and what each is called."""
        lists = [
            texts_in(self.arguments[name])
            for name, parameter in self.schema.parameters.items()
            if is_file_parameter(parameter) and name in self.arguments and isinstance(self.arguments[name], (str, list))
        ]
        many = (
            self.schema.parameters[self.schema.primary_output].produces == "raster_series" if self._writes() else False
        )
        series = [p for p in self.schema.inputs.values() if p.type == "raster_series"]
        longest = max(lists, key=len, default=[])
        if series and not many:
            longest = longest[:1]
        stems = [PurePosixPath(text).stem for text in longest] or ["result"]
        return len(stems), stems

    def _writes(self) -> bool:
        return any(parameter.role == "output" for parameter in self.schema.parameters.values())


def _are_records(value: Sequence[Any]) -> bool:
    return bool(value) and all(isinstance(item, Mapping) for item in value)


def _folder(given: Sequence[str]) -> str:
    """Where files are to go, by what was given: a folder, or the folder of a file."""
    if not given:
        return "out"
    path = PurePosixPath(normal(given[0]))
    return str(path.parent if path.suffix else path)


def _short(value: Any) -> str:
    text = str(value) if isinstance(value, Result) else repr(value)
    return text if len(text) <= 70 else f"{text[:67]}..."
