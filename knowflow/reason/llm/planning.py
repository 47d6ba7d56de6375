"""Planning with a language model, where planning without one was refused: slots first, then an adapted plan, then a
composed one. Whatever it answers is typed, checked like anybody's, and sent back with reasons where it does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.report import Problem
from knowflow.model.goal import QueryGoal
from knowflow.model.plan import Assumption, Decision, Plan
from knowflow.reason.language import unclear
from knowflow.reason.llm import adapting, composing, slots
from knowflow.reason.llm.case import Case
from knowflow.reason.llm.conversation import LanguageModel, LanguageModelAnswerError, LanguageModelError
from knowflow.reason.llm.quoting import shortened
from knowflow.reason.llm.records import Recorded
from knowflow.reason.llm.repair_answer import said
from knowflow.reason.llm.slot_answer import ORIGIN, SlotsAnswer
from knowflow.reason.llm.structured import asked, problems_of

Stage = Literal["filled slots", "adapted a template", "composed a template"]
ATTEMPTS = 3
_MOST_REASONS = 4


@dataclass(frozen=True, slots=True)
class Helped:
    """A plan that a language model made possible: how, what it cost, and every exchange.

    ``document`` is the YAML of the template that it composed, where it composed one.
    """

    plan: Plan
    goal: QueryGoal
    stage: Stage
    model: str
    calls: int
    refused: int
    tokens: int
    exchanges: tuple[Mapping[str, Any], ...] = ()
    document: str = ""

    def sentence(self) -> str:
        """What it did, in one line."""
        answers = f"{self.calls} answer{'' if self.calls == 1 else 's'}"
        refused = f", {self.refused} of them refused" if self.refused else ""
        return f"a language model ({self.model}) {self.stage}: {answers}{refused}, {self.tokens:,} tokens"

    def to_json(self) -> dict[str, Any]:
        """What it did, without the words of the exchanges."""
        return {
            "stage": self.stage,
            "model": self.model,
            "calls": self.calls,
            "refused": self.refused,
            "tokens": self.tokens,
            **({"template": self.document} if self.document else {}),
        }


@dataclass(frozen=True, slots=True)
class Made:
    """What one stage came to: a plan (None: there is none), the goal as it is read now and what the model read of it,
    and refusals on the way."""

    plan: Plan | None
    goal: QueryGoal
    read: tuple[Assumption, ...] = ()
    refused: int = 0
    gave_up: str = ""
    document: str = ""


class NoHelpError(LanguageModelError):
    """A language model was asked for a plan, and there is none."""

    code = "llm_no_plan"


def helped(case: Case, model: Recorded, attempts: int = ATTEMPTS) -> Helped:
    """A plan for a question that was refused.

    Raises:
        NoHelpError: there is none; ``problems`` say what became of each stage.
    """
    before = len(model.exchanges)
    problems: list[Problem] = []
    goal = case.goal
    read: tuple[Assumption, ...] = ()
    stages: tuple[tuple[Stage, Callable[[Case, LanguageModel, int], Made]], ...] = (
        ("filled slots", fill),
        ("adapted a template", adapt),
        ("composed a template", compose),
    )
    refused = 0
    for stage, ask in stages[:-1] if case.template else stages:
        if stage != "filled slots" and any(item.only_user for item in unclear(goal)):
            break
        begun = len(model.exchanges)
        try:
            made = ask(replace(case, goal=goal), model, attempts)
        except LanguageModelAnswerError as error:
            problems += [_reason(stage, error), *error.problems[:_MOST_REASONS]]
            refused += len(model.exchanges) - begun
            continue
        except LanguageModelError as error:  # it cannot be asked any more
            problems.append(_reason(stage, error))
            break
        goal, read, refused = made.goal, (*read, *made.read), refused + made.refused
        if made.plan is not None:
            plan = _told(made.plan, read)
            exchanges = tuple(model.exchanges[before:])
            tokens = sum(int(one["tokens"]) for one in exchanges)
            return Helped(plan, goal, stage, model.name, len(exchanges), refused, tokens, exchanges, made.document)
        if made.gave_up:
            problems.append(Problem("language_model", f"a model that {stage}", made.gave_up))
    raise NoHelpError("a language model was of no help", found=case.error.message, problems=problems)


def _reason(stage: str, error: KnowFlowError) -> Problem:
    found = f"{error.message}: {error.found}" if error.found else error.message
    return Problem("language_model", f"a model that {stage}", found, error.hint or "")


def fill(case: Case, model: LanguageModel, attempts: int) -> Made:
    """The plan of the goal with its open slots filled.

    Raises:
        LanguageModelError: it could not be asked.
    """
    vocabulary = slots.vocabulary_of(case)
    read: list[slots.Filled] = []

    def accept(answer: SlotsAnswer) -> Made:
        if answer.cannot and not answer.fillings:
            return Made(None, case.goal, gave_up=f"it says: {said(answer.cannot)}")
        found = slots.filled(case, answer, vocabulary)
        read.append(found)
        return Made(case.planned(found.goal, found.words), found.goal, found.assumptions)

    try:
        answer = asked(
            model,
            slots.messages(case, vocabulary),
            SlotsAnswer,
            accept,
            attempts=attempts,
            schema=slots.schema_of(vocabulary),
        )
    except LanguageModelAnswerError as error:
        if not read:
            raise
        reasons = "; ".join(str(one) for one in error.problems[:_MOST_REASONS])
        last = read[-1]
        return Made(None, last.goal, last.assumptions, attempts, shortened(f"{error.message}: {reasons}", 400))
    return replace(answer.value, refused=len(answer.refused))


def adapt(case: Case, model: LanguageModel, attempts: int) -> Made:
    """The plan of one of the nearest templates, with the model's edits.

    Raises:
        LanguageModelError: it could not be asked, or no answer held.
    """
    bases = adapting.bases_of(case)
    if not bases:
        return Made(None, case.goal, gave_up="there is no plan of these data to adapt")
    tools = adapting.tools_for(case, bases)

    def accept(answer: adapting.AdaptationAnswer) -> Made:
        if not answer.edits:
            return Made(None, case.goal, gave_up=f"it says: {said(answer.because)}")
        return Made(adapting.adapted(case, answer, bases), case.goal)

    conversation = adapting.messages(case, bases, tools)
    answer = asked(model, conversation, adapting.AdaptationAnswer, accept, attempts=attempts)
    return replace(answer.value, refused=len(answer.refused))


def compose(case: Case, model: LanguageModel, attempts: int) -> Made:
    """The plan of a template that the model composes.

    Raises:
        LanguageModelError: it could not be asked, or no answer held.
    """
    try:
        found = composing.compose(case, model, attempts)
    except composing.NothingFitsError as error:
        return Made(None, case.goal, gave_up=f"{error.message}: {error.found}")
    except KnowFlowError as error:
        if isinstance(error, LanguageModelError):
            raise
        raise LanguageModelAnswerError(
            "what it composed does not hold", found=error.message, problems=problems_of(error)
        ) from error
    return Made(found.plan, case.goal, refused=found.refused, document=found.document)


def _told(plan: Plan, read: Sequence[Assumption]) -> Plan:
    """The plan with what the model read of the question, which is shown with the answer."""
    if not read:
        return plan
    what = Assumption("a language model read a part of the question: check what it read", True, ORIGIN)
    choices = (Decision(f"{one.what} of the question", str(one.value), f"{ORIGIN}, {one.because}") for one in read)
    return replace(plan, assumptions=(what, *read, *plan.assumptions), decisions=(*choices, *plan.decisions))
