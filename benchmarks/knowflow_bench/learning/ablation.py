"""The same stream with a part of the system taken away: templates, repairs, learning.

Without templates every plan is made from the tools alone, by backward chaining over the expression. Without repairs a
failure is diagnosed, and nobody mends it. Without learning what was mended is forgotten.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from typing import Any

from knowflow_bench.learning.campaign import Outcome, Setting, _Home, stream

SETTINGS = (
    Setting(),
    Setting("without templates", templates=False),
    Setting("without adjustment", adjusts=False),
    Setting("without learning", learns=False),
)


def ablations(
    tasks: int = 300, orders: int = 5, on_setting: Callable[[dict[str, Any]], None] | None = None
) -> list[dict[str, Any]]:
    """A row for each setting: the shares of the stream that were ``planned``, true at the ``first_pass`` (and of its
    last half), and true ``in_the_end``; ``repairs_asked``: how often a person or a model was asked; ``wrong`` answers.
    """
    found = []
    for setting in SETTINGS:
        row = {"setting": setting.name, **_counted(list(_outcomes(setting, tasks, orders)))}
        found.append(row)
        if on_setting is not None:
            on_setting(row)
    return found


def _outcomes(setting: Setting, tasks: int, orders: int) -> Iterator[list[Outcome]]:
    for order in range(orders):
        with _Home(setting) as home:
            yield [home.outcome(task) for task in stream(tasks, order)]


def _counted(orders: list[list[Outcome]]) -> dict[str, Any]:
    every = [one for order in orders for one in order]
    late = [one for order in orders for one in order[len(order) // 2 :]]
    return {
        "planned": _share(one.planned for one in every),
        "first_pass": _share(one.first for one in every),
        "first_pass_last_half": _share(one.first for one in late),
        "in_the_end": _share(one.first or one.mended for one in every),
        "repairs_asked": sum(one.calls + one.by_hand for one in every),
        "wrong": sum(one.wrong for one in every),
    }


def _share(held: Iterator[bool]) -> float:
    return round(statistics.mean(map(float, held)), 3)
