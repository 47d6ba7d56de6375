"""What a condition must be beyond its syntax: known words, the right number of operands, terms where terms belong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from knowflow.model.condition import Call, Compare, Const, Expression, Logic, Name
from knowflow.model.facts import FACT_TITLES
from knowflow.model.predicates import ARITIES, PREDICATES

SPECIAL_FORMS = ("given", "any", "share", "length", "change_unit", "statistic_kind", "per_year", "per_decade")
UNARY_TERMS = ("length", "change_unit", "per_year", "per_decade")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that makes a condition meaningless."""

    code: str
    expected: str
    found: str


def faults(expression: Expression) -> Iterator[Fault]:
    """Everything in a condition that evaluation could not answer; nothing for a condition that means something."""
    match expression:
        case Logic(parts=parts):
            for part in parts:
                yield from faults(part)
        case Compare(left=left, right=right):
            yield from _term_faults(left)
            yield from _term_faults(right)
        case Call(name="any", args=args):
            yield from _inner_faults(expression, args)
        case Call(name="given", args=args):
            yield from _one_name(expression, args)
        case Call(name=name) if name == "share" or name == "statistic_kind" or name in UNARY_TERMS:
            yield Fault("not_a_condition", f"a comparison, such as {expression} >= 1", str(expression))
        case Call(name=name, args=args) if name in PREDICATES:
            yield from _operand_faults(expression, args)
        case Call(name=name, args=args) if name in FACT_TITLES:
            yield from _one_name(expression, args)
        case Call(name=name):
            yield Fault("unknown_predicate", f"a fact, or one of {', '.join(_words())}", repr(name))
        case Const(value=value) if not isinstance(value, bool):
            yield Fault("not_a_condition", "something that is true or false", str(expression))


def _term_faults(expression: Expression) -> Iterator[Fault]:
    match expression:
        case Name() | Const():
            return
        case Call(name="share", args=args):
            yield from _inner_faults(expression, args)
        case Call(name="statistic_kind", args=args):
            if len(args) != 2 or not isinstance(args[0], Name | Const) or not isinstance(args[1], Name):
                yield Fault("operands", "statistic_kind(STATISTIC, NAME)", str(expression))
        case Call(name=name, args=args) if name in UNARY_TERMS or name in FACT_TITLES:
            yield from _one_name(expression, args)
        case Call(name=name) if name not in PREDICATES and name not in SPECIAL_FORMS:
            yield Fault("unknown_predicate", "a fact, length or share", repr(name))
        case _:
            expected = "a fact, a name or a literal on each side of a comparison (a predicate needs none)"
            yield Fault("not_a_term", expected, str(expression))


def _inner_faults(call: Call, args: tuple[Expression, ...]) -> Iterator[Fault]:
    if len(args) == 1:
        yield from faults(args[0])
    else:
        yield Fault("operands", f"{call.name}(CONDITION)", str(call))


def _one_name(call: Call, args: tuple[Expression, ...]) -> Iterator[Fault]:
    if len(args) != 1 or not isinstance(args[0], Name):
        yield Fault("operands", f"{call.name}(NAME)", str(call))


def _operand_faults(call: Call, args: tuple[Expression, ...]) -> Iterator[Fault]:
    fewest, most = ARITIES[call.name]
    if not fewest <= len(args) <= (most or len(args)):
        wanted = str(fewest) if most == fewest else f"{fewest} or more" if most is None else f"{fewest} to {most}"
        yield Fault("operands", f"{wanted} operands of {call.name}", str(call))
    for argument in args:
        if not isinstance(argument, (Name, Const)):
            yield Fault("operands", f"names and literals as operands of {call.name}", str(argument))
    if call.name == "known" and len(args) == 2 and str(getattr(args[1], "value", None)) not in FACT_TITLES:
        yield Fault("unknown_fact", "the name of a fact in quotes", str(args[1]))


def _words() -> list[str]:
    return sorted((*PREDICATES, *SPECIAL_FORMS))
