"""Which of the products that a question names is the one asked about: the last that the others are steps to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.lexicon import lexicon
from knowflow.model.artifact import CHANGES
from knowflow.model.goal import QueryGoal
from knowflow.reason.language import chain_words as words
from knowflow.reason.language import product_words as products
from knowflow.reason.language.retrieval_words import asks_how_warm, averaged

_DRYNESS = "tvdi"
_REFLECTANCES = ("surface_bidirectional_reflectance", "toa_bidirectional_reflectance")
_NEAR = 3  # words
EXTREMES = ("mean", "maximum", "minimum")


@dataclass(frozen=True)
class Products:
    """The products of a question, with what each is derived of and what algorithms retrieve."""

    goal: QueryGoal
    made_of: Mapping[str, frozenset[str]]
    of_algorithm: Mapping[str, tuple[str, ...]]

    @cached_property
    def retrieved(self) -> tuple[str, ...]:
        """What the algorithm that is named retrieves."""
        return self.of_algorithm.get(str(self.goal.value("algorithm")), ())

    @cached_property
    def mentioned(self) -> tuple[str, ...]:
        """All quantities that are named, as what is asked about or as what it is made of."""
        return (*(self.goal.value("quantities") or ()), *(self.goal.value("sources") or ()))

    def derived(self, quantity: str, found: frozenset[str] = frozenset()) -> frozenset[str]:
        """What a quantity is made of, directly or through others."""
        direct = self.made_of.get(quantity, frozenset()) - found
        return frozenset().union(direct, *(self.derived(name, found | direct) for name in direct))

    def asked(self) -> str | None:
        """The product that the others named are steps to; None where none is named."""
        text, main = self.goal.text, self._last_step(self._of_algorithm_named(self._named_outright()))
        if main is None and words.THERMAL.search(text):
            main = "surface_temperature"
        if main is not None and self._tells_ground(main) and words.WARMER.search(text):
            main = "surface_temperature"
        main = self._of_dry_ground(self._made_of_sources(main))
        if main in words.BASES:  # "light per building volume" is about light, "volume per person" about volume
            others = [name for name in self.mentioned if name not in words.BASES and not self._only_implied(name)]
            others += [name for name in self.mentioned if main == products.per_quantity(text) != name]
            main = next(iter((*self._told_per(), *others)), main)
        defined = "ndvi" in (name for name, _ in self.goal.value("conditions") or ()) and not products.by_a_model(text)
        if main == "vegetation_fraction" and "ndvi" in self.mentioned and (defined or not products.as_fraction(text)):
            main = "ndvi"  # "NDVI data, to determine vegetation coverage", "vegetation is where NDVI > 0.4"
        return self._of_water(main)

    def _told_per(self) -> tuple[str, ...]:
        """What stands before "per head" and the like, be it only a word that implies it: "light per head"."""
        place = products.told_per(self.goal.text)
        mentions = () if place is None else lexicon().scan(" ".join(self.goal.text[:place].split()[-_NEAR:]))
        meanings = [m.of("quantity") or m.of("feature") for m in mentions[-1:]]
        found = [one.entry.value if one.category == "quantity" else one.entry.quantity for one in meanings if one]
        return tuple(str(name) for name in found if name is not None and name not in words.BASES)

    def _last_step(self, main: str | None) -> str | None:
        """What a quantity is a step to, of all that is named or limited beside it."""
        conditions = [name for name, _ in self.goal.value("conditions") or ()]
        # a feature ("dry soil") hints at quantities that nobody named
        sources = () if self.goal.slots.get("feature") else self.goal.value("sources") or ()
        counted = {"share", "count"} & set(self.goal.value("operations") or ())
        for name in (*(self.goal.value("quantities") or ()), *conditions, *sources):
            if self._is_event_of_index(name):
                continue
            measured = name in conditions and self.goal.value("statistic") in EXTREMES and not counted
            of_bands = main in _REFLECTANCES and _is_index(name)
            if (of_bands or main in self.derived(name)) and not measured and main not in self.retrieved:
                main = name
            if main in CHANGES and name not in CHANGES:
                main = name
        return main

    def _of_water(self, main: str | None) -> str | None:
        """Turbidity, where reflectance or nothing is named and it is spoken of murky water."""
        text, indexed = self.goal.text, self.goal.value("index")
        implied = main is None or (main.removeprefix("m") == "ndwi" and main not in text.lower())
        implied = (implied or main == "surface_bidirectional_reflectance") and indexed is None
        if implied and products.of_murky_water(text):
            return "turbidity"
        if products.of_murky_water(text) and main in ("ndti", "ndwi", "mndwi", None):
            return main if main is not None and (main == indexed or main in text.lower()) else "turbidity"
        return main

    def _named_outright(self) -> str | None:
        """The quantity of the goal, or the one that is named where only a word of the scene ("burned") implies it."""
        main: str | None = self.goal.value("quantity")
        if (
            main in products.OF_AN_EVENT
            and self.goal.slots["quantity"].default
            and products.FIRE_POWER in self.mentioned
        ):
            return products.FIRE_POWER  # what burns is told by its power, and no burn scar by two dates
        if main is not None and asks_how_warm(self.goal.text, main):
            return main
        if main is not None and (self.is_left_to_index(main) or self._is_word_for_index(main)):
            return str(self.goal.value("index"))
        if "feature" not in self.goal.slots or not self.goal.slots["quantity"].default:
            return main
        named = next((str(name) for name in self.goal.value("quantities") or () if name != main), None)
        return named or self._of_data(main)

    def _of_data(self, main: str | None) -> str | None:
        """What the data are said to be, where a word of the scene alone ("urban expansion") implies an index that they
        are no bands of."""
        sources = self.goal.value("sources") or ()
        if main is None or not sources or self.goal.value("bands") or not self._only_implied(main):
            return main
        kinds = [quantity_kinds().get(name) for name in sources]
        counted = [kind.name for kind in kinds if kind is not None and kind.family == "urban"]
        return next(iter(counted), main)

    def is_left_to_index(self, name: str) -> bool:
        """Whether the drop of an index is only implied ("burn scars, where NBR < -0.1"), and no two dates are told
        apart."""
        return self._is_event_of_index(name) and words.BEFORE_AND_AFTER.search(self.goal.text) is None

    def _is_event_of_index(self, name: str) -> bool:
        """Whether the drop of an index that is named is not named itself."""
        implied = name in products.OF_AN_EVENT and self.goal.value("index") not in (None, name)
        return implied and name not in self.goal.text.lower()

    def _is_word_for_index(self, name: str) -> bool:
        """Whether an index is only meant by a word ("greenness"), and another one is named."""
        return self._only_implied(name) and self.goal.value("index") is not None and name not in self.goal.text.lower()

    def _only_implied(self, name: str) -> bool:
        """Whether an index stands for a thing on the ground that is spoken of ("the city grew"), and is not named."""
        return _is_index(name) and self.goal.value("index") != name

    def _tells_ground(self, name: str) -> bool:
        """Whether a quantity only tells places apart: by limits, or as what stands for a thing on the ground."""
        limited = [name for name, _ in self.goal.value("conditions") or ()]
        limit = self.goal.slots.get("threshold")
        if limit is not None and not limit.default and "temperature" not in name:
            limited += [self.goal.value("quantity")]
        return name in limited or self._only_implied(name)

    def _of_dry_ground(self, main: str | None) -> str | None:
        """The dryness that vegetation and temperature tell together, where both are named and it is asked how dry it
        was."""
        made_of = self.made_of.get(_DRYNESS, frozenset())
        named = made_of & {*self.mentioned, main}
        dry = words.DRY.search(self.goal.text) is not None
        return _DRYNESS if dry and main in made_of and len(named) > 1 and "surface_temperature" in named else main

    def _made_of_sources(self, main: str | None) -> str | None:
        """What brightness temperatures and what goes with them are there for, where nothing else is named."""
        if main != "toa_brightness_temperature" or averaged(self.goal.text, main):
            return main
        beside = set(self.mentioned) - {main}
        if "surface_albedo" in beside:
            return "apparent_thermal_inertia"
        if len(self.goal.value("bands") or ()) > 1:  # one band has a brightness temperature, two tell the surface
            return "surface_temperature"
        return "surface_temperature" if "surface_emissivity" in beside else main

    def _of_algorithm_named(self, main: str | None) -> str | None:
        """What an algorithm that is named retrieves, where the quantity is one of its inputs."""
        if not self.retrieved or main in self.retrieved:
            return main
        an_input = main is None or any(main in self.derived(one) for one in self.retrieved)
        return self.retrieved[0] if an_input else main


def _is_index(name: str) -> bool:
    kind = quantity_kinds().get(name)
    return kind is not None and kind.family == "index"
