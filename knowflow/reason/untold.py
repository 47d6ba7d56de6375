"""What a question names - a time, a band, a polarisation, a pass, a place - and the files do not tell.

An answer from what happens to be there would be that of another question; it is asked back, with the ``--assume`` that
would tell it. One place for all of them: ``refuse_untold`` looks at the files that a plan takes, ``untold`` tells a
refusal which files might have served.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from knowflow.ground.errors import MissingFactError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem
from knowflow.model.artifact import Artifact
from knowflow.model.goal import Period, QueryGoal
from knowflow.reason.inventory import Inventory
from knowflow.reason.named_bands import without_band
from knowflow.reason.regions import of_named_region, places_of

_MOST_NAMES = 3
_TIMES = ("period", "dates", "months", "years")
# what a question of any time may take as it is: the form of the ground, and what tells places apart
_LASTING = frozenset({"terrain", "mask"})


def refuse_untold(goal: QueryGoal, inputs: Mapping[str, Artifact], inventory: Inventory, by_area: bool) -> None:
    """Raise where a question names what the files that its plan takes do not tell.

    ``by_area``: an area of interest is given, which stands for every place that the question names.

    Raises:
        MissingFactError: with the files, and the ``--assume`` that would tell it.
    """
    leaves = [leaf for artifact in inputs.values() for leaf in artifact.leaves()]
    problems = (*untold(goal, leaves), *(() if by_area else _of_no_place(goal, inputs, inventory)))
    if problems:
        raise MissingFactError(
            "the question names what the files do not tell",
            where="question",
            expected=problems[0].expected,
            found=problems[0].found,
            hint=problems[0].hint,
            problems=problems[1:],
        )


def untold(goal: QueryGoal, rasters: Sequence[Artifact]) -> tuple[Problem, ...]:
    """What a question names and none of some rasters tells, each as a problem with the ``--assume`` for it."""
    return (*_undated(goal, rasters), *_of_no_band(goal, rasters))


def _undated(goal: QueryGoal, rasters: Sequence[Artifact]) -> Iterator[Problem]:
    """A time is asked about, and no file says of which it is. Where some do, others (a map of people, say) go with
    them."""
    words, value = _time(goal)
    if not words:
        return
    timely = [raster for raster in rasters if raster.type == "raster" and _of_a_time(raster, goal)]
    if timely and all(raster.fact("datetime") is None for raster in timely):
        yield _problem(timely, f"datetime={value}", "files that say of which time they are", f"{words!r}")


def _time(goal: QueryGoal) -> tuple[str, str]:
    """The words for the time that a question names, and its first day where it is one span; "" for none."""
    slots = [slot for name in _TIMES if (slot := goal.slots.get(name)) is not None and not slot.default and slot.words]
    compared = goal.slots.get("comparison")
    if compared is not None and not compared.default and any(isinstance(one, Period) for one in compared.value or ()):
        return compared.words or "two times", "VALUE"
    if not slots:
        return "", ""
    period = goal.value("period")
    days: tuple[str, ...] = tuple(goal.value("dates") or ())
    one = period.start if isinstance(period, Period) and period.start[:4] == period.end[:4] else None
    return slots[0].words, one or (days[0] if len(days) == 1 else "VALUE")


def _of_a_time(raster: Artifact, goal: QueryGoal) -> bool:
    """Whether the numbers of a raster are of one time or another: heights stay, and so do classes that only tell the
    ground apart on which another quantity is asked for."""
    kinds = quantity_kinds()
    kind, asked = kinds.get(str(raster.fact("quantity"))), kinds.get(str(goal.value("quantity")))
    family = None if kind is None else kind.family
    return family not in _LASTING and (family != "class" or asked is None or asked.family == "class")


def _of_no_band(goal: QueryGoal, rasters: Sequence[Artifact]) -> Iterator[Problem]:
    """A band or polarisation is asked for, and a file does not say which one it is."""
    asked, nameless = without_band(goal, rasters)
    if nameless:
        count = nameless[0].fact("count") or 1
        band = asked[0].lower() if len(asked) == 1 else "VALUE"
        said = band if count == 1 else f"[{','.join(['VALUE'] * count)}]"
        found = f"the {' and '.join(dict.fromkeys(asked))} band"
        yield _problem(nameless, f"bands={said}", "files that say of which band they are", found)


def _of_no_place(goal: QueryGoal, inputs: Mapping[str, Artifact], inventory: Inventory) -> Iterator[Problem]:
    """A place is named, the data are of several that do not touch, and none of them is called so. Data of one place are
    taken to be of the one that is named, which is told with the answer."""
    named = goal.slots.get("region")
    if named is None or named.default or goal.value("group_by") is not None or of_named_region(goal, inputs):
        return
    kinds = {leaf.fact("quantity") for artifact in inputs.values() for leaf in artifact.leaves()} - {None}
    places = places_of(raster for raster in inventory.rasters if raster.fact("quantity") in kinds)
    if len(places) > 1:
        rasters = [raster for _, raster in places]
        said = f"region={named.value}"
        yield _problem(rasters, said, "files that say of which place they are", f"{named.words!r}", whole=False)


def _problem(rasters: Sequence[Artifact], fact: str, expected: str, asked: str, whole: bool = True) -> Problem:
    """``whole``: the fact may hold of all of the files; else of one of them."""
    listed = list({raster.path: raster for raster in rasters}.values())[:_MOST_NAMES]
    names = [PurePath(raster.path or raster.name) for raster in listed]
    more = len({raster.path for raster in rasters}) - len(listed)
    some = ", ".join(name.name for name in names) + (f" and {more} more" if more else "")
    said = fact if len(rasters) == 1 or not whole else f"{fact.partition('=')[0]}=VALUE"
    told_apart = len({name.stem for name in names}) == len(names)
    patterns = (name.stem if told_apart else f"*/{name.parent.name}/{name.name}" for name in names)
    lines = (" " if whole else " or ").join(f'--assume "{pattern}:{said}"' for pattern in patterns)
    return Problem("untold", expected, f"{asked} is asked about, and {some} may be of any", f"if it is so: {lines}")
