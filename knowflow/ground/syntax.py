"""Python's own parser, one thread at a time.

In CPython 3.11 the conversion of a syntax tree into objects counts its depth in a place that all threads share; two
threads that parse at once can end in ``SystemError: AST constructor recursion depth mismatch`` (python/cpython#106905).
Everything here that parses takes this lock, pint included, which parses definitions when it is first used, and so does
what writes down a traceback: to mark what of a line failed, Python parses the line.
"""

from __future__ import annotations

import ast
import threading
import traceback

PARSING = threading.RLock()


def parse_expression(text: str) -> ast.expr:
    """The syntax tree of one expression; raises what ``ast.parse`` raises."""
    with PARSING:
        return ast.parse(text, mode="eval").body


def parse_module(source: bytes) -> ast.Module:
    """The syntax tree of a module; raises what ``ast.parse`` raises."""
    with PARSING:
        return ast.parse(source)


def text_of(error: BaseException) -> str:
    """The traceback of an error, and of what it came of."""
    with PARSING:
        return "".join(traceback.format_exception(error))
