"""Evaluation of conditions over artifacts.

Every answer is three-valued. ``None`` means that a fact is unknown; the verdict then names it. A predicate over a
series or a band set means all of its parts, unless ``any(...)`` or ``share(...)`` says otherwise.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import change_unit, known, per_decade, per_year
from knowflow.model.artifact import Artifact
from knowflow.model.condition import Call, Compare, Const, Expression, Logic, Name, calls, names
from knowflow.model.facts import FACT_TITLES
from knowflow.model.literal import same
from knowflow.model.predicates import PREDICATES
from knowflow.model.verdict import (
    TRUE,
    UNKNOWN,
    Environment,
    Goal,
    Missing,
    Operand,
    Place,
    Verdict,
    combine,
    leaves,
    place_text,
    short,
)

_ORDER: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_SPREADS = ("standard_deviation", "std")
# terms over the unit of an artifact, for effects: that of a difference, and that of a change per year
UNIT_TERMS = {"change_unit": change_unit, "per_year": per_year, "per_decade": per_decade}


@dataclass(frozen=True, slots=True)
class Term:
    """An evaluated term: a value, or one value for each artifact it was asked of."""

    value: Any = None
    spread: tuple[tuple[Place, Any], ...] | None = None
    fact: str = ""


def evaluate(expression: Expression, environment: Environment) -> Verdict:
    """The verdict on a condition; names that the environment lacks are optional arguments not given.

    The condition must be free of the faults that :mod:`knowflow.model.grammar` finds.
    """
    match expression:
        case Logic(op="not", parts=(part,)):
            inner = evaluate(part, environment)
            truth = None if inner.truth is None else not inner.truth
            return Verdict(truth, f"not ({inner.because})" if inner.because else "", inner.missing)
        case Logic(op=op, parts=parts):
            return combine(op == "and", [evaluate(part, environment) for part in parts])
        case Compare():
            return _compare(expression, environment)
        case Call(name="given", args=(Name(name=name),)):
            return Verdict(_is_given(name, environment))
        case Call(name="any", args=(inner,)):
            return _quantified(inner, environment, any_of=True)
        case Call(name=name, args=args) if name in PREDICATES:
            if _mentions_absent(args, environment):
                return TRUE
            return PREDICATES[name](tuple(_operand(argument, environment) for argument in args))
        case Call(name=name, args=(subject,)) if name in FACT_TITLES:
            return _compare(Compare(Call(name, (subject,)), "==", Const(True)), environment)
        case Name(name=name):
            value = _plain(environment.get(name))
            return Verdict(None, f"{name} is unknown") if value is UNKNOWN else Verdict(bool(value))
        case Const(value=value):
            return Verdict(bool(value))
    raise AssertionError(f"unvalidated condition: {expression}")


def _is_given(name: str, environment: Environment) -> bool:
    value = environment.get(name)
    if value is None:
        return False
    return not isinstance(value, Artifact) or value.type != "raster_series" or bool(value.items)


def _mentions_absent(args: tuple[Expression, ...], environment: Environment) -> bool:
    return any(isinstance(argument, Name) and not _is_given(argument.name, environment) for argument in args)


def _operand(argument: Expression, environment: Environment) -> Operand:
    match argument:
        case Name(name=name):
            return (name,), environment.get(name)
        case Const(value=value):
            return (), value
        case _:
            return (), term(argument, environment).value


def term(expression: Expression, environment: Environment) -> Term:
    """The value of a term; accessors of facts spread over the parts of a series or band set."""
    match expression:
        case Const(value=value):
            return Term(value)
        case Name(name=name):
            return Term(_plain(environment.get(name)))
        case Call(name="length", args=(Name(name=name),)):
            return Term(_length(environment.get(name)))
        case Call(name="share", args=(inner,)):
            met, of = _met(inner, environment)
            return Term(UNKNOWN if met is None else met / of)
        case Call(name=change, args=(Name() as subject,)) if change in UNIT_TERMS:
            asked = term(Call("unit", (subject,)), environment)
            if asked.spread is None:
                return asked
            made = UNIT_TERMS[change]
            changed = tuple((place, made(unit) if _is_unit(unit) else UNKNOWN) for place, unit in asked.spread)
            return Term(spread=changed, fact="unit")
        case Call(name="statistic_kind", args=(statistic, Name() as subject)):
            asked = term(Call("quantity", (subject,)), environment)
            if term(statistic, environment).value not in _SPREADS or asked.spread is None:
                return asked
            return Term(spread=tuple((place, _kind_of_spread(kind)) for place, kind in asked.spread), fact="quantity")
        case Call(name=fact, args=(Name(name=name),)):
            value = environment.get(name)
            if not isinstance(value, Artifact):
                return Term(UNKNOWN, fact=fact)
            own = value.facts.get(fact)
            if own is not None:
                return Term(spread=(((name,), own.value),), fact=fact)
            found = tuple(
                (place, UNKNOWN if (known := leaf.known(fact)) is None else known.value)
                for place, leaf in leaves((name,), value)
            )
            return Term(spread=found, fact=fact)
    return Term(UNKNOWN)


def _kind_of_spread(kind: Any) -> Any:
    """What the spread of values of a kind is: of directions an angle between two, of temperatures a difference."""
    found = quantity_kinds().get(kind) if isinstance(kind, str) else None
    if found is None:
        return kind
    if found.circular:
        return "difference"
    return "temperature_difference" if found.family == "temperature" else kind


def _is_unit(unit: Any) -> bool:
    """Whether a unit that a file or a user states is one."""
    return isinstance(unit, str) and known(unit)


def _plain(value: Any) -> Any:
    if isinstance(value, Artifact):
        return UNKNOWN if value.value is None else value.value
    return value


def _length(value: Any) -> Any:
    if isinstance(value, Artifact):
        if value.parts():
            return len(value.parts())
        if isinstance(value.value, (list, tuple)):
            return len(value.value)
        known = value.fact("length")
        return 1 if known is None and value.type == "raster" else (UNKNOWN if known is None else known)
    return len(value) if isinstance(value, (list, tuple, dict)) else UNKNOWN


def _compare(expression: Compare, environment: Environment) -> Verdict:
    of_share = isinstance(expression.left, Call) and expression.left.name == "share"
    if of_share and isinstance(expression.right, Const | Name):
        return _compare_share(expression, environment)
    of_name = not isinstance(expression.right, Const | Call)
    for part in (expression.left, expression.right):
        asked = isinstance(part, Call) and part.name != "share"
        if (asked or of_name) and _mentions_absent(part.args if isinstance(part, Call) else (part,), environment):
            return TRUE
    if expression.op in ("!=", "not in") and _is_fact_of_plain(expression.left, environment):
        return Verdict(True, f"{expression.left}: plain numbers have none")
    left, right = term(expression.left, environment), term(expression.right, environment)
    rights = right.spread if right.spread is not None else (((), right.value),)
    lefts = left.spread if left.spread is not None else (((), left.value),)
    if len(rights) != len(lefts):  # nothing says which belongs to which: all of one against all of the other
        others = tuple({repr(value): (place, value) for place, value in reversed(rights)}.values())
        pairs = [(one, other) for one in lefts for other in others]
    else:
        pairs = list(zip(lefts, rights, strict=True))
    return combine(
        True,
        [
            _compare_one(expression, place, value, other_place, other, left.fact, right.fact)
            for (place, value), (other_place, other) in pairs
        ],
    )


def _is_fact_of_plain(expression: Expression, environment: Environment) -> bool:
    """Whether a fact is asked of numbers or texts that are no artifacts: they have no facts."""
    match expression:
        case Call(name=fact, args=(Name(name=name),)) if fact in FACT_TITLES:
            value = environment.get(name)
            items = value if isinstance(value, (list, tuple)) else (value,)
            return value is not UNKNOWN and not any(isinstance(one, Artifact) for one in items)
    return False


def _compare_one(
    expression: Compare, place: Place, value: Any, other_place: Place, other: Any, fact: str, other_fact: str
) -> Verdict:
    if value is UNKNOWN or other is UNKNOWN:
        missing = []
        if value is UNKNOWN and fact and place:
            missing.append(Missing(place, fact))
        if other is UNKNOWN and other_fact and other_place:
            missing.append(Missing(other_place, other_fact))
        goals = () if value is not UNKNOWN or other is UNKNOWN else _equality_goal(expression, place, fact, other)
        return Verdict(None, f"{expression}: unknown", tuple(missing), goals)
    truth = _holds(expression.op, value, other)
    shown = f"{fact}({place_text(place)}) is {short(value)}" if fact else f"{expression.left} is {short(value)}"
    needed = f", needed {expression.op} {short(other)}"
    return Verdict(
        truth,
        shown + ("" if truth else needed),
        goals=() if truth else _equality_goal(expression, place, fact, other),
    )


def _equality_goal(expression: Compare, place: Place, fact: str, other: Any) -> tuple[Goal, ...]:
    if not fact or not place:
        return ()
    if expression.op == "==":
        return (Goal(fact, place, value=other),)
    if expression.op == "in" and isinstance(other, tuple):
        return tuple(Goal(fact, place, value=choice) for choice in other)
    return ()


def _holds(op: str, value: Any, other: Any) -> bool:
    value, other = _fold(value), _fold(other)
    if op in ("in", "not in"):
        choices = other if isinstance(other, tuple) else (other,)
        return (value in choices) == (op == "in")
    if op in ("==", "!="):
        return same(value, other) == (op == "==")
    try:
        return bool(_ORDER[op](value, other))
    except TypeError:
        return False


def _fold(value: Any) -> Any:
    if isinstance(value, str):
        return value.casefold()
    if isinstance(value, (tuple, list)):
        return tuple(_fold(item) for item in value)
    return value


def _per_item(inner: Expression, environment: Environment) -> list[Verdict]:
    """The inner condition on each item of the first series it mentions."""
    for name in names(inner):
        value = environment.get(name)
        if isinstance(value, Artifact) and value.items:
            found = (evaluate(inner, {**environment, name: item}) for item in value.items)
            return [_of_item(verdict, name, index) for index, verdict in enumerate(found)]
    return [evaluate(inner, environment)]


def _of_item(verdict: Verdict, name: str, index: int) -> Verdict:
    """The verdict on an item of a series, what it misses named by its place in the series."""
    missing = tuple(
        Missing((name, index, *gap.place[1:]), gap.fact) if gap.place[:1] == (name,) else gap for gap in verdict.missing
    )
    return replace(verdict, missing=missing)


def _quantified(inner: Expression, environment: Environment, any_of: bool) -> Verdict:
    return combine(not any_of, _per_item(inner, environment))


def _met(inner: Expression, environment: Environment) -> tuple[int | None, int]:
    """How many items of a series meet a condition (None: not known of all), and how many there are."""
    verdicts = _per_item(inner, environment)
    unknown = any(verdict.truth is None for verdict in verdicts)
    return None if unknown else sum(verdict.truth is True for verdict in verdicts), len(verdicts)


def _compare_share(expression: Compare, environment: Environment) -> Verdict:
    """A limit of a share of a series: the verdict tells how many of how many meet the inner condition."""
    assert isinstance(expression.left, Call)
    inner, limit = expression.left.args[0], term(expression.right, environment).value
    if any(_mentions_absent((Name(name),), environment) for name in names(expression)):
        return TRUE
    met, of = _met(inner, environment)
    if met is None or limit is UNKNOWN:
        gaps = (gap for verdict in _per_item(inner, environment) for gap in verdict.missing)
        return Verdict(None, f"{expression}: unknown", tuple(gaps))
    truth = _holds(expression.op, met / of, limit)
    needed = "" if truth else f", needed: of a share {expression.op} {short(limit)}"
    return Verdict(truth, f"{inner} holds for {met} of {of}{needed}")


def shares(expression: Expression, environment: Environment) -> Iterator[tuple[Expression, int, int]]:
    """For every ``share(...)`` in a condition its inner condition, how many items meet it, and of how many; none where
    that is not known."""
    for call in calls(expression):
        if call.name == "share":
            met, of = _met(call.args[0], environment)
            if met is not None:
                yield call.args[0], met, of
