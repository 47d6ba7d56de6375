"""The text of a question, before it is read: what no reading could take."""

from __future__ import annotations

from knowflow.ground.errors import NotUnderstoodError

# pages of text; reading takes time with the square of it
LONGEST = 10_000
_SHOWN = 200


def refuse_too_long(query: str) -> None:
    """Refuse a text that is no question any more, rather than read it for minutes.

    Raises:
        NotUnderstoodError: it has more than ``LONGEST`` characters.
    """
    if len(query) > LONGEST:
        raise NotUnderstoodError(
            "this is too long for a question",
            where="question",
            expected=f"at most {LONGEST} characters",
            found=f"{len(query)} characters: {shown(query)}",
            hint="leave out what asks nothing, and ask one thing at a time",
        )


def refuse_empty(query: str) -> None:
    """Refuse a text without a word.

    Raises:
        NotUnderstoodError: it has none.
    """
    if not query.strip():
        raise NotUnderstoodError(
            "nothing is asked", where="question", expected="a question in words", found="an empty text"
        )


def refuse_no_text(query: str) -> None:
    """Refuse bytes that are no text: neither the record of a run nor its report could hold them.

    Raises:
        NotUnderstoodError: some of it could not be decoded.
    """
    if any("\ud800" <= sign <= "\udfff" for sign in query):
        raise NotUnderstoodError(
            "the question holds bytes that are no text",
            where="question",
            expected="text in UTF-8",
            found=shown(query),
            hint="ask again in plain words",
        )


def shown(query: str) -> str:
    """A question as errors quote it: with its beginning only where it is long."""
    return repr(query if len(query) <= _SHOWN else query[:_SHOWN] + "...")
