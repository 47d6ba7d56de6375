"""What a chain of steps comes to: "first list..., then derive..., finally compare..." asks for the comparison.

Experts' questions name intermediate products, statistics and comparisons in any order, in one sentence or in five. What
decides a plan is the outermost of them: comparator over reducer over product. This reading takes a goal as understood
and names these three, so that a question with its steps spelled out and the same question without them mean the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from knowflow.model.goal import Period, QueryGoal
from knowflow.reason.language import chain_words as words
from knowflow.reason.language import product_words as products
from knowflow.reason.language.chain import Chain
from knowflow.reason.language.chain_details import read_comparison, read_details
from knowflow.reason.language.chain_limits import read_limits
from knowflow.reason.language.compared import compares_two, names_pair_of_seasons
from knowflow.reason.language.date_atoms import SEASONS
from knowflow.reason.language.dates import times
from knowflow.reason.language.distance import asks_for_distance
from knowflow.reason.language.extremes_apart import extremes_apart, extremes_beside, one_extreme_twice
from knowflow.reason.language.grounds import grounds_apart
from knowflow.reason.language.limits import make_classes
from knowflow.reason.language.movements import grew_markedly
from knowflow.reason.language.nested import of_others
from knowflow.reason.language.patterns import MONTH, YEAR, any_of
from knowflow.reason.language.product_slots import limit_for_granted
from knowflow.reason.language.products_named import EXTREMES
from knowflow.reason.language.purposes import without_purposes
from knowflow.reason.language.retrieval_words import (
    counted_limits,
    dryness_extreme,
    operation_of_retrievals,
    statistic_of_a_scene,
)
from knowflow.reason.language.statements import without_stated
from knowflow.reason.language.turns import by_how_much

_YEAR = 365  # days
_SIGNIFICANT = any_of(
    r"\b(?:is|was|are|were|statistically)\b[^.;?]*\bsignificant(?=\s*[?.,;]|\s*$|\s+(?:over|from|between)\b)"
)
_TIME = rf"(?:{MONTH}|{YEAR}|{'|'.join(SEASONS)})"
_AGAINST = any_of(rf"\b{_TIME}\s+(?:against|versus|vs\.?)\s+(?:the\s+)?{_TIME}\b")
# what two extremes are asked for by: "the spread between"
_OF_EXTREMES = frozenset({"maximum", "minimum", "difference", "change", "range", "standard_deviation"})
_RANGE_ALONE = any_of(r"(?<!in the )(?<!in a )\b(?:range|amplitude)\b(?! (?:of|from|between) [\d-])")


def outcome(
    goal: QueryGoal, made_of: Mapping[str, frozenset[str]], of_algorithm: Mapping[str, tuple[str, ...]]
) -> QueryGoal:
    """The goal with its outermost operation first, about the last of the products it names.

    ``made_of`` says of what a quantity is usually derived: mentioned together, the derived one is asked about.
    ``of_algorithm`` says what the algorithms that a question may name retrieve.
    """
    chain = Chain(goal, made_of, of_algorithm)
    _read_quantity(chain)
    read_limits(chain)
    _read_operation(chain)
    read_comparison(chain)
    read_details(chain)
    return replace(goal, slots=chain.slots)


def _read_quantity(chain: Chain) -> None:
    """The product that the others named are steps to."""
    if products.from_numbers(chain.text):
        chain.put("algorithm", "radiometric_correction")
        chain.put("quantity", "surface_bidirectional_reflectance")
        return
    main = chain.products.asked()
    if main is not None and main != chain.goal.value("quantity"):
        chain.put("quantity", main, note="what the steps of the question lead to")


def _read_operation(chain: Chain) -> None:
    """The outermost operation, what is inside it, and the statistic that is compared, dated or followed."""
    said = _said(chain)
    granted = limit_for_granted(chain.text, str(chain.value("quantity")), chain.slots.keys(), said)
    chain.slots |= granted
    said |= {"share", "extreme_date"} if "threshold" in granted else set()
    outermost = _outermost(chain, said)
    statistic = next((name for name in words.STATISTICS if name in said), None)
    limited = "threshold" in chain.slots and outermost in words.COMPARED and statistic is None
    inner = next((name for name in words.INNER if name in said and name != outermost), None)
    inner = None if inner == "share" and not words.SHARED & chain.slots.keys() else inner
    inner = "count" if _compares_counts(chain, said) else inner or ("share" if limited else statistic or "mean")
    rest = [name for name in (*words.OUTERMOST, *words.STATISTICS) if name in said and name != outermost]
    chain.put("operation", outermost)
    chain.put("operations", (outermost, *rest))
    chain.put("statistic", inner if outermost in words.OF_STATISTICS else statistic or "mean")
    if outermost == "extreme_date":
        chain.put("statistic", "minimum" if "minimum" in said and "maximum" not in said else "maximum")
    chain.put("of_each", statistic_of_a_scene(chain.text, outermost, frozenset(said)))
    if dryness := dryness_extreme(without_purposes(chain.text), str(chain.value("quantity")), outermost):
        chain.put("statistic", dryness, note="where it is dry, it is high or low")
    if outermost in words.STATISTICS and "share_threshold" not in chain.slots:
        chain.drop("threshold", "side")


def _said(chain: Chain) -> set[str]:
    """Every operation that is heard, without those that only seem to be."""
    asking = without_stated(without_purposes(chain.text))
    heard = {name for name, pattern in words.HEARD.items() if pattern.search(asking)}
    heard |= {"difference"} if asks_for_distance(asking) is not None else set()
    said = set(chain.goal.value("operations") or ()) | heard | products.heard(chain.text) | _nested(chain)
    if said & {"change", "trend"} and "difference" not in heard and _SIGNIFICANT.search(asking):
        said |= {"mann_kendall"}
    if "change_points" in heard and "spikes" not in heard:
        said -= {"spikes"}  # an abrupt change is a spike only where such changes are counted
    if "spikes" in said and "operations" in chain.goal.slots and _only_peaks(chain.goal):
        said -= {"maximum"}
    if _AGAINST.search(asking):
        said |= {"difference"}
    shared = any(one.search(asking) for one in (words.SHARE_OF, words.SHARE_THERE))
    if words.SHARED & chain.slots.keys() and shared:
        said |= {"share"}
    if len(chain.value("limits", ())) < 2:
        said -= {"classify"}
    elif "share" in said and make_classes(chain.value("limits")):
        said |= {"classify"}
    if len({name for name, _ in chain.value("conditions", ())}) < 2:
        said -= {"intersection"}
    if chain.value("quantity") in products.OF_AN_EVENT:  # a change already
        said -= words.COMPARED
    if not words.RELATED.search(chain.text):
        said -= {"correlation"}
    if "difference" not in heard and words.PLOTTED.search(chain.text):
        said -= {"difference"}  # one against the other, in a plot
    if one_extreme_twice(asking):
        said |= {"difference"}
    elif {"difference", "extreme_date"} <= said and _last(chain, "extreme_date") > _last(chain, "difference"):
        said -= {"difference", "change"}
    two_named = "quantities" in chain.slots or words.BY_EMISSIVITY.search(chain.text)
    if "ratio" in said and _divides_one_time_by_another(chain, said):
        said = said - {"ratio"} | {"times"}
    if not two_named or "conditions" in chain.slots:
        said -= {"ratio"}
    if "extreme_date" not in heard and not words.HIGHEST.search(asking):
        said -= {"extreme_date"}  # "overlay the image with the other"
    if "trend" in said and not words.TREND.search(chain.text):
        said = said - {"trend"} | {"change"}
    return said


def _only_peaks(goal: QueryGoal) -> bool:
    """Whether what is heard as the largest value is the spikes again: "its spikes, i.e. the sharp peaks"."""
    slot = goal.slots["operations"]
    said = dict(zip(slot.value, slot.words.lower().split(", "), strict=False))
    return "peak" in said.get("maximum", "")


def _divides_one_time_by_another(chain: Chain, said: set[str]) -> bool:
    """Whether the mean of one period is divided by that of another, and not one quantity by another."""
    pair = chain.goal.value("comparison") or ()
    of_times = len(pair) == 2 and all(isinstance(one, Period) for one in pair)
    inside = said & {"per_capita", "difference", "percent_change"} or products.part_of_total(chain.text)
    return of_times and not inside and words.DIVIDED.search(chain.text) is not None


def _nested(chain: Chain) -> set[str]:
    """The operations that statistics of statistics come to."""
    shares = of_others(chain.text, "mean", "share")
    means = of_others(chain.text, "maximum", "mean")
    heard = {"average_share": shares is not None, "largest_mean": means is not None and means.grouped}
    over_dates = {str(chain.goal.value("over_dates"))} & set(EXTREMES)
    return {name for name, is_heard in heard.items() if is_heard} | over_dates


def _last(chain: Chain, operation: str) -> int:
    """Where an operation is heard for the last time; -1 where it is not."""
    return max((match.start() for match in words.HEARD[operation].finditer(chain.text)), default=-1)


def _outermost(chain: Chain, said: set[str]) -> str:
    """The operation that works on the results of all others."""
    whole = _as_a_whole(chain, said)
    if whole is not None:
        return whole
    found = next((name for name in words.OUTERMOST if name in said), "")
    if found == "mann_kendall" and "sens_slope" in said:
        return "mann_kendall_and_slope"
    changes, limited = said & words.COMPARED, "threshold" in chain.slots
    if found in ("kurtosis", "skewness") and "extreme_date" in said and words.OF_EACH_SCENE.search(chain.text):
        found = "extreme_date"
    if found == "trend" and changes and not words.FITTED.search(chain.text) and compares_two(chain.goal):
        found = "difference"
    changing = found in ("percent_change", "change", "trend") and said & {"percent_change", "change"}
    if changing and (said & {"maximum", "minimum", "extreme_date"} or words.EVENT.search(chain.text)):
        dated = found == "change" and "extreme_date" in said and not words.EVENT.search(chain.text)
        return "extreme_date" if dated else "largest_change"
    among = found in ("difference", "change") and words.AMONG_SEASONS.search(chain.text)
    if among and not names_pair_of_seasons(chain.text) and not _parts_of_years(chain.goal.value("comparison")):
        return "by_season"
    if found in ("", "extreme_date") and "largest_mean" in said and words.EXTREME_OF.search(chain.text) is None:
        found = found or "largest_mean"
    if found == "change":
        one = "share" if "share" in said and limited else "trend"
        return "difference" if compares_two(chain.goal) else one
    if found == "count" and limited and "times_mean" not in chain.slots:
        return "count_pixels" if chain.goal.value("count_of") == "pixels" else "count_means"
    if found == "count" and "share" in said and "times_mean" in chain.slots:
        return "share"
    if not found or (found == "count" and not limited):
        found = next((name for name in words.STATISTICS if name in said), found)
    if not found and words.WHERE.search(chain.text) and "index" in chain.slots:
        return "hotspot_direction"
    return found or ("share" if limited else "mean")


def _parts_of_years(pair: object) -> bool:
    """Whether two periods are compared that are told by their months or days: "the wet season (February to April)"."""
    periods = pair if isinstance(pair, tuple) else ()
    return len(periods) == 2 and all(isinstance(one, Period) and one.days < _YEAR for one in periods)


def _as_a_whole(chain: Chain, said: set[str]) -> str | None:
    """Operations that several words make together."""
    apart = products.ends_apart(chain.text, chain.goal.value("period"))
    two, limited = compares_two(chain.goal) or apart is not None, "threshold" in chain.slots
    days = len(set(chain.goal.value("dates") or ())) == 2
    own = products.operation_of_products(chain.text, str(chain.value("quantity")), said, limited, two, days)
    if own is not None:
        return own
    if {"share_threshold", "threshold"} <= chain.slots.keys() and said & {"count", "share", "extreme_date"}:
        averaged = "average_share" in said or ({"share", "mean"} <= said and "count" not in said)
        if averaged and "count_of" not in chain.slots:
            return "average_share"
        for slot, value in counted_limits(chain.value("share_threshold"), chain.value("threshold")).items():
            chain.put(slot, value)
        return next(name for name in words.OUTERMOST if name in said) if _compares_counts(chain, said) else "count"
    if grew_markedly(chain.text) and chain.value("quantity") == products.FIRE_POWER:
        return "increase_map"
    for name in ("fire_prone", "per_capita"):
        if name in said:
            return name
    if said & {"maximum", "minimum", "extreme_date"} and _beyond_mean(chain):
        return "beyond_mean"
    if said <= {*EXTREMES, "map", "mask"} and grounds_apart(chain.value("conditions", ())):
        return "difference"  # what is told of two kinds of ground, is compared
    retrieved = operation_of_retrievals(chain.text, str(chain.value("quantity")), said)
    if retrieved is not None:
        return retrieved
    if words.RANGE_OF_MEANS.search(chain.text) or _both_extremes(chain, said):
        return "range_of_means"
    if said <= {"range"} and _RANGE_ALONE.search(chain.text):
        return "range_of_means"
    if words.BOTH_ENDS.search(chain.text) and "extreme_date" not in said:
        return "range_of_means" if words.RANGE.search(chain.text) else "extremes_of_means"
    if said <= _OF_EXTREMES and not two and words.BOTH_EXTREMES.search(chain.text):
        subtracted = "difference" in said or words.RANGE.search(chain.text) is not None
        return "range_of_means" if subtracted else "extremes_of_means"
    indexed = chain.goal.value("index") not in (None, "ndti") and "times_mean" not in chain.slots
    if "drop" in chain.slots or (said & words.COMPARED and indexed and words.THRESHOLDS.search(chain.text)):
        return "loss"
    if "count" in said and "times_mean" in chain.slots and chain.goal.value("count_of") != "pixels":
        return "count_above_mean"
    return None


def _compares_counts(chain: Chain, said: set[str]) -> bool:
    """Whether the numbers of days on which something is beyond a limit are compared, of two times or regions."""
    counted = "count" in said and "threshold" in chain.slots and chain.goal.value("count_of") in (None, "dates")
    counted = counted and ("share_threshold" in chain.slots or "share" not in said)  # "by how many percentage points"
    return counted and bool(said & words.COMPARED) and (compares_two(chain.goal) or by_how_much(chain.text) is not None)


def _both_extremes(chain: Chain, said: set[str]) -> bool:
    """Whether the largest and the smallest of the means of scenes are compared, and not two years or regions."""
    quantity = str(chain.value("quantity"))
    beside = {"difference", "extreme_date"} <= said and extremes_beside(chain.text, quantity)
    if beside or extremes_apart(chain.text, quantity):
        return len({span.period for span in times(chain.text).spans if span.period is not None}) < 2
    if "difference" not in said or not all(one.search(chain.text) for one in words.ENDS):
        return False
    if (
        {"mean", "maximum", "minimum"} <= said
        and words.BOTH_EXTREMES.search(chain.text)
        and words.BETWEEN_THEM.search(chain.text)
    ):
        return True
    periods = {span.period for span in times(chain.text).spans if span.period is not None}
    return "extreme_date" in said and len(periods) < 2


def _beyond_mean(chain: Chain) -> bool:
    """Whether an extreme is compared with the mean of all, and not with another extreme."""
    of_years = len({span.period for span in times(chain.text).spans if span.period is not None}) > 1
    if extremes_apart(chain.text, str(chain.value("quantity"))):
        return False
    told = words.BEYOND_MEAN.search(chain.text) or words.TIMES_MEAN.search(chain.text)
    beyond = not of_years and told is not None
    return beyond and not any(ends.search(chain.text) for ends in (words.RANGE_OF_MEANS, words.BOTH_ENDS))
