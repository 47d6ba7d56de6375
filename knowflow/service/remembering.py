"""Memory in the service of plans and runs: what was learned is at hand for the next failure, and runs are learned from.

Imported only where there is something to remember, or to learn: see :func:`remembers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from knowflow.execution.probing import FileProbe
from knowflow.ground.errors import KnowFlowError
from knowflow.knowledge.catalogue import Catalogue
from knowflow.knowledge.rules import load_rules
from knowflow.knowledge.success_record import SuccessRecord
from knowflow.memory.learning import Learner
from knowflow.memory.settings import mode
from knowflow.memory.shelf import Shelf
from knowflow.model.rule import Rule
from knowflow.model.trace import Trace


def rules_at_hand(catalogue: Catalogue, home: Path, *, waiting: bool = False) -> tuple[Rule, ...]:
    """The learned rules of this project that are in use, or wait for a person; those with errors are left out."""
    return Shelf(home).offered(catalogue.tools) if waiting else Shelf(home).rules(catalogue.tools)


def lessons_of(trace: Trace, catalogue: Catalogue, home: Path) -> Sequence[str]:
    """Learn from a run that has ended: what was learned, in words. What cannot be kept is told, and fails nothing."""
    try:
        authored = partial(load_rules, catalogue.tools)
        learner = Learner(Shelf(home), catalogue.tools, FileProbe(home), mode(), lambda: authored().rules.values())
        lessons = [*learner.learn(trace), *learner.reviewed(trace, SuccessRecord(home).all())]
    except (KnowFlowError, OSError) as error:
        return (f"nothing was learned: {error}",)
    return tuple(f"memory: {one.sentence()}" for one in lessons if one.became != "known")
