"""From a sentence to an expression: words, what they may stand for, a chart of what they make together, the best of it.

Nothing here knows the data but by :class:`~knowflow.question.reading.vocabulary.DataWords`, the names that they bring.
"""
