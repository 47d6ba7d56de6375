"""What the outermost step of a chain works on: the two that are compared, what is averaged first, and its details."""

from __future__ import annotations

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.goal import Period
from knowflow.reason.language import chain_words as words
from knowflow.reason.language import product_words as products
from knowflow.reason.language.chain import Chain
from knowflow.reason.language.compared import found_pair, hull_of, in_order, span_of, whole_years, years_named
from knowflow.reason.language.cycles import cycle_days, cycle_length
from knowflow.reason.language.divided import divisor_first
from knowflow.reason.language.extremes_apart import extremes_beside, is_lowest
from knowflow.reason.language.grounds import whole_is_last
from knowflow.reason.language.movements import falls_most
from knowflow.reason.language.nested import of_others
from knowflow.reason.language.product_slots import product_details
from knowflow.reason.language.retrieval_words import CELSIUS_LIMIT, averaged, retrieved_details


def read_comparison(chain: Chain) -> None:
    """What is compared with what, and in what the two differ."""
    given = chain.goal.value("comparison")
    chain.drop("comparison")
    if chain.value("operation") not in words.OF_TWO or _compares_ground(chain):
        return
    pair = given if given is not None else found_pair(chain.goal, chain.value("operations"))
    pair = pair or products.ends_apart(chain.text, chain.goal.value("period"))
    pair = whole_years(chain.text, pair) if pair else None
    if not pair or len(pair) != 2 or pair == ("before", "after"):
        return
    said = chain.goal.slots["comparison"].words if given is not None else ""
    if not all(isinstance(one, Period) for one in pair):
        chain.put("comparison", tuple(pair), said)
        chain.put("span", "regions")
        return
    if given is None or chain.value("operation") != "times":  # one is so many times the other: as it is told
        pair = in_order(pair)
    if chain.value("operation") == "times":
        pair = divisor_first(chain.text, pair)
    span = span_of(pair)
    chain.put("comparison", pair, said)
    chain.put("span", span)
    if span in ("within", "days"):
        chain.drop("months")  # those of one part, or of both: the periods say it
        if "period" in chain.slots:
            chain.put("period", hull_of(pair, years_named(chain.goal)))


def _compares_ground(chain: Chain) -> bool:
    """Whether places are compared that another quantity tells apart: "where NDVI < 0.2 and where it is > 0.5"."""
    limited = [name for name, _ in chain.value("conditions", ())]
    return len(limited) == 2 and limited[0] == limited[1]


def read_details(chain: Chain) -> None:
    """How scenes are averaged, the unit, and what belongs to single operations; what plays no part is left out."""
    operation = chain.value("operation")
    _read_reduction(chain)
    quantity, named = str(chain.value("quantity")), (chain.goal.value("quantity"), *chain.products.mentioned)
    details = retrieved_details(chain.text, quantity, chain.slots)
    details = {**details, **product_details(chain.text, quantity, str(operation), named)}
    for slot, value in details.items():
        chain.drop(slot) if value is None else chain.put(slot, value)
    chain.drop("unit")
    thermal = "temperature" in str(chain.value("quantity"))
    thermal = thermal or bool(words.THERMAL.search(chain.text))
    if thermal and operation not in words.OF_PIXELS and words.CELSIUS.search(CELSIUS_LIMIT.sub("", chain.text)):
        chain.put("unit", "degC")
    reduced = chain.slots.get("reduction")
    of_the_map = "times_mean" in chain.slots and reduced is not None and reduced.value == "maps" and reduced.words
    if words.EACH_DATE.search(chain.text) and not of_the_map:
        chain.put("each", "scene")
    if operation == "difference" and "conditions" in chain.slots and whole_is_last(chain.goal):
        chain.put("whole", "last")
    if operation == "range_of_means" and "extreme_date" in (chain.value("operations") or ()):
        chain.put("dated", True, note="the dates of both are asked for")
    if _mean_beside_share(chain):
        chain.put("mean_too", True, note="the mean is asked for beside the share")
    if operation == "increase_map" and "hotspot_direction" in (chain.value("operations") or ()):
        chain.put("direction", True, note="the side on which most of it lies is asked for")
    both = extremes_beside(chain.text, quantity) if operation == "extreme_date" else ()
    if both:
        chain.put("both", True, " and ".join(both))
        chain.put("statistic", "minimum" if is_lowest(both[0]) else "maximum")
    if operation == "extreme_date" and products.extremes_too(chain.text):
        chain.put("also", "extremes")
    if operation == "largest_change":
        chain.put("statistic", "minimum" if falls_most(chain.text) else "maximum")
    if operation == "extreme_date" and (kind := words.EXTREME_OF.search(chain.text)):
        part = str(kind["kind"] or kind["of_the"] or kind["of_extreme"] or kind["peak"]).lower()
        chain.put("extreme_of", "season_of_year" if part == "season" else part, kind.group())
    if operation == "beyond_mean" and words.TIMES_MEAN.search(chain.text):
        chain.put("beyond", "times")
    elif operation == "beyond_mean" and words.PERCENT_BEYOND.search(chain.text):
        chain.put("beyond", "percent_change")
    if operation == "decomposition":
        if (length := cycle_length(chain.text)) is not None:
            chain.put("cycle", length)
        elif (days := cycle_days(chain.text)) is not None:
            chain.put("cycle_days", days)
    if operation in words.TRENDS:
        per = str(chain.goal.value("group_by") or "")
        chain.put("per", "year" if words.ANNUAL.search(chain.text) else per)
    if chain.value("algorithm") not in chain.of_algorithm:
        chain.drop("algorithm")
    limited = operation in words.LIMITED or products.of_fire_pixels(chain.text, quantity)
    if not limited and chain.value("statistic") not in ("share", "count"):
        chain.drop("threshold", "side", "limits", "share_threshold")
    chain.drop("feature", "top", "class", "daynight", "group_by", "count_of", "over_dates")


def _read_reduction(chain: Chain) -> None:
    """Whether scenes are averaged pixel by pixel before anything else."""
    lasting = "mean" in (chain.goal.value("operations") or ()) or chain.value("statistic") == "sum"
    lasting = lasting or chain.value("operation") == "percent_change"
    lasting = lasting and chain.value("span") == "years"
    kind = quantity_kinds().get(str(chain.value("quantity")))
    lasting = lasting and kind is not None and kind.family == "urban"  # rain and fire come and go
    share = _is_share(chain) and chain.value("mask_clouds") is None
    if share and (bands := words.BANDS_FIRST.search(chain.text)):
        chain.put("reduction", "bands", bands.group())
    elif maps := words.MAPS.search(chain.text):
        chain.put("reduction", "maps", maps.group())
    elif share and _evened_out(chain):
        chain.put("reduction", "bands", note="daily reflectances are averaged before the index is made of them")
    elif share and kind is not None and (kind.family == "index" or kind.name in words.OF_REFLECTANCE):
        chain.put("reduction", "maps", note="an index of a longer time is averaged before its share is taken")
    elif lasting and not words.IMAGE_BY_IMAGE.search(chain.text):
        chain.put("reduction", "maps", note="what lasts is compared between years: averaged pixel by pixel")
    elif chain.value("operation") in words.TRENDS and (each := words.EACH_AVERAGED.search(chain.text)):
        chain.put("reduction", "scenes", each.group())


def _mean_beside_share(chain: Chain) -> bool:
    """Whether the mean of a quantity and the share of it beyond a limit are both asked for: "what was the mean depth,
    and over what share of the area was it above 2 m"."""
    shared = "share" in (chain.value("operations") or ()) and "threshold" in chain.slots
    alone = shared and not {"times_mean", "reduction"} & chain.slots.keys()
    alone = alone and of_others(chain.text, "mean", "share") is None
    return alone and averaged(chain.text, str(chain.value("quantity")))


def _is_share(chain: Chain) -> bool:
    """Whether the share of the area is asked for that is beyond a limit, once or to be compared."""
    shared = "share" in (chain.value("operation"), chain.value("statistic"))
    return shared and bool({"threshold", "times_mean"} & chain.slots.keys())


def _evened_out(chain: Chain) -> bool:
    """Whether reflectances are averaged before an index is made of them: those of several days of a month, in which
    the ground stays as it is (snow comes and goes), and those of water, which glitters on single days."""
    kind = quantity_kinds().get(str(chain.value("quantity")))
    if kind is None or kind.family != "index" or kind.name in words.OF_WATER | words.OF_SNOW:
        return kind is not None and kind.name in words.OF_WATER
    periods = chain.value("comparison") or (chain.goal.value("period"),)
    return all(isinstance(one, Period) and 1 < one.days <= words.MONTH for one in periods)
