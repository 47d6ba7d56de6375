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
# Czech, Slovak, Slovenian, Hungarian, Romanian, Indonesian, Turkish,
# Croatian, Finnish
_OTHERS: tuple[str, ...] = (
    "januar jaenner janner janvier janv enero ene janeiro gennaio januari styczen leden januarja ianuarie ocak sijecanj"
    " tammikuu",
    "februar feber fevrier fevr fev febrero fevereiro febbraio februari februarie luty unor subat veljaca helmikuu",
    "maerz marz mrz mars marzo marco maart mrt marec brezen marcius martie maret mart marzec ozujak maaliskuu",
    "avril avr abril abr aprile apr kwiecien duben aprila aprilis aprilie nisan travanj huhtikuu",
    "mai mayo maio maggio mei maj kveten majus mayis svibanj toukokuu",
    "juni juin junio junho giugno giu junij czerwiec cerven junius iunie haziran lipanj kesakuu",
    "juli juillet juil julio julho luglio julij lipiec cervenec julius iulie temmuz juil srpanj heinakuu",
    "aout agosto ago augustus augusti sierpien srpen avgust augusztus agustus agustos agt kolovoz elokuu",
    "septembre septiembre setembro settembre wrzesien zari szeptember septembrie eylul rujan syyskuu",
    "oktober okt octobre octubre outubro ottobre ott pazdziernik rijen oktobra octombrie ekim lokakuu",
    "novembre noviembre novembro listopad noiembrie kasim marraskuu",
    "dezember dez decembre diciembre dic dezembro dicembre desember grudzien prosinec decembrie desembre aralik"
    " prosinac joulukuu",
)
_DOUBTFUL = (
    {
        "gen": 1,
        "mag": 5,
        "lug": 7,
        "avg": 8,
        "ags": 8,
        "agu": 8,
        "set": 9,
        "out": 10,
        "des": 12,
    }  # Italian, Indonesian
    | {"sty": 1, "lut": 2, "kwi": 4, "cze": 6, "lip": 7, "sie": 8, "wrz": 9, "paz": 10, "lis": 11, "gru": 12}  # Polish
    | {"oca": 1, "nis": 4, "haz": 6, "tem": 7, "eyl": 9, "eki": 10, "kas": 11, "ara": 12}  # Turkish
)
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
