"""Query understanding without a language model: a sentence in English -> ``QueryGoal``."""

from knowflow.reason.language.understanding import understand

__all__ = ["understand"]
