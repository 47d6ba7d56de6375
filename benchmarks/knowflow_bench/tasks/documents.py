"""The authored tasks of the benchmark: loaded, and checked like all knowledge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from knowflow.ground.errors import DocumentError
from knowflow.ground.report import Problem
from knowflow.ground.yamldoc import Document, Key
from knowflow.knowledge.cards import load_taxonomy
from knowflow.model.tool import ToolSchema
from knowflow_bench.authored import loaded
from knowflow_bench.tasks.task_file import BenchmarkFile, Case, TrueAnswer
from knowflow_bench.truth import check_truth

PATTERN = "tasks/**/*.yaml"


def benchmark_files() -> tuple[BenchmarkFile, ...]:
    """All authored tasks.

    Raises:
        DocumentError: a file is not valid; all problems are listed.
    """
    files = list(loaded(PATTERN, BenchmarkFile))
    problems = [problem for one in files for problem in one.problems]
    if problems:
        raise DocumentError("the tasks of the benchmark are not valid", problems=problems)
    return tuple(one.model for one in files if one.model is not None)


def check_benchmark(tools: Mapping[str, ToolSchema], paths: Sequence[Path] = ()) -> list[Problem]:
    """Every problem of the given files of tasks, or of all at hand: shape, names of scenes and tools, truths."""
    problems: list[Problem] = []
    seen: dict[str, str] = {}
    for one in loaded(PATTERN, BenchmarkFile, paths):
        problems += one.problems
        if one.model is not None:
            problems += _problems(one.model, one.document, tools, seen)
    return problems


def _problems(
    file: BenchmarkFile, document: Document, tools: Mapping[str, ToolSchema], seen: dict[str, str]
) -> Iterator[Problem]:
    known = {name for domain in load_taxonomy().domains.values() for name in domain.sub_domains}
    if file.benchmark not in known:
        yield document.problem(("benchmark",), "unknown_name", f"one of {', '.join(sorted(known))}", file.benchmark)
    for number, task in enumerate(file.tasks):
        place: Key = ("tasks", number)
        first = seen.setdefault(task.task, f"{document.file}:{document.line(place)}")
        if first != f"{document.file}:{document.line(place)}":
            yield document.problem((*place, "task"), "duplicate_name", "each task once", f"{task.task}, also {first}")
        for level, case in (("simple", task.simple), ("complex", task.complex)):
            yield from _of_case(file, case, document, (*place, level), tools)
    for number, question in enumerate(file.unanswerable):
        yield from _of_scene(file, question.scene, question.altered, document, ("unanswerable", number))


def _of_case(
    file: BenchmarkFile, case: Case, document: Document, place: Key, tools: Mapping[str, ToolSchema]
) -> Iterator[Problem]:
    yield from _of_scene(file, case.scene, case.altered, document, place)
    for number, use in enumerate(case.uses):
        for name in use.tools:
            if name not in tools:
                yield document.problem((*place, "uses", number, "tool"), "unknown_tool", "a tool that exists", name)
            else:
                for parameter in use.with_:
                    if parameter not in tools[name].parameters:
                        where = (*place, "uses", number, "with", parameter)
                        yield document.problem(where, "unknown_parameter", f"a parameter of {name}", parameter)
    scene = file.scenes.get(case.scene)
    layers = None if scene is None else {layer.name for layer in (*scene.layers, *case.added)}
    for text in truths(case.answer):
        try:
            names = check_truth(text)
        except DocumentError as error:
            yield document.problem((*place, "answer"), "bad_truth", error.expected or "", error.found or "")
            continue
        if layers is not None and names - layers:
            found = ", ".join(sorted(names - layers))
            yield document.problem((*place, "answer"), "unknown_layer", f"one of {', '.join(sorted(layers))}", found)


def _of_scene(
    file: BenchmarkFile, name: str, altered: Mapping[str, Any], document: Document, place: Key
) -> Iterator[Problem]:
    scene = file.scenes.get(name)
    if scene is None and name not in file.samples:
        expected = f"one of {', '.join((*file.scenes, *file.samples)) or 'none'}"
        yield document.problem((*place, "scene"), "unknown_scene", expected, name)
    layers = set() if scene is None else {layer.name for layer in scene.layers}
    for layer in altered:
        if layer not in layers:
            expected = f"one of {', '.join(sorted(layers)) or 'none: a sample is not altered'}"
            yield document.problem((*place, "altered", layer), "unknown_layer", expected, layer)


def truths(answer: TrueAnswer) -> Iterator[str]:
    """The expressions in an answer; text in them that is no expression is a literal in quotes."""
    values: list[Any] = [answer.value, *answer.values.values(), *(v for row in answer.rows for v in row.values())]
    yield from (value for value in values if isinstance(value, str) and not is_literal(value))
    if answer.pixels is not None:
        yield answer.pixels


def is_literal(value: str) -> bool:
    """Whether a text is meant as it stands: in quotes of its own, ``"'2022-07-11'"``."""
    return len(value) > 1 and value[0] == value[-1] == "'"
