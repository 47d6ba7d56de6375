"""Query understanding without a language model: a sentence in English -> ``QueryGoal``.

What reads a sentence is imported where somebody asks for it: who needs some words of it has them without.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from knowflow.reason.language.explanation import Explained, Missing, explain, missing, unclear
    from knowflow.reason.language.understanding import understand

__all__ = ["Explained", "Missing", "explain", "missing", "unclear", "understand"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{'understanding' if name == 'understand' else 'explanation'}"), name)
