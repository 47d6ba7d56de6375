"""Query understanding without a language model: a sentence in English -> ``QueryGoal`` (``understanding``)."""
