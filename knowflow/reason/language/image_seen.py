"""What was recognised in a question about photographs before the question what it asks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from knowflow.reason.language import image_words as words
from knowflow.reason.language.image_pairs import Kinds

# what is built where a question about built-up areas names nothing else
BUILT = "building"


@dataclass(frozen=True, slots=True)
class Seen:
    """A question about photographs, with what was recognised in it before the question what it asks.

    ``text`` is without the list of classes, if there is one; ``pairs`` how many images of before have one of after;
    ``kinds`` are two kinds of thing that are compared, ``listed`` three or more that are listed, ``ends`` two single
    things that are described, ``apart`` how far they are apart.
    """

    text: str
    thing: tuple[str, str] | None
    network: tuple[str, str] | None
    pairs: int
    scene: bool
    buildings_counted: bool
    kinds: Kinds | None = None
    listed: tuple[str, ...] = ()
    ends: tuple[str, str] | None = None
    apart: bool = False

    def says(self, pattern: re.Pattern[str]) -> bool:
        """Whether the question itself says so, not a description that it quotes."""
        return pattern.search(words.QUOTED.sub("", self.text)) is not None

    def last(self, pattern: re.Pattern[str]) -> int:
        """Where the question says so for the last time, which is what it comes to; -1 where it does not."""
        return max((match.start() for match in pattern.finditer(self.text)), default=-1)

    def works_by(self, kind: str) -> bool:
        """Whether a network of this kind is named."""
        return self.network is not None and self.network[1] == kind

    @property
    def of_buildings(self) -> bool:
        return self.thing is None or self.thing[0] == BUILT

    @property
    def changed(self) -> bool:
        """Whether the question is about what happened to buildings between two images."""
        if self.works_by("change"):
            return True
        if not self.of_buildings or self.says(words.LIMIT):
            return False
        if self.says(words.HARM) or self.says(words.RECOVERY):
            return True
        if not self.pairs or self.says(words.STATE):
            return False
        return self.thing is not None or self.says(words.GONE) or self.says(words.TIME_ASKED)

    @property
    def masked(self) -> bool:
        """Whether a limit of brightness makes the mask, or tells which pixels count."""
        by_limit = self.says(words.MASK) or self.says(words.PIXELS_COUNTED)
        return self.says(words.LIMIT) and by_limit and (self.thing is None or "threshold" in self.text.casefold())
