"""Months as people write them into names of files, in the languages of those who do: small letters without accents.

Short forms that are words of their own elsewhere (``set``, ``out``) tell a month only between a day and a year, or
where others of their language stand beside them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType

from knowflow.knowledge.words import MONTHS, SHORT_MONTHS

# of each month, full names as the Unicode CLDR has them, in every case of the language, and the short forms that
# nothing else is called: German, French, Spanish, Portuguese, Italian, Dutch, Scandinavian, Icelandic, Polish, Czech,
# Slovak, Slovenian, Croatian, Serbian, Hungarian, Romanian, Albanian, Baltic, Basque, Catalan, Galician, Indonesian,
# Malay, Filipino, Swahili, Afrikaans, Turkish, Finnish, Estonian; in Latin letters Greek, Russian, Ukrainian, Arabic
_OTHERS: tuple[str, ...] = (
    "januar jaenner janner janvier janv enero ene janeiro gennaio januari styczen leden januarja ianuarie ocak "
    "sijecanj tammikuu stycznia ledna januara sijecnja tammikuuta jaanuar janvaris sausio sausis gener xaneiro "
    "urtarrila janar januarie "
    "ianouarios ianouariou yanvar yanvarya sichen sichnya yanayir",
    "februar feber fevrier fevr fev febrero fevereiro febbraio februari februarie luty unor subat veljaca "
    "helmikuu lutego unora februara veljace helmikuuta veebruar februaris vasario vasaris febrer febreiro "
    "otsaila shkurt pebrero "
    "fevrouarios fevrouariou fevral fevralya lyutyy lyutyi lyutoho fibrayir",
    "maerz marz mrz mars marzo marco maart mrt marec brezen marcius martie maret mart marzec ozujak maaliskuu "
    "marts marca brezna ozujka maaliskuuta kovo kovas marc martxoa marso machi "
    "martios martiou berezen bereznya",
    "avril avr abril abr aprile apr kwiecien duben aprila aprilis aprilie nisan travanj huhtikuu kwietnia "
    "dubna travnja huhtikuuta aprill balandzio balandis apirila prill aprili "
    "aprilios apriliou aprel aprelya kviten kvitnya",
    "mai mayo maio maggio mei maj kveten majus mayis svibanj toukokuu maja kvetna svibnja toukokuuta maijs "
    "geguzes geguze maig maiatza "
    "maios maiou traven travnya",
    "juni juin junio junho giugno giu junij czerwiec cerven junius iunie haziran lipanj kesakuu czerwca cervna "
    "juna lipnja kesakuuta juuni junijs birzelio birzelis juny xuno ekaina qershor hunyo junie "
    "iounios iouniou ioun iyun iyunya cherven chervnya yunyu",
    "juli juillet juil julio julho luglio julij lipiec cervenec julius iulie temmuz srpanj heinakuu lipca "
    "cervence jula srpnja heinakuuta juuli julijs liepos liepa juliol xullo uztaila korrik julai hulyo julie "
    "ioulios iouliou ioul iyul iyulya lypen lypnya yulyu",
    "aout agosto ago augustus augusti sierpien srpen avgust augusztus agustus agustos agt kolovoz elokuu "
    "sierpnia srpna augusta kolovoza elokuuta augusts rugpjucio rugpjutis agust agost abuztua gusht ogos "
    "agosti "
    "avgoustos avgoustou augoustos augoustou serpen serpnya aghustus",
    "septembre septiembre setembro settembre wrzesien zari szeptember septembrie eylul rujan syyskuu wrzesnia "
    "septembra rujna septembar syyskuuta septembris rugsejo rugsejis setembre iraila shtator setyembre "
    "septemba "
    "septemvrios septemvriou sentyabr sentyabrya veresen veresnya sibtambar",
    "oktober okt octobre octubre outubro ottobre ott pazdziernik rijen oktobra octombrie ekim lokakuu "
    "pazdziernika rijna oktobar lokakuuta oktoober oktobris spalio spalis urria tetor oktubre oktoba "
    "oktovrios oktovriou oktyabr oktyabrya zhovten zhovtnya uktubar",
    "novembre noviembre novembro listopad noiembrie kasim marraskuu listopadu novembra studenoga studeni "
    "novembar marraskuuta novembris lapkricio lapkritis azaroa nentor nobyembre novemba "
    "noemvrios noemvriou noem noyabr noyabrya lystopad lystopada nufimbar",
    "dezember dez decembre diciembre dic dezembro dicembre desember grudzien prosinec decembrie desembre "
    "aralik prosinac joulukuu grudnia prosince decembra prosinca decembar joulukuuta detsember decembris "
    "gruodzio gruodis decembro abendua dhjetor disember disyembre desemba "
    "dekemvrios dekemvriou dekabr dekabrya hruden hrudnya disimbar",
)
# the same in letters of other scripts: Russian, Ukrainian, Bulgarian, Serbian and Macedonian, Greek
_OTHER_SCRIPTS: tuple[str, ...] = (
    "январь января янв січень січня січ януари јануар јануари ιανουάριος ιανουαρίου ιαν",
    "февраль февраля фев февр лютий лютого лют февруари фебруар φεβρουάριος φεβρουαρίου φεβ",
    "март марта мар березень березня бер μάρτιος μαρτίου μάρτης μαρ μάρ",
    "апрель апреля апр квітень квітня квіт април απρίλιος απριλίου απρ",
    "май мая травень травня трав мај μάιος μαΐου μαΐος μάϊος μαϊ μάι μαι",
    "июнь июня июн червень червня черв юни јун јуни ιούνιος ιουνίου ιουν ιούν",
    "июль июля июл липень липня лип юли јул јули ιούλιος ιουλίου ιουλ ιούλ",
    "август августа авг серпень серпня серп αύγουστος αυγούστου αυγ αύγ",
    "сентябрь сентября сен сент вересень вересня вер септември септембар сеп септ σεπτέμβριος σεπτεμβρίου σεπ σεπτ",
    "октябрь октября окт жовтень жовтня жовт октомври октобар οκτώβριος οκτωβρίου οκτ",
    "ноябрь ноября ноя нояб листопад листопада лист ноември новембар νοέμβριος νοεμβρίου νοε νοέ",
    "декабрь декабря дек грудень грудня груд декември децембар δεκέμβριος δεκεμβρίου δεκ",
)
_SHORT: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        language: tuple(names.split())
        for language, names in (
            ("de", "jan feb mrz apr mai jun jul aug sep okt nov dez"),
            ("fr", "janv fevr mars avr mai juin juil aout sept oct nov dec"),
            ("es", "ene feb mar abr may jun jul ago sep oct nov dic"),
            ("pt", "jan fev mar abr mai jun jul ago set out nov dez"),
            ("it", "gen feb mar apr mag giu lug ago set ott nov dic"),
            ("nl", "jan feb mrt apr mei jun jul aug sep okt nov dec"),
            ("da", "jan feb mar apr maj jun jul aug sep okt nov dec"),
            ("sv", "jan feb mar apr maj jun jul aug sep okt nov dec"),
            ("nb", "jan feb mar apr mai jun jul aug sep okt nov des"),
            ("pl", "sty lut mar kwi maj cze lip sie wrz paz lis gru"),
            ("cs", "led uno bre dub kve cvn cvc srp zar rij lis pro"),
            ("sk", "jan feb mar apr maj jun jul aug sep okt nov dec"),
            ("sl", "jan feb mar apr maj jun jul avg sep okt nov dec"),
            ("hr", "sij velj ozu tra svi lip srp kol ruj lis stu pro"),
            ("sr", "jan feb mar apr maj jun jul avg sep okt nov dec"),
            ("hu", "jan feb mar apr maj jun jul aug szept okt nov dec"),
            ("ro", "ian feb mar apr mai iun iul aug sept oct noi dec"),
            ("id", "jan feb mar apr mei jun jul ags sep okt nov des"),
            ("tr", "oca sub mar nis may haz tem agu eyl eki kas ara"),
            ("fi", "tammi helmi maalis huhti touko kesa heina elo syys loka marras joulu"),
            ("et", "jaan veebr marts apr mai juuni juuli aug sept okt nov dets"),
            ("lv", "janv febr marts apr maijs jun jul aug sept okt nov dec"),
            ("lt", "saus vas kov bal geg birz liep rugp rugs spal lapkr gruod"),
            ("el", "ian fev mar apr mai ioun ioul avg sep okt noe dekem"),
            ("ru", "yan fev mar apr may iyun iyul avg sen okt noy dekab"),
            ("eu", "urt ots mar api mai eka uzt abu ira urr aza abe"),
            ("id2", "jan feb mar apr mei jun jul agu sep okt nov des"),
            ("cs2", "led unor brez dub kvet cerv cvc srp zari rij list pros"),
            ("pl2", "stycz luty marz kwiec maj czerw lipi sierp wrzes pazdz listo grudz"),
            ("tr2", "ocak sub mart nisan mayis haz tem agu eylul ekim kas aralik"),
        )
    }
)
"""Short forms of the months of languages, some of which are other words, too."""
MONTH_WORDS: Mapping[str, int] = MappingProxyType(
    {
        name.casefold(): number
        for listed in (_OTHERS, _OTHER_SCRIPTS)
        for number, names in enumerate(listed, start=1)
        for name in names.split()
    }
    | dict(MONTHS)
    | dict(SHORT_MONTHS)
)
"""Names and short forms of months with their numbers."""
ANY_MONTH = "|".join(
    name if name.isascii() else rf"(?<![^\W\d_]){name}(?![^\W\d_])"
    for name in sorted(MONTH_WORDS, key=len, reverse=True)
)
"""A pattern of them; those of other scripts stand for themselves, as they are no words of which others are made."""
DEKAD = r"dec(?=[-_ ]?[1-3](?!\d))"
"""A third of a month as it is shortened where it is a *décade*; beside a month, and before its number, no December."""


def _doubtful() -> Iterator[tuple[str, tuple[int, ...]]]:
    found: dict[str, dict[int, None]] = {}
    for names in _SHORT.values():
        for number, name in enumerate(names, start=1):
            if name not in MONTH_WORDS:
                found.setdefault(name, {})[number] = None
    return ((name, tuple(numbers)) for name, numbers in found.items())


DOUBTFUL_MONTHS: Mapping[str, tuple[int, ...]] = MappingProxyType(dict(_doubtful()))
"""Short forms that are other words, too, with the months that they are in one language or another."""
_OTHERWISE: Mapping[str, tuple[int, ...]] = MappingProxyType({"listopad": (10,), "listopada": (10,)})
"""Names that are of another month in Croatian than in Polish and Czech."""
BEFORE_A_YEAR = (
    *("gen", "mag", "lug", "avg", "ags", "agu", "set", "out", "des", "sty", "lut", "kwi", "cze", "lip", "sie", "wrz"),
    *("paz", "lis", "gru", "oca", "nis", "haz", "tem", "eyl", "eki", "kas", "ara"),
)
"""Those that mostly are months where a whole year stands behind them."""


def languages_in(words: Iterable[str]) -> frozenset[str]:
    """The languages of whose months several are among some words, the most of any; in any that knows them they are of
    the same months."""
    said = {*words}
    told = {language: len(said & {*names}) for language, names in _SHORT.items()}
    most = max(told.values(), default=0)
    return frozenset(language for language, count in told.items() if count == most > 1)


def months_called(name: str) -> frozenset[int]:
    """The months that a name is of, in one language or another: October and November of ``listopad``.

    >>> sorted(months_called("listopad"))
    [10, 11]
    """
    plain = without_accents(name).casefold()
    known = MONTH_WORDS.get(plain) or MONTH_WORDS.get(name.casefold())
    return frozenset(
        (*(() if known is None else (known,)), *DOUBTFUL_MONTHS.get(plain, ()), *_OTHERWISE.get(plain, ()))
    )


def month_in(word: str, languages: Iterable[str]) -> int | None:
    """The month that a short form is in some languages; None where they do not know it, or do not agree."""
    found = {_SHORT[language].index(word) + 1 for language in languages if word in _SHORT[language]}
    return found.pop() if len(found) == 1 else None


@lru_cache(maxsize=16384)
def without_accents(text: str) -> str:
    """The text with each letter in its plain form, as many characters as before.

    >>> without_accents("août_Höhe_sıcaklık_głębokość_snødybde")
    'aout_Hohe_sicaklik_glebokosc_snodybde'
    """
    if text.isascii():
        return text
    return "".join(_plain_letter(letter) for letter in text)


_UNDIVIDED = str.maketrans("ßıłŁøØđĐðÐþÞæÆœŒħĦŧŦ\N{MICRO SIGN}", "silLoOdDdDtTaAoOhHtTu")
"""Letters that Unicode takes for one, and not for a plain one with a mark, with the plain ones that they are written as
where a keyboard has none of them."""


def _plain_letter(letter: str) -> str:
    if (plain := letter.translate(_UNDIVIDED)) != letter:
        return plain
    first = unicodedata.normalize("NFKD", letter)[:1]
    return first if first.isascii() and first.isalpha() else letter
