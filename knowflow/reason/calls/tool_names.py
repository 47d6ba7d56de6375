"""The tool that a name which does not exist may have meant, by its words, its purpose and the arguments given."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from knowflow.model.tool import ToolSchema
from knowflow.reason.calls.call import Call
from knowflow.reason.calls.words import content, overlap, purpose, words_of

_FAR = 0.5
"""Below this likeness a tool is another one, not a slip of the pen."""
_LONGEST_NAME = 80
_LITTLE = frozenset(("of", "a", "an", "the", "two", "and", "in", "by", "each", "many", "from", "to", "image", "images"))


def nearest_tools(call: Call, tools: Mapping[str, ToolSchema]) -> tuple[str, ...]:
    """Tools that the call may have meant, the most likely first; none where nothing comes near."""
    if len(call.tool) > _LONGEST_NAME:
        return ()
    scored = sorted(
        ((likeness(call, schema), name) for name, schema in tools.items()), key=lambda one: (-one[0], one[1])
    )
    return tuple(name for score, name in scored if score >= _FAR)


def likeness(call: Call, schema: ToolSchema) -> float:
    """How much of what a call says is what a tool is called and takes: 0 to 1, and a little more for a perfect fit."""
    asked, own = purpose(call.tool), purpose(schema.tool)
    told = frozenset(words_of(schema.title)) | frozenset(words_of(schema.description))
    by_name = max(overlap(asked, own), 0.9 * _spelling("".join(sorted(asked)), "".join(sorted(own))))
    # a word that is in the title is meant by the tool, though its name says it otherwise
    by_purpose = len(asked & (told | own)) / len(asked) if asked else 0.0
    given = [content(name) for name in call.arguments]
    takes = [content(name) for name in schema.parameters]
    by_arguments = sum(any(words == other for other in takes) for words in given) / len(given) if given else 0.0
    same = 0.05 * _spelling(call.tool, schema.tool)
    if not asked & own and by_name < 0.7:
        return 0.4 * by_purpose
    return 0.6 * by_name + 0.2 * by_purpose + 0.2 * by_arguments + same


def purpose_told(schema: ToolSchema) -> frozenset[str]:
    """What a tool does, by its name and its title."""
    return (purpose(schema.tool) | frozenset(words_of(schema.title))) - _LITTLE


def _spelling(one: str, other: str) -> float:
    """Likeness of two spellings (Ratcliff and Obershelp), 0 to 1."""
    return difflib.SequenceMatcher(None, one, other).ratio() if one and other else 0.0
