"""Questions for a pack: a sentence in English -> ``QueryGoal``, without a language model.

What reads a whole sentence is :mod:`knowflow.reason.language.understanding`: who needs some words of it has them
without.
"""
