"""What a composition may be made of, and the document that it becomes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from knowflow.graph.check import check_plan
from knowflow.ground.errors import DocumentError, NotUnderstoodError
from knowflow.knowledge.catalogue import Catalogue, load_catalogue
from knowflow.model.goal import QueryGoal
from knowflow.model.plan import Plan
from knowflow.model.template import Template
from knowflow.reason.inventory import Inventory, inventory_of_names
from knowflow.reason.language import understand
from knowflow.reason.llm.case import Case
from knowflow.reason.llm.composing import Part, document_of, template_of
from knowflow.reason.llm.options import Need, Option, Options
from knowflow.reason.planner import Planner

FILES = ("a_2020-06-01_NDVI.tif", "a_2020-07-01_NDVI.tif", "a_2021-06-01_NDVI.tif")
PIXELS = Need(("raster",), frozenset(), "tool.raster")
NUMBERS = Need(("list",), frozenset(), "tool.x")


class Names:
    """The files of an inventory as data, whatever the goal."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory

    def candidates(self, kind: str, quantity: tuple[str, ...], bands: tuple[str, ...], period: Any) -> Any:
        return self._inventory.candidates(kind, quantity, bands)

    def summary(self) -> str:
        return self._inventory.summary()


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def case(catalogue: Catalogue, question: str = "How wobbly is NDVI?", offered: tuple[str, ...] = ()) -> Case:
    inventory = inventory_of_names(FILES)
    planner = Planner(catalogue)

    def made_from(template: Template, goal: QueryGoal) -> Plan:
        return planner.instantiate(template, goal, Names(inventory), {})

    def never(*_: Any) -> Any:
        raise AssertionError("nothing is planned here")

    tools = offered or ("mean", "raster_statistic", "standard_deviation", "otsu_threshold", "connected_components")
    return Case(
        goal=understand(question),
        error=NotUnderstoodError("?"),
        catalogue=catalogue,
        inventory=inventory,
        planned=never,
        made_from=made_from,
        checked=lambda plan: check_plan(plan, catalogue.tools),
        nearest=never,
        offered=tools,
    )


def listed(options: Options, need: Need, depth: int = 4) -> dict[str, Option]:
    return {one.id: one for one in options.of(need, depth)}


def test_the_answer_may_be_a_template_or_a_tool_and_no_data(catalogue: Catalogue) -> None:
    found = listed(Options(case(catalogue)), Need())
    assert {"template", "tool"} == {one.kind for one in found.values()}
    assert {"tool mean", "tool raster_statistic", "template mean_over_area ndvi"} <= found.keys()


def test_what_takes_pixels_may_take_products_and_data_that_are_there(catalogue: Catalogue) -> None:
    found = listed(Options(case(catalogue)), PIXELS)
    assert {"data ndvi", "product produce_quantity ndvi"} <= found.keys()
    assert not any("surface_temperature" in name for name in found), "these files do not tell it"
    assert found["data ndvi"].layer == 1
    assert found["product produce_quantity ndvi"].layer == 2


def test_what_takes_numbers_takes_tools_that_make_them(catalogue: Catalogue) -> None:
    found = listed(Options(case(catalogue)), NUMBERS)
    assert "tool raster_statistic" in found
    assert not any(one.kind in ("data", "product") for one in found.values())


def test_a_tool_that_needs_what_cannot_be_had_is_not_on_the_list(catalogue: Catalogue) -> None:
    offered = ("zonal_statistics", "mean", "raster_statistic")
    found = listed(Options(case(catalogue, offered=offered)), Need())
    assert "tool zonal_statistics" not in found, "there are no polygons"
    assert "tool mean" in found


def test_depth_is_bounded(catalogue: Catalogue) -> None:
    assert not any(one.kind == "tool" for one in listed(Options(case(catalogue)), PIXELS, 0).values())


def parts(options: Options, *names: str, values: Mapping[str, Any] | None = None) -> Part:
    """``mean`` of ``raster_statistic`` of something."""
    every = {**listed(options, Need()), **listed(options, PIXELS)}
    top, statistic, below = (every[name] for name in names)
    return Part(top, {}, {"x": Part(statistic, values or {}, {"raster": Part(below)})})


def test_steps_are_carried_out_for_each_of_many_and_lists_of_them_taken_whole(catalogue: Catalogue) -> None:
    asked = case(catalogue)
    part = parts(Options(asked), "tool standard_deviation", "tool raster_statistic", "data ndvi")
    document = document_of(asked, part)
    data = yaml.safe_load(document)
    assert data["inputs"] == {"ndvi": {"type": "raster_series", "quantity": ["ndvi"]}}
    assert data["steps"]["raster_statistic"] == {"tool": "raster_statistic", "for_each": {"raster": "$inputs.ndvi"}}
    assert data["steps"]["standard_deviation"] == {
        "tool": "standard_deviation",
        "with": {"x": "$raster_statistic"},
    }
    plan = asked.made_from(template_of(asked, document), asked.goal)
    assert [node.tool for node in plan.workflow.nodes] == ["raster_statistic"] * 3 + ["standard_deviation"]


def test_the_same_composition_is_the_same_document_and_another_has_another_name(catalogue: Catalogue) -> None:
    asked = case(catalogue)
    options = Options(asked)
    names = ("tool mean", "tool raster_statistic", "data ndvi")
    first, again = document_of(asked, parts(options, *names)), document_of(asked, parts(options, *names))
    other = document_of(asked, parts(options, *names, values={"statistic": "median"}))
    assert first == again
    assert yaml.safe_load(first)["template"] != yaml.safe_load(other)["template"]


def test_a_document_that_does_not_hold_is_refused_with_all_reasons(catalogue: Catalogue, tmp_path: Path) -> None:
    asked = case(catalogue)
    document = document_of(asked, parts(Options(asked), "tool mean", "tool raster_statistic", "data ndvi"))
    wrong = document.replace("tool: mean", "tool: magic").replace("$inputs.ndvi", "$inputs.nothing")
    with pytest.raises(DocumentError) as caught:
        template_of(asked, wrong)
    assert {"unknown_tool", "dangling_reference"} <= {problem.code for problem in caught.value.problems}
