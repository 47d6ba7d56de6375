"""Months as people write them into names of files, in the languages of those who do: small letters without accents.

Short forms that are words of their own elsewhere (``set``, ``out``) tell a month only between a day and a year.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from knowflow.knowledge.words import MONTHS, SHORT_MONTHS

# of each month, full names and short forms: German, French, Spanish, Portuguese, Italian, Dutch, Scandinavian, Polish,
# Czech, Slovak, Slovenian, Hungarian, Romanian, Indonesian, Turkish
_OTHERS: tuple[str, ...] = (
    "januar jaenner janner janvier janv enero ene janeiro gennaio januari styczen leden januarja ianuarie ocak",
    "februar feber fevrier fevr fev febrero fevereiro febbraio februari februarie luty unor subat",
    "maerz marz mrz mars marzo marco maart mrt marec brezen marcius martie maret mart marzec",
    "avril avr abril abr aprile apr kwiecien duben aprila aprilis aprilie nisan",
    "mai mayo maio maggio mei maj kveten majus mayis",
    "juni juin junio junho giugno giu junij czerwiec cerven junius iunie haziran",
    "juli juillet juil julio julho luglio julij lipiec cervenec julius iulie temmuz",
    "aout agosto ago augustus augusti sierpien srpen avgust augusztus agustus agustos",
    "septembre septiembre setembro settembre wrzesien zari szeptember septembrie eylul",
    "oktober okt octobre octubre outubro ottobre ott pazdziernik rijen oktobra octombrie ekim",
    "novembre noviembre novembro listopad noiembrie kasim",
    "dezember dez decembre diciembre dic dezembro dicembre desember grudzien prosinec decembrie desembre aralik",
)
_DOUBTFUL = {"gen": 1, "mag": 5, "lug": 7, "set": 9, "out": 10}
DOUBTFUL_MONTHS: Mapping[str, int] = MappingProxyType(_DOUBTFUL)
"""Short forms that are other words, too."""
MONTH_WORDS: Mapping[str, int] = MappingProxyType(
    {name: number for number, names in enumerate(_OTHERS, start=1) for name in names.split()}
    | dict(MONTHS)
    | dict(SHORT_MONTHS)
)
"""Names and short forms of months with their numbers."""


@lru_cache(maxsize=16384)
def without_accents(text: str) -> str:
    """The text with each letter in its plain form, as many characters as before.

    >>> without_accents("août_Höhe")
    'aout_Hohe'
    """
    if text.isascii():
        return text
    return "".join(_plain_letter(letter) for letter in text)


def _plain_letter(letter: str) -> str:
    if letter == "ß":
        return "s"
    first = unicodedata.normalize("NFKD", letter)[:1]
    return first if first.isascii() and first.isalpha() else letter
