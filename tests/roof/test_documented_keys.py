"""What the pages say of the keys of authored documents is what the models have: no key more, none less."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any

import pytest
from documentation import FENCE, PAGES, ROOT, sections, tables

from knowflow.knowledge.cards import CardFile, TaskCard
from knowflow.knowledge.legends import Legend, LegendClass
from knowflow.knowledge.lexicon_file import Entry, LexiconFile, Limit
from knowflow.knowledge.things import Names, ThingsFile
from knowflow.model import model_card, pack, rule, template, tool
from knowflow.reason.llm.settings import _VARIABLES, REPLAY_VARIABLE, BudgetDocument, SettingsDocument, settings
from knowflow.service.results import RunResult
from knowflow_bench.inventory import labelled_folder
from knowflow_bench.tasks import task_file

# page and section -> the models that it tells everything of
EXPLAINED: dict[tuple[str, str], tuple[type[Any], ...]] = {
    ("inventory_benchmark.md", "How a set is written"): (
        labelled_folder.LabelledFolder,
        labelled_folder.FolderQuestion,
        labelled_folder.LabelledFile,
        labelled_folder.RasterPixels,
        labelled_folder.VectorFeature,
        labelled_folder.FileTruth,
    ),
    ("library.md", "Results"): (RunResult,),
    ("lexicon.md", "Files"): (LexiconFile, Entry, Limit),
    ("lexicon.md", "Names in other languages"): (ThingsFile, Names),
    ("llm.md", "Setting it up"): (SettingsDocument, BudgetDocument),
    ("models.md", "The card"): (
        model_card.ModelCard,
        model_card.Normalisation,
        model_card.Tile,
        model_card.Detection,
    ),
    ("preprocessing.md", "Classes by their names"): (Legend, LegendClass),
    ("repair.md", "Writing a rule"): (
        rule.Rule,
        rule.Pattern,
        rule.RuleAction,
        rule.InsertTool,
        rule.SetTo,
        rule.ReplaceTool,
        rule.DropItems,
        rule.Retry,
        rule.RuleTest,
    ),
    ("task_benchmark.md", "How a task is written"): (
        task_file.BenchmarkFile,
        task_file.Sample,
        task_file.BenchmarkTask,
        task_file.Case,
        task_file.Damage,
        task_file.TrueAnswer,
        task_file.Use,
        task_file.Unanswerable,
    ),
    ("templates.md", "The keys"): (template.Template,),
    ("templates.md", "Parameters"): (template.TemplateParameter,),
    ("templates.md", "Inputs"): (template.TemplateInput,),
    ("templates.md", "Steps"): (template.Step,),
    ("templates.md", "Tests"): (template.TemplateTest, template.Scene, template.SceneLayer, template.Expected),
    ("templates.md", "Packs: templates over other people's tools"): (
        pack.Pack,
        pack.Opening,
        pack.Conventions,
        pack.CallStyle,
    ),
    ("templates.md", "Being asked for"): (CardFile, TaskCard),
    ("tools.md", "The schema"): (tool.ToolSchema, tool.Parameter, tool.Returned, tool.Preserved, tool.Effects),
}
OF_KEYS = re.compile(r"key|field of")


def keys(model: type[Any]) -> set[str]:
    """The keys of a model as they are authored."""
    if dataclasses.is_dataclass(model):
        return {field.name for field in dataclasses.fields(model)}
    return {field.alias or name for name, field in model.model_fields.items()}


def section(page: str, heading: str) -> str:
    return sections(ROOT / "docs" / page)[heading]


def code(text: str) -> Iterator[str]:
    """What is set as code: fenced blocks, and spans between backticks."""
    yield from (match["text"] for match in FENCE.finditer(text))
    yield from re.findall(r"`([^`]+)`", FENCE.sub("", text))


def named(cell: str) -> set[str]:
    """The keys in a cell: of ``a``, ``b: VALUE``, ``c.d`` and ``e: {f, g}`` they are a to g."""
    return {
        word
        for span in re.findall(r"`([^`]+)`", cell)
        for word in re.findall(r"[a-z][a-z_0-9]*", span if "{" in span else span.partition(":")[0])
    }


@pytest.mark.parametrize("place", EXPLAINED, ids="#".join)
def test_every_key_is_explained(place: tuple[str, str]) -> None:
    told = {word for piece in code(section(*place)) for word in re.findall(r"\w+", piece)}
    assert {key for model in EXPLAINED[place] for key in keys(model)} - told == set()


@pytest.mark.parametrize("place", EXPLAINED, ids="#".join)
def test_every_key_that_a_table_explains_exists(place: tuple[str, str]) -> None:
    known = {key for model in EXPLAINED[place] for key in keys(model)}
    listed = [row[0] for head, rows in tables(section(*place)) if OF_KEYS.match(head[0]) for row in rows]
    assert {key for cell in listed for key in named(cell)} - known == set()


def test_every_table_of_keys_is_compared() -> None:
    found = {
        (page.name, heading)
        for page in PAGES
        for heading, text in sections(page).items()
        for head, _ in tables(text)
        if OF_KEYS.match(head[0])
    }
    assert len(found) >= 7
    assert found <= set(EXPLAINED)


def test_settings_of_a_language_model_have_the_variables_and_defaults_that_are_told() -> None:
    ((_, rows),) = tables(section("llm.md", "Setting it up"))
    variables: dict[str, str] = {}
    defaults: dict[str, str] = {}
    for key, names, _, default in rows:
        defaults[key.strip("`")] = default
        variables |= dict.fromkeys(re.findall(r"`(\w+)`", names), key.strip("`"))
    assert variables == {**dict(_VARIABLES), REPLAY_VARIABLE: ""}
    usual = settings({})
    values = dataclasses.asdict(usual) | {
        f"budget.{name}": value for name, value in dataclasses.asdict(usual.limits).items()
    }
    for key, default in defaults.items():
        if re.fullmatch(r"\d+|on", default):
            assert values[key] == (True if default == "on" else float(default)), key
