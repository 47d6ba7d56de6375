"""What the steps of a run that was mended teach: a template, kept where it passes its checks, its replay and its trial.

Imported only where there is something to learn, or something was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Literal

from knowflow.execution.probing import FileProbe
from knowflow.ground.errors import KnowFlowError
from knowflow.ground.report import Problem
from knowflow.ground.yamldoc import Document
from knowflow.knowledge.catalogue import Catalogue
from knowflow.knowledge.memory_settings import Mode
from knowflow.knowledge.success_record import MethodRecord, SuccessRecord, expected
from knowflow.memory.draft import Draft
from knowflow.memory.foresight import used_in
from knowflow.memory.learning import Lesson, outdone
from knowflow.memory.replay import Forms
from knowflow.memory.shelf import LearnedTemplate, TemplateShelf, project_of
from knowflow.memory.solidify import draft_of
from knowflow.memory.templates import learned_of, name_of, shared
from knowflow.model.plan import Plan
from knowflow.model.trace import Repaired, Trace
from knowflow.model.workflow import FromNode, references
from knowflow.question.form import expression_of
from knowflow.reason.compiling.by_memory import FromMemory, Taught
from knowflow.reason.expression_planner import ExpressionPlanner
from knowflow.reason.inventory import Inventory
from knowflow.service.composed import goal_of
from knowflow.service.folder import Folder
from knowflow.service.template_trial import tried


def at_hand(catalogue: Catalogue, home: Path, templates: bool) -> FromMemory:
    """What runs of this project taught of planning: the record of methods, and with ``templates`` those in use."""
    record, shelf = SuccessRecord(home).all(), TemplateShelf(home)
    known = shelf.found(catalogue.tools).learned.values() if templates else ()
    taught = [
        Taught(one.template, one.deeds, one.because, expected(*record.get(one.name, (0, 0))))
        for one in known
        if one.state == "active"
    ]
    return FromMemory(taught, FileProbe(home).facts, methods=MethodRecord(home, project_of()).likely())


def solidified(
    trace: Trace, catalogue: Catalogue, home: Path, mode: Mode, ruled: Collection[int] = ()
) -> Iterator[Lesson]:
    """Learn a template from a run that has ended; ``ruled`` are the repairs that were kept as rules.

    What authored knowledge repairs it repairs the next time, too: a person or a language model has to have had a part.
    """
    taught = [one for one in trace.repairs if one.by in ("person", "llm")]
    if mode == "off" or trace.status != "completed" or all(one.number in ruled for one in taught):
        return
    number = taught[-1].number
    try:
        draft = draft_of(trace, catalogue.tools, FileProbe(home))
    except KnowFlowError as error:
        yield Lesson("passed over", number, because=": ".join(filter(None, (error.message, error.found))))
        return
    if draft is not None:
        yield _kept(draft, trace, number, catalogue, TemplateShelf(home), home, mode)


def reviewed(trace: Trace, catalogue: Catalogue, home: Path) -> Iterator[Lesson]:
    """Retire templates that a run shows to be wrong: those of which a person changed what they had made of the plan,
    and those that failed more often than they helped."""
    shelf, used = TemplateShelf(home), set(used_in(trace))
    if shelf.empty or not used:
        return
    record = SuccessRecord(home).all()
    with shelf.changing():
        for name, one in shelf.found(catalogue.tools).learned.items():
            if name not in used or one.state != "active":
                continue
            if any(_changed(repair, trace.plan_after(repair), name) for repair in trace.repairs):
                why = f"a person did otherwise in run {trace.run_id}"
            elif outdone(*record.get(name, (0, 0))):
                why = "it helped {1} of {0} times".format(*record[name])
            else:
                continue
            shelf.put(one.model_copy(update={"state": "retired", "why": why}))
            yield Lesson("contradicted", 0, name, why)


def _changed(repair: Repaired, after: Plan, name: str) -> bool:
    """Whether a person changed a step that a template had put into a plan."""
    own = {node.id: node for node in repair.before.nodes if node.step.startswith(f"{name}.")}
    return repair.by == "person" and any(after.workflow.by_id.get(one) != node for one, node in own.items())


def _kept(
    draft: Draft, trace: Trace, number: int, catalogue: Catalogue, shelf: TemplateShelf, home: Path, mode: Mode
) -> Lesson:
    """Keep a draft: as evidence for a template that there is, as a wider one, or as one of its own."""
    first, known = draft, shelf.found(catalogue.tools).learned
    draft, merged = _widest(draft, known.values())
    base = known.get(name_of(draft))
    if base is not None and base.state == "rejected":
        return Lesson("passed over", number, base.name, f"{base.name}, which does the same, was rejected")
    cases = (*(base.cases if base is not None else ()), *(case for one in merged for case in one.cases))
    if base is not None and any(case.key == draft.cases[0].key for case in cases):
        return Lesson("known", number, base.name)
    learned = learned_of(draft, (*cases, *draft.cases), base)
    why = _errors(learned, catalogue) or _other_than(learned, trace, catalogue, home)
    if not why:
        trial = tried(learned.template, learned.cases, catalogue)
        why, learned = trial.wrong, learned.model_copy(update={"tried": trial})
    if why:
        return Lesson("passed over", number, learned.name, why)
    state: Literal["active", "proposed"] = "proposed" if mode == "review" else "active"
    with shelf.changing():
        now = shelf.found(catalogue.tools).learned
        others = any(now.get(one.name) != known.get(one.name) for one in (learned, *merged))
        for one in () if others else merged:
            shelf.put(
                one.model_copy(update={"state": "retired", "why": f"{learned.name} does it for all of such data"})
            )
        if not others:
            shelf.put(learned.model_copy(update={"state": base.state if base is not None else state}))
    if others:  # somebody has learned of it meanwhile: nothing of that is lost
        return _kept(first, trace, number, catalogue, shelf, home, mode)
    return Lesson("widened" if base is not None or merged else "learned", number, learned.name)


def _widest(draft: Draft, known: Collection[LearnedTemplate]) -> tuple[Draft, list[LearnedTemplate]]:
    """The draft, or, where the same was done to the data of a quantity for another operator as well, that of the data;
    and the templates that it stands for then."""
    of_data = draft.of_data()
    if of_data is None:
        return draft, []
    if any(one.name == name_of(of_data) and one.state != "rejected" for one in known):
        return of_data, []
    other = [
        one
        for one in known
        if shared(draft, one) and one.name != name_of(draft) and one.state in ("active", "proposed")
    ]
    return (of_data, other) if other else (draft, [])


def _errors(learned: LearnedTemplate, catalogue: Catalogue) -> str:
    """What the checks of authored templates say against it."""
    found: list[Problem] = [
        one for one in learned.problems(Document(learned.name, {}, {}), catalogue.tools) if one.severity == "error"
    ]
    return "; ".join(f"{one.where}: {one.expected}, found {one.found}" for one in found)


def _other_than(learned: LearnedTemplate, trace: Trace, catalogue: Catalogue, home: Path) -> str:
    """Why a template does not do what was done in the run that it was learned from; empty where it does.

    The question is planned again of the run's own files, with it at hand.
    """
    told = trace.plan.understood["question"]["value"]
    asked, _ = expression_of(told)
    if asked is None:
        return "the question of the run is no expression"
    leaves = {(one.path, one.band): one for data in trace.plan.inputs.values() for one in data.leaves()}
    data = Folder(Inventory("", tuple(leaves.values())), goal_of(asked, ""))
    memory = FromMemory([Taught(learned.template, learned.deeds, learned.because)], FileProbe(home).facts)
    try:
        made = ExpressionPlanner(catalogue).plan(asked, data, memory=memory)
    except KnowFlowError as error:
        return f"the run cannot be planned again with it: {error.message}"
    same = _answer(made, catalogue) == _answer(trace.plan, catalogue)
    return "" if same else "planned with it, the run would have done something else"


def _answer(plan: Plan, catalogue: Catalogue) -> list[str]:
    """What the answer of a plan is made of, whatever its steps are called."""
    forms = Forms(plan, tools=catalogue.tools)
    return [forms.of(ref.node) for ref in references(plan.outputs[plan.answer]) if isinstance(ref, FromNode)]
