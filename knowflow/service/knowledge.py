"""All knowledge at hand, and the check of any of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel

from knowflow.ground.bands import validate_bands
from knowflow.ground.errors import DataNotFoundError, DocumentError
from knowflow.ground.quantities import quantity_kinds, validate_quantities
from knowflow.ground.report import Problem
from knowflow.ground.resources import search_path
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.yamldoc import load
from knowflow.knowledge.cards import Taxonomy, check_cards
from knowflow.knowledge.catalogue import Catalogue, kind_of, load_catalogue
from knowflow.knowledge.documents import load_model
from knowflow.knowledge.legends import check_legends
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.lexicon_check import check_lexicon
from knowflow.knowledge.models import check_card, check_models
from knowflow.knowledge.packs import pack_problems
from knowflow.knowledge.plan_document import plan_problems
from knowflow.knowledge.reading_words import check_reading
from knowflow.knowledge.rules import load_rules
from knowflow.knowledge.things import check_things
from knowflow.knowledge.wording_check import wording_problems
from knowflow.model.tool import ToolSchema
from knowflow.question.document import question_problems
from knowflow.reason.compiling.procedures import procedure_problems
from knowflow.reason.definitions import definition_problems
from knowflow.reason.inventory import check_grammars, check_products
from knowflow.reason.inventory.described import dataset_problems
from knowflow.service.unread_documents import unread, unread_in_use
from knowflow.tools.mcp.servers import server_problems

AUTHORED = ("*.yaml", "*.yml")
_OF_BENCHES = ("benchmark", "folder", "corpus")  # what documents begin with that `knowflow bench check` reads

_PACKS = "packs"  # the folder of pkb/ whose folders hold the templates of packs

Check = Callable[[], Iterable[Problem]]
# documents that mean something only together, by the folder of pkb/ that they live in: what each begins with
_FOLDERS: Mapping[str, tuple[str, ...]] = {
    "cards": ("cards",),
    "quantities": ("quantity",),
    "grammars": ("grammar", "layer", "derived"),
    "products": ("products",),
    "legends": ("legend",),
    "lexicon": ("lexicon",),
    "bands": ("sensor",),
    "packs": ("pack",),
    "reading": ("reading",),
    "things": ("things",),
}

_ALONE = ("taxonomy", "threshold", "retired")  # what documents of which there is one begin with


def check_documents(paths: Sequence[Path]) -> list[Problem]:
    """Every problem of the given files and folders, or, without any, of all knowledge at hand.

    While the quantity kinds are not valid only theirs are found: all other documents are told in them.

    Raises:
        DataNotFoundError: a path does not exist.
        DocumentError: quantity kinds of files that are not asked about are not valid.
    """
    files = list(authored_files(paths))
    try:
        quantity_kinds()
    except DocumentError:
        asked = [problem for problem in validate_quantities() if not paths or problem.file in map(str, files)]
        if any(problem.severity == "error" for problem in asked):
            return asked
        raise
    kinds = {path: kind_of(path) for path in files}
    catalogue = load_catalogue(path for path, kind in kinds.items() if kind in ("tool", "template"))
    problems = [*catalogue.problems, *_binding_problems(catalogue.tools, catalogue)]
    problems += _wordings(catalogue)
    whole = _whole(catalogue)
    if not paths:
        problems += [problem for check in whole.values() for problem in check()]
        problems += [*check_models(), *load_rules(catalogue.tools).problems, *unread_in_use()]
        return _once(problems)
    rules = [path for path, kind in kinds.items() if kind == "rules"]
    found: dict[str, Iterable[Problem]] = {}  # by folder: checked once, however many of its files are asked about
    for path, kind in kinds.items():
        folder = _folder_of(path, kind)
        nowhere = unread(path, kind, (name for name, keys in _FOLDERS.items() if kind in keys))
        if nowhere is not None:
            problems += [*load(path).problems, nowhere]
            continue
        match kind:
            case "tool" | "template":
                continue
            case "dataset":
                problems += dataset_problems(path)
            case "plan":
                problems += plan_problems(path, catalogue.tools)
            case "model":
                problems += check_card(path)
            case "servers":
                problems += server_problems(path)
            case "algebra" | "question":
                problems += question_problems(path)
            case "taxonomy" | "threshold" | "retired":
                problems += load_model(path, _of_one(kind)).problems
            case "rules":
                found.setdefault("rules", load_rules(catalogue.tools, rules).problems)
            case _ if folder is not None:
                found.setdefault(folder, tuple(whole[folder]()))
                problems += _out_of_place(path, folder)
            case _:
                problems += _unknown_kind(path, kind)
    problems += [problem for some in found.values() for problem in some]
    wanted = {str(path) for path in files}
    return _once(problem for problem in problems if problem.file in wanted)


def _of_one(kind: str) -> type[BaseModel]:
    """What a document of which there is one holds."""
    from knowflow.knowledge.retired import Retired
    from knowflow.knowledge.retrieval import Calibration  # numpy

    known: dict[str, type[BaseModel]] = {"taxonomy": Taxonomy, "retired": Retired, "threshold": Calibration}
    return known[kind]


def _whole(catalogue: Catalogue) -> Mapping[str, Check]:
    """The checks of documents that are read together, by folder of pkb/."""
    return {
        "cards": lambda: check_cards(set(catalogue.templates)),
        "quantities": validate_quantities,
        "grammars": check_grammars,
        "products": check_products,
        "legends": check_legends,
        "lexicon": check_lexicon,
        "bands": validate_bands,
        "packs": lambda: pack_problems(catalogue.tools),
        "reading": check_reading,
        "things": check_things,
    }


def _folder_of(path: Path, kind: str | None) -> str | None:
    """The folder of pkb/ that a document lies in, or should lie in by what it begins with."""
    for _, root in search_path("pkb"):
        if path.is_relative_to(root.resolve()):
            return next((part for part in path.relative_to(root.resolve()).parts[:1] if part in _FOLDERS), None)
    return next((folder for folder, keys in _FOLDERS.items() if kind in keys), None)


def _out_of_place(path: Path, folder: str) -> list[Problem]:
    """That a document is not read, and so not checked, where it lies."""
    if any(path.is_relative_to(root.resolve()) for _, root in search_path("pkb")):
        return []
    document = load(path)
    expected = f"a place where knowledge is looked for: .knowflow/pkb/{folder}/"
    hint = "put it there, and check it again: such documents are read together"
    return [*document.problems, document.problem((), "not_in_use", expected, str(path.parent), hint)]


def authored_files(paths: Sequence[Path]) -> Iterable[Path]:
    """These files, and the authored ones in these folders.

    Raises:
        DataNotFoundError: a path does not exist, or is a folder without any.
    """
    for path in paths:
        found = sorted(one.resolve() for pattern in AUTHORED for one in path.rglob(pattern))
        if found:
            yield from found
        elif path.is_file():
            yield path.resolve()
        else:
            raise DataNotFoundError(
                "there is nothing to check",
                where=str(path),
                expected="a file, or a folder of them",
                found=f"no {' or '.join(AUTHORED)}" if path.is_dir() else "nothing",
            )


def _unknown_kind(path: Path, kind: str | None) -> list[Problem]:
    document = load(path)
    if document.problems:
        return list(document.problems)
    begun = (
        "tool",
        "template",
        "plan",
        "dataset",
        "rules",
        "model",
        "algebra",
        *_ALONE,
        *(key for keys in _FOLDERS.values() for key in keys),
    )
    expected = f"a document that begins with one of {', '.join(begun)}"
    hint = "`knowflow bench check` reads it" if kind in _OF_BENCHES else did_you_mean(kind or "", begun, most=1)
    return [document.problem((), "unknown_kind", expected, repr(kind) if kind else "no key at all", hint)]


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


def _wordings(catalogue: Catalogue) -> Iterator[Problem]:
    """Problems of the words and tests of templates; those of a pack are about others' tools, and have no scenes.

    Words are compared with a lexicon that is valid; what is wrong with another is told where it is asked about.
    """
    try:
        lexicon()
    except DocumentError:
        return
    for name, template in catalogue.templates.items():
        document = catalogue.documents.get(f"template:{name}")
        if document is not None and _PACKS not in Path(document.file).parts:
            yield from wording_problems(template, document)
            yield from definition_problems(template, document)
            yield from procedure_problems(template, catalogue.tools, document)


def _once(problems: Iterable[Problem]) -> list[Problem]:
    return sorted(dict.fromkeys(problems), key=lambda problem: (problem.file, problem.line, problem.code))
