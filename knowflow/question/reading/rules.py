"""The grammar: what combines, as tables of rules. The functions that carry them out are in ``nouns``, ``limits``,
``grounds``, ``changes``, ``spans``, ``topics`` and ``questions``.

Symbols: ``N`` a noun, ``M`` one per period, ``B`` side and limit, ``C`` a clause, ``CL`` one that is said of dates or
ground, ``T``, ``W`` and ``K`` the time, the ground and the key that restrict or split, ``XT`` the keys with the most,
``TWO`` two times, ``E`` an expression that is asked for, ``Q`` a question. The other symbols in capitals are those of
words, with a value, those in small letters join: both are in ``pkb/reading``.
"""

from __future__ import annotations

from functools import cache

from knowflow.question.reading.chart import Grammar, rules_from
from knowflow.question.reading.rules_of_alternatives import RULES_OF_ALTERNATIVES
from knowflow.question.reading.rules_of_amounts import RULES_OF_AMOUNTS
from knowflow.question.reading.rules_of_areas import RULES_OF_AREAS
from knowflow.question.reading.rules_of_bands import RULES_OF_BANDS
from knowflow.question.reading.rules_of_beside_points import RULES_OF_BESIDE_POINTS
from knowflow.question.reading.rules_of_both import RULES_OF_BOTH
from knowflow.question.reading.rules_of_comparisons import RULES_OF_COMPARISONS
from knowflow.question.reading.rules_of_conditions import RULES_OF_CONDITIONS
from knowflow.question.reading.rules_of_every_one import RULES_OF_EVERY_ONE
from knowflow.question.reading.rules_of_extremes import RULES_OF_EXTREMES
from knowflow.question.reading.rules_of_feature_numbers import RULES_OF_FEATURE_NUMBERS
from knowflow.question.reading.rules_of_features import RULES_OF_FEATURES
from knowflow.question.reading.rules_of_keys import RULES_OF_KEYS
from knowflow.question.reading.rules_of_layers import RULES_OF_LAYERS
from knowflow.question.reading.rules_of_left_out import RULES_OF_LEFT_OUT
from knowflow.question.reading.rules_of_lists import RULES_OF_LISTS
from knowflow.question.reading.rules_of_losses import RULES_OF_LOSSES
from knowflow.question.reading.rules_of_marks import RULES_OF_MARKS
from knowflow.question.reading.rules_of_meanings import RULES_OF_MEANINGS
from knowflow.question.reading.rules_of_motion import RULES_OF_MOTION
from knowflow.question.reading.rules_of_nouns import RULES_OF_NOUNS
from knowflow.question.reading.rules_of_other_classes import RULES_OF_OTHER_CLASSES
from knowflow.question.reading.rules_of_pairs import RULES_OF_PAIRS
from knowflow.question.reading.rules_of_parts import RULES_OF_PARTS
from knowflow.question.reading.rules_of_positions import RULES_OF_POSITIONS
from knowflow.question.reading.rules_of_products import RULES_OF_PRODUCTS
from knowflow.question.reading.rules_of_questions import RULES_OF_QUESTIONS
from knowflow.question.reading.rules_of_rates import RULES_OF_RATES
from knowflow.question.reading.rules_of_relations import RULES_OF_RELATIONS
from knowflow.question.reading.rules_of_rows import RULES_OF_ROWS
from knowflow.question.reading.rules_of_second_parts import RULES_OF_SECOND_PARTS
from knowflow.question.reading.rules_of_sources import RULES_OF_SOURCES
from knowflow.question.reading.rules_of_topics import RULES_OF_TOPICS
from knowflow.question.reading.rules_of_verbs import RULES_OF_VERBS
from knowflow.question.reading.rules_of_whereabouts import RULES_OF_WHEREABOUTS


@cache
def grammar() -> Grammar:
    """All rules."""
    of_things = (
        *RULES_OF_NOUNS,
        *RULES_OF_KEYS,
        *RULES_OF_BANDS,
        *RULES_OF_PAIRS,
        *RULES_OF_AREAS,
        *RULES_OF_AMOUNTS,
        *RULES_OF_LEFT_OUT,
        *RULES_OF_BOTH,
        *RULES_OF_ROWS,
        *RULES_OF_FEATURES,
        *RULES_OF_FEATURE_NUMBERS,
    )
    of_questions = (*RULES_OF_LISTS, *RULES_OF_MARKS, *RULES_OF_QUESTIONS, *RULES_OF_SOURCES, *RULES_OF_TOPICS)
    of_words = (
        *RULES_OF_COMPARISONS,
        *RULES_OF_VERBS,
        *RULES_OF_MEANINGS,
        *RULES_OF_PARTS,
        *RULES_OF_SECOND_PARTS,
        *RULES_OF_LOSSES,
        *RULES_OF_OTHER_CLASSES,
        *RULES_OF_BESIDE_POINTS,
        *RULES_OF_POSITIONS,
        *RULES_OF_EXTREMES,
        *RULES_OF_ALTERNATIVES,
        *RULES_OF_LAYERS,
        *RULES_OF_RATES,
        *RULES_OF_RELATIONS,
        *RULES_OF_MOTION,
        *RULES_OF_WHEREABOUTS,
        *RULES_OF_CONDITIONS,
        *RULES_OF_EVERY_ONE,
        *RULES_OF_PRODUCTS,
    )
    return Grammar(rules_from((*of_things, *of_words, *of_questions)))
