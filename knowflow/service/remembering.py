"""Memory in the service of plans and runs: what was learned is at hand for the next failure, and runs are learned from.

Imported only where there is something to remember, or to learn: see :func:`remembers`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from knowflow.execution.probing import FileProbe
from knowflow.ground.errors import KnowFlowError
from knowflow.knowledge.catalogue import Catalogue
from knowflow.knowledge.memory_settings import mode
from knowflow.knowledge.rules import load_rules
from knowflow.knowledge.success_record import SuccessRecord
from knowflow.memory.learning import Learner, Lesson
from knowflow.memory.reflections import Instance, Reflection, Reflections, instance_of, reflected
from knowflow.memory.shelf import Shelf
from knowflow.model.rule import Rule
from knowflow.model.trace import Trace
from knowflow.service.solidifying import reviewed, solidified


def rules_at_hand(catalogue: Catalogue, home: Path, *, waiting: bool = False) -> tuple[Rule, ...]:
    """The learned rules of this project that are in use, or wait for a person; those with errors are left out."""
    return Shelf(home).offered(catalogue.tools) if waiting else Shelf(home).rules(catalogue.tools)


def lessons_of(trace: Trace, catalogue: Catalogue, home: Path) -> Sequence[str]:
    """Learn from a run that has ended: what was learned, in words. What cannot be kept is told, and fails nothing."""
    try:
        authored = partial(load_rules, catalogue.tools)
        learner = Learner(Shelf(home), catalogue.tools, FileProbe(home), mode(), lambda: authored().rules.values())
        lessons = list(learner.learn(trace))
        ruled = {one.repair for one in lessons if one.became in ("learned", "widened", "known")}
        lessons = [*_of_steps(lessons, list(solidified(trace, catalogue, home, mode(), ruled)))]
        lessons += learner.reviewed(trace, SuccessRecord(home).all())
        lessons += reviewed(trace, catalogue, home) if mode() != "off" else ()
    except (KnowFlowError, OSError) as error:
        return (f"nothing was learned: {error}",)
    return tuple(f"memory: {one.sentence()}" for one in lessons if one.became != "known")


def _of_steps(rules: Sequence[Lesson], templates: Sequence[Lesson]) -> Iterator[Lesson]:
    """The lessons of rules and templates; why no rule is made of a repair is of no interest where a template was."""
    kept = any(one.became != "passed over" for one in templates)
    yield from (one for one in rules if not kept or one.became != "passed over")
    yield from templates


def reflect(trace: Trace, home: Path, more: Sequence[Reflection] = ()) -> None:
    """Keep what a run that ended says to the next attempt at the same instance, and what others found about it.

    Raises:
        KnowFlowError, OSError: nobody knows how runs are learned from; it cannot be written.
    """
    if mode() != "off":
        Reflections(home).keep(_instance(trace), (*more, *reflected(trace)))


def _instance(trace: Trace) -> Instance:
    """The instance of a run as it was before anything was mended."""
    return instance_of(trace.plan_before(trace.repairs[0]) if trace.repairs else trace.plan)
