"""All knowledge at hand, and the check of any of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from knowflow.ground.errors import DataNotFoundError
from knowflow.ground.quantities import validate_quantities
from knowflow.ground.report import Problem
from knowflow.ground.yamldoc import load
from knowflow.knowledge.cards import check_cards
from knowflow.knowledge.catalogue import Catalogue, kind_of, load_catalogue
from knowflow.knowledge.legends import check_legends
from knowflow.knowledge.models import check_card, check_models
from knowflow.knowledge.packs import pack_problems
from knowflow.knowledge.plan_document import plan_problems
from knowflow.knowledge.rules import load_rules
from knowflow.model.tool import ToolSchema
from knowflow.reason.inventory import check_grammars
from knowflow.service.benchmark_documents import check_benchmark

AUTHORED = ("*.yaml", "*.yml")


def check_documents(paths: Sequence[Path]) -> list[Problem]:
    """Every problem of the given files and folders, or, without any, of all knowledge at hand.

    Raises:
        DataNotFoundError: a path does not exist.
    """
    files = list(_files(paths))
    kinds = {path: kind_of(path) for path in files}
    catalogue = load_catalogue(path for path, kind in kinds.items() if kind in ("tool", "template"))
    problems = [*catalogue.problems, *_binding_problems(catalogue.tools, catalogue)]
    if not paths:
        problems += [*validate_quantities(), *check_grammars(), *check_cards(set(catalogue.templates)), *check_models()]
        problems += check_legends()
        problems += load_rules(catalogue.tools).problems
        problems += [*check_benchmark(catalogue.tools), *pack_problems(catalogue.tools)]
        return _once(problems)
    wanted = {str(path) for path in files}
    problems = [problem for problem in problems if problem.file in wanted]
    checks: Mapping[str | None, Callable[[Path], list[Problem]]] = {
        "plan": lambda path: plan_problems(path, catalogue.tools),
        "model": lambda path: list(check_card(path)),
        "benchmark": lambda path: check_benchmark(catalogue.tools, [path]),
    }
    whole: Mapping[str | None, Callable[[], Iterable[Problem]]] = {
        "cards": lambda: check_cards(set(catalogue.templates)),
        "quantity": validate_quantities,
        "grammars": check_grammars,
        "legend": check_legends,
        "rules": lambda: (
            load_rules(catalogue.tools, [path for path, kind in kinds.items() if kind == "rules"]).problems
        ),
    }
    for path, kind in kinds.items():
        if kind in ("tool", "template"):
            continue
        if kind in checks:
            problems += checks[kind](path)
        elif kind in whole:
            problems += [problem for problem in whole[kind]() if problem.file == str(path)]
        else:
            problems += _unknown_kind(path, kind)
    return _once(problems)


def _files(paths: Sequence[Path]) -> Iterable[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(found.resolve() for pattern in AUTHORED for found in path.rglob(pattern))
        elif path.is_file():
            yield path.resolve()
        else:
            raise DataNotFoundError(
                "there is nothing to check", where=str(path), expected="a file or folder", found="nothing"
            )


def _unknown_kind(path: Path, kind: str | None) -> list[Problem]:
    document = load(path)
    if document.problems:
        return list(document.problems)
    expected = "a document that begins with tool, template, plan, ..."
    return [document.problem((), "unknown_kind", expected, repr(kind) if kind else "no key at all")]


def _binding_problems(tools: Mapping[str, ToolSchema], catalogue: Catalogue) -> list[Problem]:
    """Schemas that do not fit the function or program behind them, at the line of the schema."""
    from knowflow.tools.registry import check_binding

    problems = []
    for name, schema in tools.items():
        document = catalogue.documents.get(f"tool:{name}")
        for problem in check_binding(schema):
            if document is None:
                problems.append(problem)
            else:
                problems.append(document.problem(("run",), problem.code, problem.expected, problem.found, problem.hint))
    return problems


def _once(problems: Iterable[Problem]) -> list[Problem]:
    return sorted(dict.fromkeys(problems), key=lambda problem: (problem.file, problem.line, problem.code))
