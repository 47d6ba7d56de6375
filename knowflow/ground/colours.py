"""The colours of classes on maps: what is commonly known by a colour has it, all else colours that are told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from knowflow.ground.spelling import lookalikes

Colour = tuple[int, int, int]

# Okabe and Ito (2008), "Color universal design": told apart with every kind of colour vision
TOLD_APART: tuple[Colour, ...] = (
    (0, 114, 178),
    (230, 159, 0),
    (0, 158, 115),
    (204, 121, 167),
    (86, 180, 233),
    (213, 94, 0),
    (240, 228, 66),
    (110, 110, 110),
    (146, 95, 60),
    (102, 60, 150),
    (150, 190, 90),
    (40, 60, 90),
)
OFF: Colour = (222, 222, 214)
_NAMELESS: Colour = (160, 160, 155)
# by a word in the name of a class; those of land cover are near to what ESA WorldCover and CORINE take
_BY_WORD: Mapping[str, Colour] = {
    **dict.fromkeys(("shadow", "shadows"), (90, 90, 90)),
    **dict.fromkeys(("cloud", "clouds", "cirrus"), (170, 170, 170)),
    **dict.fromkeys(("wetland", "wetlands", "marsh", "mangrove", "mangroves"), (0, 150, 160)),
    **dict.fromkeys(("water", "flood", "flooded", "sea", "ocean", "lake", "river"), (30, 100, 200)),
    **dict.fromkeys(("snow", "ice", "glacier"), (120, 200, 240)),
    **dict.fromkeys(("unburned", "unburnt"), (60, 130, 60)),
    **dict.fromkeys(("burned", "burnt", "fire"), (150, 40, 20)),
    **dict.fromkeys(("forest", "forests", "tree", "trees"), (0, 110, 40)),
    **dict.fromkeys(("shrub", "shrubs", "shrubland"), (190, 150, 60)),
    **dict.fromkeys(("crop", "crops", "cropland", "arable", "cultivated", "agricultural", "farmland"), (230, 150, 230)),
    **dict.fromkeys(("grass", "grassland", "pasture", "pastures", "meadow", "meadows"), (200, 220, 80)),
    **dict.fromkeys(("vegetation", "vegetated"), (40, 150, 60)),
    **dict.fromkeys(("built", "urban", "buildings", "settlement", "artificial"), (200, 30, 40)),
    **dict.fromkeys(("bare", "soil", "sand", "desert"), (190, 170, 140)),
}
# of grades, from the lowest to the highest: light to dark, as burn severity is commonly shown
_GRADES: tuple[Colour, ...] = ((254, 224, 139), (253, 174, 97), (244, 109, 67), (200, 40, 60), (120, 0, 50))
_GRADE_WORDS = frozenset({"low", "moderate", "medium", "high", "very", "extreme"})
_FEWEST_GRADES = 3
_MISSPELT = 0.9  # as alike are words with one letter too many or too few in ten
_NOT = frozenset({"not", "no", "non", "outside", "unchanged", "invalid", "elsewhere", "other", "clear"})


def class_colours(names: Mapping[int, str]) -> dict[int, Colour]:
    """A colour for every class, by its number and name; no two classes have one, and what is none of anything is grey.

    Of a mask (0 and 1) the 0 is grey.
    """
    mask = set(names) <= {0, 1}
    said = {code: name.casefold().replace("_", " ").replace("-", " ").split() for code, name in sorted(names.items())}
    found = _graded([code for code, words in said.items() if _GRADE_WORDS.intersection(words)])
    for code, words in said.items():
        if code in found:
            continue
        known = next((_BY_WORD[near] for word in words if (near := _known(word))), None)
        if (mask and code == 0) or (not mask and words[:1] and words[0] in _NOT):
            known = OFF
        if not mask and len(said) > 1 and all(word.isdigit() for word in words):
            known = _NAMELESS
        free = (one for one in TOLD_APART if one not in found.values())
        found[code] = known if known is not None and known not in found.values() else next(free, OFF)
    return found


def _known(word: str) -> str | None:
    """The word with a colour that a word is, or is meant to be: ``schrubland``."""
    return word if word in _BY_WORD else next(iter(lookalikes(word, _BY_WORD, 1, _MISSPELT)), None)


def _graded(codes: Sequence[int]) -> dict[int, Colour]:
    """The colours of grades in their order; of none where these are too few, or too many."""
    if not _FEWEST_GRADES <= len(codes) <= len(_GRADES):
        return {}
    last = len(codes) - 1
    return {code: _GRADES[round(place * (len(_GRADES) - 1) / last)] for place, code in enumerate(codes)}
