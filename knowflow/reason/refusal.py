"""Why no template answers a question: what the data lack, else what the question does not say, in its own words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from knowflow.ground.errors import KnowFlowError, NotUnderstoodError, PlanningError
from knowflow.ground.report import Problem
from knowflow.model.goal import QueryGoal, Slot
from knowflow.reason.applicability import NotApplicableError, OpenParameterError, reason_of
from knowflow.reason.proposing import Proposal

_ABOUT_AS_GOOD = 0.6  # of the score: templates that near to the best one are about the same question
# what a question may leave unsaid, by slot, and how it can be said; other slots only tell kinds of questions apart
_SAYING: Mapping[str, tuple[str, str]] = {
    "quantity": ("which quantity is meant", "one of the data: NDVI, surface temperature, slope..."),
    "quantities": ("which other quantity is meant", "both: 'between NDVI and surface temperature'"),
    "comparison": ("what is compared", "two dates, periods or places: 'between 2019 and 2021'"),
    "threshold": ("which limit counts", "a number, with its unit where it has one: 'above 0.5', 'warmer than 305 K'"),
    "limits": ("which limits the classes have", "numbers: 'below 0.2, between 0.2 and 0.5, above 0.5'"),
    "conditions": ("which limit on a second quantity counts", "both: 'where NDVI is above 0.5'"),
    "share_threshold": ("which share of the area counts", "a number: 'on more than 20 % of the area'"),
    "percentile": ("which percentile is meant", "a number: 'the 90th percentile'"),
    "class": ("which class is meant", "a class of the ground: forest, water, cropland..."),
    "group_by": ("what a value is wanted for each of", "'for each polygon', 'per class', 'for each year'"),
    "period": ("which time is meant", "a date or a period: 'in June 2021'"),
    "facing": ("which side the slopes face", "a side: 'facing south'"),
    "object": ("what is looked for", "a kind of thing: ships, buildings, aircraft..."),
    "described": ("which of the things is meant", "one of them: 'the largest ship'"),
}
# what a question that speaks of no such thing does not lack, unless nothing else is open
_FURTHER = frozenset({"conditions", "limits", "share_threshold", "group_by", "facing", "described"})


def nothing_proposed(goal: QueryGoal) -> NotUnderstoodError:
    """The refusal where no template is about what is asked."""
    return NotUnderstoodError(
        "no template answers this question",
        expected="a quantity and what to do with it (share, area, mean, trend, change, map...)",
        found=shown(goal),
        hint="`knowflow templates search WORDS` shows what can be asked",
    )


def nothing_fits(goal: QueryGoal, rejected: Sequence[tuple[Proposal, KnowFlowError]], data: str) -> PlanningError:
    """The refusal that tells most, of those of each template; ``data`` is what was looked through."""
    _, best = max((not _for_others(goal, error), proposal.score) for proposal, error in rejected)

    def tells_less(pair: tuple[Proposal, KnowFlowError]) -> tuple[bool, bool]:
        """What a template meant for others, then one that wants a parameter nobody spoke of, says about the data: less
        than one that was tried on them, unless that one is about something else."""
        proposal, error = pair
        beside = proposal.score < best - _ABOUT_AS_GOOD
        return isinstance(error, NotApplicableError), beside or isinstance(error, OpenParameterError)

    rejected = sorted(rejected, key=tells_less)
    first, title = rejected[0][1], rejected[0][0].template.title
    others: dict[str, Problem] = {}
    for proposal, error in rejected:
        why, wanted = str(reason_of(error)), error.expected or "data that fit"
        if not any(tells_less((proposal, error))):  # the rest say nothing of the data
            others.setdefault(why, Problem("template_rejected", wanted, why, where=proposal.template.template))
    others.pop(str(reason_of(first)), None)
    if isinstance(first, OpenParameterError):
        near = [(one, error) for one, error in rejected if one.score >= best - _ABOUT_AS_GOOD]
        return _unsaid(goal, near)
    return PlanningError(
        first.message if title in first.message else f"{title}: {first.message}",
        where=first.where,
        expected=first.expected,
        found=first.found or data,
        hint=first.hint or "`knowflow plan ... --explain` shows what was understood; --assume states missing facts",
        problems=(*first.problems, *list(others.values())[:3]),
    )


def _for_others(goal: QueryGoal, error: KnowFlowError) -> bool:
    """Whether a template wants what this question does not lack: it speaks of no such thing, or says something else."""
    if not isinstance(error, OpenParameterError):
        return False
    return error.slot not in _SAYING.keys() - _FURTHER or goal.value(error.slot) is not None


def shown(goal: QueryGoal) -> str:
    """What was understood, and the words that it was understood from."""
    told: dict[str, str] = {}
    for name, slot in goal.slots.items():
        if slot.value and slot.words:
            told.setdefault(slot.words, _said(name, slot))
    return "; ".join(told.values()) or repr(goal.text)


def _unsaid(goal: QueryGoal, near: Sequence[tuple[Proposal, KnowFlowError]]) -> PlanningError:
    """What most of the templates want that are about the question, and it does not say."""
    wanted = [error for _, error in near if isinstance(error, OpenParameterError)]
    slots = Counter(error.slot for error in wanted if error.slot in _SAYING and goal.value(error.slot) is None)
    if not slots:
        titles = ", ".join(dict.fromkeys(proposal.template.title for proposal, _ in near[:3]))
        return PlanningError(
            "no template answers this question as it is asked",
            where="question",
            expected=f"what one of the templates answers, such as: {titles}",
            found=shown(goal),
            hint="`knowflow templates search WORDS` shows what can be asked",
        )
    slot = max(slots, key=lambda name: (name not in _FURTHER, slots[name]))
    what, how = _SAYING[slot]
    return PlanningError(
        f"the question does not say {what}",
        where="question",
        expected=how,
        found=shown(goal),
        hint="say it in the question",
    )


def _said(name: str, slot: Slot) -> str:
    values = slot.value if isinstance(slot.value, tuple) else (slot.value,)
    named = ", ".join(str(value) for value in values if isinstance(value, (str, int, float)))
    return f"{name}: {named} ({slot.words})" if named else f"{name}: {slot.words}"
