"""Photographs from above as a pack's templates see them: images without bands or dates, some of before and after."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from knowflow.ground.errors import NotUnderstoodError
from knowflow.model.artifact import Artifact, series
from knowflow.model.facts import Facts, Origin
from knowflow.model.goal import Period, QueryGoal, Slot
from knowflow.model.plan import Assumption, Plan
from knowflow.model.template import Template
from knowflow.reason.inventory import Inventory
from knowflow.reason.language.imagery import asks_unmeasured, between_kinds, lacks_height, lacks_object

_ENDINGS = (".jpg", ".jpeg", ".png", ".bmp")
_MOMENTS = (
    ("before", re.compile(r"(?:^|[_\W])(?:pre|before|t1|time1|a1)(?:[_\W]|$)", re.IGNORECASE)),
    ("after", re.compile(r"(?:^|[_\W])(?:post|after|t2|time2|a2)(?:[_\W]|$)", re.IGNORECASE)),
)

# words of time in names, in their order
_TURNS = (
    ("dawn", "morning", "noon", "midday", "afternoon", "evening", "dusk", "night"),
    ("spring", "summer", "autumn", "winter"),
    ("first", "second", "third", "fourth"),
    ("early", "late"),
    ("old", "new"),
    ("past", "present"),
)


class Photographs:
    """Candidates for the inputs of a pack's templates: all images in order of time and name, then those of each moment.

    The layer of an image is ``before`` or ``after`` where its name says so, else ``image``. Where the question is of
    one ``moment`` alone, images of the other are left out, which is noted.
    """

    def __init__(self, inventory: Inventory, moment: str | None = None) -> None:
        self.notes: list[str] = []
        self._summary = inventory.summary()
        moments = [name for name, _ in _MOMENTS]
        images = [_as_photograph(item) for item in inventory.rasters]
        of_it = [item for item in images if item.fact("layer") == moment]
        if of_it and len(of_it) < len(images):
            self.notes.append(f"only images of {moment} are asked about: {len(images) - len(of_it)} left out")
            images = of_it
        self._images = sorted(
            images,
            key=lambda item: (
                moments.index(layer) if (layer := str(item.fact("layer"))) in moments else 0,
                _turn(item.name),
                item.name,
            ),
        )

    def candidates(
        self, kind: str, quantity: tuple[str, ...], bands: tuple[str, ...], period: Period | None
    ) -> tuple[Artifact, ...]:
        """All images, and those of each layer, as series; or each alone. None of them has a quantity or a band."""
        if quantity or bands:
            return ()
        if kind == "raster":
            return tuple(self._images)
        if kind != "raster_series":
            return ()
        layers = {str(item.fact("layer")): None for item in self._images}
        parts = [series(tuple(item for item in self._images if item.fact("layer") == name), name) for name in layers]
        return (series(tuple(self._images), "images"), *parts)

    def only_quantity(self) -> tuple[str, ...]:
        """None: what images show is not known from their names."""
        return ()

    def summary(self) -> str:
        return self._summary


def of_photographs(inventory: Inventory) -> bool:
    """Whether the files are plain images: of no known quantity, and with the endings of photographs or with names that
    tell neither a date nor a band."""
    return bool(inventory.rasters) and all(_is_plain(item) for item in inventory.rasters)


def _is_plain(item: Artifact) -> bool:
    if item.fact("quantity") is not None:
        return False
    told = any(item.fact(name) is not None for name in ("datetime", "band", "bands"))
    return str(item.path).casefold().endswith(_ENDINGS) or not told


def refuse_nothing_to_look_for(goal: QueryGoal) -> None:
    """Refuse a question about images that does not say what is to be counted or found on them, or asks what they do not
    tell.

    Raises:
        NotUnderstoodError: with what can be asked for.
    """
    if goal.value("quantity") == "image" and asks_unmeasured(goal):
        raise NotUnderstoodError(
            "what is asked of the things on the images is nothing that images from above tell",
            where="question",
            expected="their class, number, area, places, distances, or what happened to buildings",
            found=goal.text.strip(),
            hint="ask for one of these",
        )
    if lacks_height(goal):
        raise NotUnderstoodError(
            "a volume is an area times a height, which images from above do not tell",
            where="question",
            expected="the height of the things in metres, or the volume of each",
            found=goal.slots["volume"].words,
            hint="say it: 'each tank is 12 m high', 'each tank holds 5000 m3'; or ask for their area",
        )
    if between_kinds(goal):
        raise NotUnderstoodError(
            "distances are told between things of one kind, or between two single things",
            where="question",
            expected="one kind of thing, or two that are described: 'the largest ship' and 'the northernmost pier'",
            found=goal.text.strip(),
            hint="say which two are meant",
        )
    if lacks_object(goal):
        raise NotUnderstoodError(
            "nothing in the question says what is to be looked for on the images",
            where="question",
            expected="things such as ships, storage tanks or buildings",
            found=goal.text.strip(),
            hint="name what is to be counted, measured or found: 'count the storage tanks'",
        )


def comparison_left_out(goal: QueryGoal, plan: Plan, templates: Mapping[str, Template]) -> Iterator[Assumption]:
    """A comparison of two numbers that the question names, where the images give one number, or more than two."""
    slot = goal.slots.get("compared", Slot("each"))
    within = (templates[choice.chosen].parameters for choice in plan.decisions if choice.chosen != plan.template)
    is_the_loss = slot.value == "difference" and str(goal.value("measure")).startswith("lost")
    if slot.value in ("each", "mean") or is_the_loss or any("compared" in parameters for parameters in within):
        return
    yield Assumption(
        "what is asked", slot.words or slot.value, "left out", "it is of two numbers; each is told by itself"
    )


def before_and_after(inventory: Inventory) -> int:
    """Of how many places images are of before and after something, by their names."""
    moments = [_moment(item) for item in inventory.rasters]
    return min(moments.count(name) for name, _ in _MOMENTS)


def _moment(item: Artifact) -> str:
    return next((name for name, pattern in _MOMENTS if pattern.search(item.name)), "image")


def _turn(name: str) -> int:
    """The place of a name among others that tell a time of the same kind: morning before evening, old before new."""
    said = set(re.split(r"[\W_\d]+", name.casefold()))
    return next((turn.index(word) for turn in _TURNS for word in turn if word in said), 0)


def _as_photograph(item: Artifact) -> Artifact:
    """An image with what its name says of when it was taken: before or after something."""
    said = Facts.of(Origin.DECLARED, "file name", layer=_moment(item))
    return item.with_facts(said.over(item.facts.without(("datetime",))))
