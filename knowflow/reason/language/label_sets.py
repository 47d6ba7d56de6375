"""Lists of class names in a question about images: where each image has one of them, scenes are to be classified.

No wording has to say so. Names of scenes one after the other, each but once and none in the plural, are the classes to
choose from; the same names as things to be counted stand in the plural, or beside "detect".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

_WORD = r"[A-Za-z][\w-]*+"
_NAME = rf"(?:an? |the )?{_WORD}(?: {_WORD}){{0,3}}"
_KEY = r"(?:\b\w\w?[:=.)]\s*)?"  # "A: beach, B: bridge"
_QUOTE = "[\"'“”‘’`]?"
_BETWEEN = rf"(?:{_QUOTE}\s*{{}}\s*(?:(?:and|or)\s+)?{_KEY}{_QUOTE}|{_QUOTE}\s+or\s+{_QUOTE})"
_SIGNS = (",", ";", "\\|", "/", r"[\n•]\s*(?:[-*•]|\d+[.)])?")
_LISTS = tuple(
    re.compile(rf"(?<![A-Za-z])(?<![A-Za-z]-){_NAME}(?:{_BETWEEN.format(sign)}{_NAME}){{2,}}(?:\s+and\s+{_NAME})?")
    for sign in _SIGNS
)
_APART = re.compile("|".join(_BETWEEN.format(sign) for sign in _SIGNS) + r"|\s+and\s+")
_ARTICLE = re.compile(r"^(?:an?|the)\s+", re.IGNORECASE)
_ALTERNATIVES = re.compile(r"\bor\s+[\w -]+$")
_LEAD = re.compile(r"^.*\b(?:are|is|be|of|as|from|among|between|either|into|to)\s+", re.IGNORECASE)
# what is said of images and their classes, in any order
_OF_CLASSES = re.compile(
    r"\b(?:land[- ](?:cover|use)|words?|letters?|class(?:es|if\w+)?"
    r"|categor\w+|label\w*|tag(?:s|ged|ging)?|taxonomy|vocabulary|types?|terms?|options?|either"
    r"|one of|belongs?|falls?|assign\w*|choose|pick)\b",
    re.IGNORECASE,
)
_OF_THINGS = re.compile(r"\b(?:objects?|instances?|detect\w*|bounding|box(?:es)?|bbox(?:es)?)\b", re.IGNORECASE)
_EACH_IMAGE = re.compile(
    r"\b(?:each|every|one|single)\b[^.;:]{0,24}\b(?:images?|pictures?|photos?|scenes?|tiles?|shots?|label|class|category)\b",
    re.IGNORECASE,
)
# so many names of a kind are a list of classes, whatever is said beside them
_MANY = 6


@dataclass(frozen=True, slots=True)
class LabelSet:
    """The classes that images are told apart by, and where in the text they are listed."""

    labels: tuple[str, ...]
    first: int
    past: int

    def without(self, text: str) -> str:
        """The text without the list: what is asked of the images."""
        return f"{text[: self.first]} {text[self.past :]}"

    def named(self, text: str) -> str | None:
        """The class that the rest of a text speaks of, the longest of those at hand: "dense residential areas"."""
        plain = _plain(text)
        return max((label for label in self.labels if _plain(label) in plain), key=len, default=None)


def label_set(text: str, scenes: Collection[str], things: Collection[str]) -> LabelSet | None:
    """The list of classes in a text, None where there is none.

    ``scenes`` are names of what whole images show, ``things`` names of what detectors find; classifiers know of some of
    these too. A list of things alone is one of classes where the text speaks of classes.
    """
    whole, known = {_plain(name) for name in scenes}, {_plain(name) for name in (*scenes, *things)}
    for found in _lists(text, known):
        if _are_classes(found, text, whole, known):
            return found
    return None


def _are_classes(found: LabelSet, text: str, whole: Collection[str], known: Collection[str]) -> bool:
    around = found.without(text)
    if _OF_THINGS.search(around) and not _EACH_IMAGE.search(around):
        return False
    names = [_plain(label) for label in found.labels]
    of_scenes, of_any = (sum(name in some for name in names) for some in (whole, known))
    several = sum(label.endswith("s") and not label.endswith("ss") for label in found.labels)
    said = _OF_CLASSES.search(around) is not None
    if 2 * several > len(names):
        return False
    if len(names) >= _MANY and (said or 2 * of_any >= len(names)):
        return True
    alternatives = _ALTERNATIVES.search(text[found.first : found.past]) is not None
    return 2 * of_scenes >= len(names) and (said or alternatives)


def _lists(text: str, known: Collection[str]) -> Iterator[LabelSet]:
    """Every list of three names or more, the longest first, without the words of the sentence at its ends."""
    found = []
    for match in (match for pattern in _LISTS for match in pattern.finditer(text)):
        first, *others, last = (part for part in _APART.split(match.group()) if part)
        begun, ended = _end_of(first, known), _begin_of(last, known)
        past = match.end() - len(last) + len(ended)
        if _plain(ended) not in known and len(ended.split()) > 2:  # the next sentence
            ended, past = "", match.end() - len(last)
        labels = tuple(_ARTICLE.sub("", label.strip()) for label in (begun, *others, ended) if label)
        found.append(LabelSet(labels, match.start() + len(first) - len(begun), past))
    yield from sorted(found, key=lambda one: -len(one.labels))


def _end_of(label: str, known: Collection[str]) -> str:
    """The longest known name that a label ends with: "each shows either river"; else what follows "the classes are"."""
    words = label.split()
    ends = (" ".join(words[k:]) for k in range(len(words)))
    return next((end for end in ends if _plain(end) in known), _LEAD.sub("", label))


def _begin_of(label: str, known: Collection[str]) -> str:
    words = label.split()
    return next((begin for k in range(len(words), 0, -1) if _plain(begin := " ".join(words[:k])) in known), label)


def _plain(name: str) -> str:
    """A name without blanks and capitals, in the singular: ``StorageTanks`` is ``storage tank``."""
    return re.sub(r"[\s_-]+", "", name).casefold().removesuffix("s")
