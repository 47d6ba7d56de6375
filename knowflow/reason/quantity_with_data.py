"""Which quantity is meant where the words leave a choice, or name none, and the data leave none.

What is named outright stays. Of what a word may mean as well ("the sea was warmer", "soil sealing") the data decide; a
layer may be called by its name; and where a question names nothing, it is about the only quantity that the data hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.ground.units import compatible
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.words import stem
from knowflow.model.goal import QueryGoal, Slot
from knowflow.reason.inventory import Inventory
from knowflow.reason.language.subjects import fits

_COVER = "_fraction"  # kinds that are the share of a pixel which a thing on the ground covers
_COMPARED = re.compile(r"(?:warmer|hotter|colder|cooler|chillier)\b", re.IGNORECASE)  # than what: any temperature
_AIR = "air_temperature"
_OF_NO_STATISTIC = frozenset({"mask", "class", "radiometry"})


def quantity_with_data(goal: QueryGoal, inventory: Inventory) -> QueryGoal:
    """The goal with the quantity that it leaves to the data; each such choice is a default, with its reason."""
    held = _held(inventory)
    if "quantity" in goal.slots:
        return _instead(goal, inventory, held)
    return _only_one(_by_name(goal, inventory), held & _at_every_time(goal, inventory))


def _held(inventory: Inventory) -> frozenset[str]:
    leaves = (leaf for item in inventory.artifacts for leaf in item.leaves())
    return frozenset(kind for leaf in leaves if (kind := leaf.fact("quantity")))


def _at_every_time(goal: QueryGoal, inventory: Inventory) -> frozenset[str]:
    """The quantities of which there are data of each time that is compared; all where none are."""
    leaves = [leaf for item in inventory.artifacts for leaf in item.leaves()]
    found = frozenset(str(leaf.fact("quantity")) for leaf in leaves)
    for period in goal.value("comparison") or ():
        here = (one for one in leaves if period.start <= str(one.fact("datetime"))[:10] <= period.end)
        found &= frozenset(str(one.fact("quantity")) for one in here)
    return found


def _instead(goal: QueryGoal, inventory: Inventory, held: frozenset[str]) -> QueryGoal:
    """ "The sea was warmer", "how sealed is it": of what such words may mean, what the data hold."""
    slot, where = goal.slots.get("quantity"), goal.slots.get("class")
    if slot is None or not (slot.default or _COMPARED.match(slot.words)) or slot.value in held:
        return goal
    feature, may_mean = goal.slots.get("feature"), lexicon().instead
    other = next((name for name in _may_mean(may_mean, feature, slot) if name in held and _alone(name, held)), None)
    note = f"{slot.words!r} may mean several quantities; this one is in the data"
    by_unit = other is None and (other := _of_unit(goal, slot, held)) is not None
    if by_unit:
        note = f"the data hold this quantity alone in {goal.value('unit')}"
    of_that = where is not None and where.value == lexicon().told_of.get(str(other))
    if other == _AIR and _is_named(goal):
        return goal
    if other is None or (where is not None and where.words != slot.words and not of_that):
        return goal
    slots = {**goal.slots, "quantity": Slot(other, slot.words, True, note)}
    if of_that:
        del slots["class"]  # "how warm was the lake": the temperature of water is told of nothing else
    if feature is None:
        return replace(goal, slots=slots)
    dropped = {"feature", "threshold", "side"}
    if not by_unit:  # else of the thing on the ground: "the snow: how many kelvin"
        slots = _about_itself(slots, other)
        said = slots.get("threshold")
        dropped = {"feature", "class"} | ({"threshold", "side"} if said is None or said.default else set())
    kept = {name: one for name, one in slots.items() if name not in dropped}
    return replace(goal, slots=kept) if slots else goal


def _of_unit(goal: QueryGoal, slot: Slot, held: frozenset[str]) -> str | None:
    """The only quantity of the data in the unit that is asked for, where what a word of the scene implies has another:
    "the water: how many kelvin". Areas and shares may be told of anything."""
    unit = goal.value("unit")
    if unit is None or unit == "%" or compatible(str(unit), "m2") or fits(str(slot.value), str(unit)):
        return None
    found = _measured_in(unit, held)
    return found[0] if len(found) == 1 else None


def _about_itself(slots: dict[str, Slot], other: str) -> dict[str, Slot]:
    """Slots that ask about a quantity itself; empty where the thing on the ground is meant, known by the limit of
    another one."""
    limit = slots.get("threshold")
    if limit is not None and _is_cover(slots, limit, other):
        note = "the share of the ground is the mean of what every pixel is covered by"
        said = slots.get("operations", Slot((), "", True))
        return slots | {
            "operation": Slot("mean", said.words, True, note),
            "operations": Slot(("mean", *said.value[1:]), said.words, True, note),
            "statistic": Slot("mean", said.words, True, note),
        }
    has_unit = limit is not None and not limit.default and limit.value.unit is not None
    of_it = has_unit and limit is not None and fits(other, str(limit.value.unit))  # "the temperature was above 298 K"
    return slots if limit is None or of_it else {}


def _is_cover(slots: Mapping[str, Slot], limit: Slot, quantity: str) -> bool:
    """Whether how much is covered is asked for, by the usual limit, and the quantity is the share of every pixel.

    What was derived already goes before an index that would have to be made.
    """
    asked = slots["operations"].value if "operations" in slots else ()
    return limit.default and quantity.endswith(_COVER) and tuple(asked[:1]) in ((), ("share",))


def _may_mean(instead: Mapping[str, tuple[str, ...]], feature: Slot | None, quantity: Slot) -> Iterable[str]:
    if feature is not None:
        yield from instead.get(str(feature.value), ())
    yield from instead.get(str(quantity.value), ())


def _alone(name: str, held: frozenset[str]) -> bool:
    """Whether nothing else in the data could be meant as well: "warm" is the air's where no surface is measured."""
    family = {one for one in held if (kind := quantity_kinds().get(one)) is not None and kind.family == "temperature"}
    return name != _AIR or (family == {name} and "toa_radiance" not in held)


def _is_named(goal: QueryGoal) -> bool:
    """Whether another temperature is named outright: "surface temperature" is not the air's, whatever the data hold."""
    from knowflow.reason.language import understand

    named = understand(goal.text).slots.get("quantity")
    return named is not None and not named.default and not _COMPARED.match(named.words)


def _by_name(goal: QueryGoal, inventory: Inventory) -> QueryGoal:
    """A quantity that the question calls by the name of the layer that holds it, and nothing else that is unknown."""
    zones = [item.name for item in inventory.artifacts if item.type == "vector"]
    words = [word for word in _unknown(goal) if not any(_is_called(name, word) for name in zones)]
    named = [item for item in inventory.rasters if words and all(_is_called(item.name, word) for word in words)]
    called = {str(kind) for item in named if (kind := item.fact("quantity")) is not None}
    if len(called) != 1:
        return goal
    said = " ".join(words)
    left = tuple(one for one in goal.leftover if one not in words)
    slots = {**goal.slots, "quantity": Slot(called.pop(), said, False, f"a layer of the data is called {said!r}")}
    return replace(goal, slots=slots, leftover=left)


def _unknown(goal: QueryGoal) -> list[str]:
    """Words that nobody knows, which are no places either: they may be the name of something."""
    return [word for word in goal.leftover if stem(word) not in lexicon().places]


def _is_called(name: str, word: str) -> bool:
    return stem(word) in {stem(part) for part in re.findall(r"[a-z]{2,}", name.lower())}


def _only_one(goal: QueryGoal, held: frozenset[str]) -> QueryGoal:
    """A question that names no quantity is about the only one in the data that its unit and its operation fit.

    Words that nobody knows may be the name of another one: then nothing is taken.
    """
    if "quantity" in goal.slots or _unknown(goal) or not goal.value("operations"):
        return goal
    unit = goal.value("unit")
    found = _measured_in(unit, held)
    if len(found) != 1:
        return goal
    words = "" if unit is None else goal.slots["unit"].words
    note = "the question names no quantity; the data hold this one alone" + (f" in {unit}" if unit else "")
    return replace(goal, slots={**goal.slots, "quantity": Slot(found[0], words, True, note)})


def _measured_in(unit: str | None, held: frozenset[str]) -> list[str]:
    """The quantities of the data that have statistics, and that the unit fits."""
    return [name for name in sorted(held) if _measured(quantity_kinds().get(name)) and fits(name, unit)]


def _measured(kind: QuantityKind | None) -> bool:
    return kind is not None and not kind.categorical and kind.family not in _OF_NO_STATISTIC
