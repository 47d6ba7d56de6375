"""Query understanding without a language model: a sentence in English -> ``QueryGoal``."""

from knowflow.reason.language.explanation import Explained, Missing, explain, missing, unclear
from knowflow.reason.language.understanding import understand

__all__ = ["Explained", "Missing", "explain", "missing", "unclear", "understand"]
