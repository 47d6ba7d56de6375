"""Comparisons of photographs carried out: what is planned gives the number that is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from knowflow.execution.local_runner import LocalRunner
from knowflow.execution.scheduler import execute
from knowflow.knowledge.packs import load_pack
from knowflow.model.tool import ToolSchema
from knowflow.reason.inventory import Inventory, take_inventory
from knowflow.service.knowledge_cache import catalogue_of
from knowflow.service.planning_calls import call_planner
from knowflow.tools.earth_agent import networks

DESCRIBED = {"The westernmost bridge": [0, 0, 2, 2], "The largest harbor": [30, 40, 32, 42]}
FOUND = {"ship": [[0, 0, 2, 2], [3, 0, 5, 2], [30, 0, 32, 2]], "harbor": [[0, 0, 4, 4]]}
COUNTED = {"ship": 3, "harbor": 2}


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, ToolSchema]:
    return load_pack("earth_agent", catalogue_of(tmp_path_factory.mktemp("cache")).tools).catalogue.tools


@pytest.fixture
def image(tmp_path: Path) -> Iterator[Inventory]:
    """One image, and networks that see the same on every one."""
    (tmp_path / "images").mkdir()
    Image.fromarray(np.full((50, 50), 9, np.uint8)).save(tmp_path / "images" / "A.png")
    seen: dict[str, dict[str, Any]] = {"RemoteSAM": DESCRIBED, "SM3Det": FOUND, "InstructSAM": COUNTED}
    for name, answers in seen.items():
        networks.register_network(name, lambda input_image_path, text_prompt, answers=answers: answers[text_prompt])
    yield take_inventory(tmp_path / "images")
    for name in seen:
        networks.unregister_network(name)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("How many metres is it from the westernmost bridge to the largest harbor? (GSD = 0.5 m/px)", 25.0),
        ("By how many metres does the longest distance between two ships exceed the shortest (GSD = 0.5)?", 13.5),
        ("How many times farther apart are the two farthest ships than the two closest?", 10.0),
        ("How many times as many ships as harbors are there?", 1.5),
        ("How many more ships than harbors are there?", 1.0),
        ("By what percentage do the ships outnumber the harbors?", 50.0),
        ("Ratio between the bounding box areas of ships and harbors?", 0.75),
        ("Mean bounding box area of the ships?", 4.0),
        ("One patrol boat can inspect 2 ships. How many patrol boats are needed?", 2.0),
    ],
)
def test_what_is_planned_gives_the_number(
    query: str, expected: float, image: Inventory, schemas: Mapping[str, ToolSchema], tmp_path: Path
) -> None:
    plan, _ = call_planner().plan(query, image)
    trace = execute(plan, schemas, LocalRunner(1), tmp_path / "home")
    answer = trace.outputs["answer"]
    values = [item.value for item in answer.items] if answer.items else [answer.value]
    assert values == [pytest.approx(expected)]
