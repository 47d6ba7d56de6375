"""Python's garbage collector, kept from looking where there is nothing to collect."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def uncollected(work: Callable[P, T]) -> Callable[P, T]:
    """Have work that makes very many objects, and next to no garbage, done while nobody looks for garbage: of a plan of
    100,000 nodes the looks take more than half of the time."""

    @wraps(work)
    def working(*args: P.args, **kwargs: P.kwargs) -> T:
        was = gc.isenabled()
        gc.disable()
        try:
            return work(*args, **kwargs)
        finally:
            if was:
                gc.enable()

    return working
