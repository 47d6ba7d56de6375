"""The door for text from outside: no key, and no piece of one, comes in with what an endpoint says."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

HIDDEN = "[key]"
FRAGMENT = 8  # characters: shorter pieces of a key are no secret, and stand in ordinary words
_SHORTEST_KEY = 6
_LOOKS_LIKE_A_KEY = re.compile(r"\b(sk|gsk|hf|xai)[-_][A-Za-z0-9*_-]{6,}|\bBearer\s+\S+", re.IGNORECASE)
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
# characters written in another way, and what may stand between two characters without being seen
_WRITTEN = re.compile(
    r"%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|&#?\w{1,8};|\\[abfnrtv]|[\s\x00-\x1f\u00ad\u200b-\u200f\u2060\ufeff]"
)


class Scrubber:
    """Hides keys in texts: whole or in pieces of at least eight characters, in any case, with line breaks between its
    characters, and as URLs, HTML, JSON, base64 and hexadecimal digits write them.

    A key of less than six characters is none (servers of one's own take any), one of less than eight is hidden whole.
    """

    def __init__(self, *keys: str) -> None:
        pieces = {piece for key in keys for piece in _pieces(key)}
        self._pieces = {size: {p for p in pieces if len(p) == size} for size in {len(p) for p in pieces}}

    def __call__(self, data: Any) -> Any:
        """Plain data, with what is hidden in each of its texts; names of mappings are texts too."""
        if isinstance(data, str):
            return self.text(data)
        try:
            if isinstance(data, Mapping):
                return {self(name): self(item) for name, item in data.items()}
            if isinstance(data, (list, tuple)):
                return [self(item) for item in data]
        except RecursionError:  # nobody answers in data so deep
            return HIDDEN
        if isinstance(data, (int, float)) and not isinstance(data, bool) and self.text(str(data)) != str(data):
            return HIDDEN
        return data

    def text(self, text: str) -> str:
        """The text with every piece of a key hidden."""
        if not self._pieces:
            return text
        hidden = [*self._found(text), *self._found(*_read(text))]
        for start, end in reversed(_joined(hidden)):
            text = f"{text[:start]}{HIDDEN}{text[end:]}"
        return text

    def error(self, text: str) -> str:
        """The text of an error, without what merely looks like a key too: endpoints quote what they refuse."""
        return _LOOKS_LIKE_A_KEY.sub(HIDDEN, self.text(text))

    def _found(self, text: str, places: Sequence[tuple[int, int]] = ()) -> Iterator[tuple[int, int]]:
        """Where pieces stand; ``places`` has that of every character in what was written, where it is another."""
        lower = text.translate(_LOWER)
        for size, pieces in self._pieces.items():
            for start in range(len(lower) - size + 1):
                if lower[start : start + size] in pieces:
                    end = start + size
                    yield (places[start][0], places[end - 1][1]) if places else (start, end)


def keys_of(api_key: str, base_url: str) -> tuple[str, ...]:
    """What is secret in the settings of an endpoint: the key, and what an address may hold of one."""
    parts = urlsplit(base_url)
    query = [value for pair in parts.query.split("&") for _, _, value in (pair.partition("="),)]
    own = (parts.password, *query) if base_url else ()
    return tuple(key for key in (api_key, *(unquote(one) for one in own if one)) if key)


def _pieces(key: str) -> Iterator[str]:
    """The pieces that give a key away, in every form it is written in; lower case."""
    if len(key) < _SHORTEST_KEY:
        return
    octets = key.encode()
    yield from _windows(key, min(FRAGMENT, len(key)))
    if len(key) < FRAGMENT:
        return
    yield from _windows(octets.hex(), 2 * FRAGMENT)
    for before, mixed in ((0, 0), (1, 2), (2, 3)):  # octets before the key, and the digits that they share with it
        digits = base64.b64encode(b"\0" * before + octets).decode().rstrip("=")
        digits = digits[mixed : len(digits) - ((before + len(octets)) % 3 > 0)]
        yield from _windows(digits, FRAGMENT)
        yield from _windows(digits.translate(str.maketrans("+/", "-_")), FRAGMENT)


def _windows(text: str, size: int) -> Iterator[str]:
    lower = text.translate(_LOWER)
    return (lower[start : start + size] for start in range(len(lower) - size + 1))


def _read(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text as it reads: escapes as what they stand for, nothing between the characters; and where each stood."""
    characters: list[str] = []
    places: list[tuple[int, int]] = []
    done = 0
    for match in _WRITTEN.finditer(text):
        characters.append(text[done : match.start()])
        places.extend((place, place + 1) for place in range(done, match.start()))
        meant = _meant(match[0])
        characters.append(meant)
        places.extend([match.span()] * len(meant))
        done = match.end()
    characters.append(text[done:])
    places.extend((place, place + 1) for place in range(done, len(text)))
    return "".join(characters), places


def _meant(written: str) -> str:
    match written[:2]:
        case "\\u" | "\\x":
            meant = chr(int(written[2:], 16))
        case two if two[0] == "%":
            meant = chr(int(written[1:], 16))
        case two if two[0] == "&":
            meant = html.unescape(written)
        case _:
            return ""
    return "" if meant.isspace() else meant


def _joined(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges in order, those that touch as one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
