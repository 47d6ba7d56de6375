"""The words by which people compare what is measured on photographs: with a number, by image, by thing, by time."""

from __future__ import annotations

import re

from knowflow.knowledge.words import NUMBER_WORDS
from knowflow.reason.language.image_words import NUMBER, SIDE_WORDS, SIZE_WORDS
from knowflow.reason.language.patterns import any_of

_IMAGES = r"(?:image|picture|photo|scene|tile|region|district)s?"
_NUMBERS = rf"(?:{NUMBER}|{'|'.join(NUMBER_WORDS)})"

# --- numbers beside what is measured --------------------------------------------------------------------------------

# so many things for each unit of an area that the question tells; and what takes a time or a cost for each thing
COVERS = any_of(
    rf"\b(?:covers?|spans?|extends? over|is|of)\s+(?:about |an area of )?(?P<n>{NUMBER})\s*"
    r"(?:hectares?|ha\b|km2|km²|square kilomet(?:er|re)s?|acres?)"
)
DENSITY = any_of(r"\bdensity\b", r"\bper (?:hectare|square|km|acre|unit of area)", r"\bfor each hectare")
RATE = any_of(
    rf"\b(?P<n>{_NUMBERS})\s+(?:\w+\s+){{1,5}}?(?:per|a|each|every)\s+(?:week|month|day|year)\b",
    r"\b(?:rate|speed|pace|capacity) of (?P<m>\d*\.?\d+)",
)
EACH_COSTS = any_of(
    r"\b(?:each|every|one|a|an)\b[^.?]{0,60}?\b(?:costs?|takes?|needs?|requires?|holds?|emits?|carries|uses?|gets|receives"
    r"|hous(?:es|ed)|seats?|stores?|shelter(?:s|ed)|produces?|generates?|consumes?|accommodates?|served|weighs|yields"
    r"|absorbs|(?:has|have|with) an? (?:[\w-]+ )?(?:capacity|volume|weight|mass|value|price|load|yield|output) of)\s+"
    rf"(?:about )?(?P<n>{NUMBER})",
    rf"\b(?P<m>{NUMBER})\s+\w+\s+(?:for|per) (?:each|every|one)?\s*(?:\w+ )?"
    r"(?:building|house|home|thing|object|tank|ship|vessel|plane|aircraft|vehicle|car|truck|container|turbine|court|pool)\b",
    r"\b(?:each|every|one)\b[^.?]{0,60}?\b(?:is|are|be|gets?)\s+"
    rf"(?:assigned|given|allotted|allocated|provided with|supplied with|sent)\s+(?:about )?(?P<given>{NUMBER})",
    rf"\b(?:costs?|(?:price|cost|rate|fee) of) (?P<cost>{NUMBER}) \w+ (?:per|for (?:each|every)|an?) ",
)
REMAINS = any_of(
    r"\b(?:remain|surviv)\w*\b",
    r"\b(?:left|still) standing\b",
    r"\b(?:intact|undamaged|unharmed|spared)\b",
    r"\bnot (?:been |get )?(?:destroyed|damaged|lost)\b",
)
_LOST = r"(?:destr[ou]|lost|los[es]|damag|collaps|demolish|reduc|disappear|vanish|ruin|wreck|burn)\w*"
# the part of what there was: a loss divided by what there was before, in whatever words
PART_OF_ALL = any_of(
    r"\b(?:share|proportion|fraction|part) of (?:the |all |its |their )*(?:[\w-]+ ){0,2}?"
    r"(?:building|house|structure|home|dwelling|built)"
)
_THERE_BEFORE = (
    r"(?:(?!(?-i:[A-H])\b)[\w-]+ ){0,6}?"
    r"(?:original|initial|former|previous|pre|before|existing|earlier"
    r"|(?:total|whole|entire|all|stock)\b(?![^.?;]{0,40}\b(?-i:[A-H])\b))\b"
    rf"(?![^.?;]{{0,40}}\b{_LOST})"
)
LOSS_BY_ALL = any_of(
    rf"\b(?:divid\w+|ratio|quotient|relat\w+|proportion)\b[^.?;]*?\b{_LOST}[^.?;]*?\b(?:by|to|over|and) "
    + _THERE_BEFORE,
    rf"\b{_LOST}[^?]*\bdivid\w+ (?:this|that|it|them|the (?:result|difference))\b[^.?;]*?\bby {_THERE_BEFORE}",
    rf"\b{_LOST}[^.?;]*\b(?:divided by|relati(?:ve|on) to|in proportion to|as a (?:share|fraction|part) of) "
    + _THERE_BEFORE,
    r"\bloss (?:ratio|rate)\b",
)
RATE_OF_AREA = any_of(
    rf"\b{NUMBER} (?:square \w+|m2|m²|hectares?) (?:\w+ ){{0,5}}?(?:per|a|each|every) (?:week|month|day|year)\b"
)
PER_AREA = any_of(
    rf"(?<!than )(?<![\d.])(?P<n>{NUMBER})\s*[\w$€£]+(?: of [\w-]+)?\s*(?:\b(?:per|for (?:each|every)|an?|each)\b|/)\s*"
    r"(?P<area>square kilomet(?:er|re)s?|km2|km²|hectares?|ha\b|square met(?:er|re)s?|sq\.? ?m\b|m2|m²|m\^2)"
)
# square metres of each of these
AREAS = {"square k": 1e6, "km": 1e6, "h": 1e4}
_STILL = r"(?:[^.?;]|\.(?=\d))"
_NOT_TOLD = r"(?:gsd|pixels?|resolution|sampling|scale|number|numbers|count|area|distance|in|on)\b"
_NO_SCALE = r"(?!\s*(?:m|met(?:er|re)s?)?\s*(?:/|per|a)\s*(?:px|pixel))"
MULTIPLIED = any_of(
    rf"\bmultipl\w+\b{_STILL}{{0,80}}?\b(?:by|with)\s+(?:(?P<n>{_NUMBERS})"
    rf"|(?:(?!{_NOT_TOLD})[\w'’²-]+[\s,:=(]+){{1,8}}?(?P<m>{NUMBER}))\b(?P<percent>\s*(?:%|per ?cent\b))?{_NO_SCALE}",
    rf"\b(?:area|number|count|result|total|it|this) times (?:the (?:[\w-]+ ){{1,4}}?(?:of )?)?(?P<times>{NUMBER})\b",
)
# what is said to be done with a number at last, whether or not anything of the plan does it
LAST_STEPS = {
    "multiply": any_of(rf"\bmultiply(?:ing)?\b{_STILL}*?\b(?:by|with)\b(?: [\w'’.-]*\w){{1,6}}"),
    "divide": any_of(rf"\bdivid(?:e|ing)\b{_STILL}*?\bby\b(?: [\w'’.-]*\w){{1,6}}"),
    "subtract": any_of(rf"\bsubtract(?:ing)?\b{_STILL}*?\bfrom\b(?: [\w'’.-]*\w){{1,6}}"),
}
# an area times a height is a volume; no image from above tells the height
VOLUME = any_of(
    r"(?<!traffic )(?<!trade )\bvolumes?\b(?! of (?:air )?(?:traffic|trade|cars|vehicles|ships))",
    r"\bcubic met(?:er|re)s?\b|\b(?:m³|m\^?3)(?!\w)",
)
OF_WHAT_HOLDS = any_of(
    r"\b(?:capacity|hold|contain|fill)\b",
    r"\bhow much (?:water|oil|fuel|gas|concrete|rubble|debris|earth|soil|sand|snow|material|liquid|grain)\b",
)
_HIGH = r"(?:(?:in|of) (?:height|depth|thickness)|high|tall|deep|thick)"
_UNIT = r"(?P<unit>m|cm|mm|met(?:er|re)s?|centimet(?:er|re)s?|millimet(?:er|re)s?)"
HEIGHTS = (
    any_of(rf"(?<![\d.])(?P<n>{_NUMBERS})[\s-]*{_UNIT}[\s-]*{_HIGH}\b"),
    any_of(
        rf"\b(?:heights?|depths?|thickness|high|tall|deep|thick)\b[^.?;\d]{{0,40}}?(?P<n>{_NUMBERS})\s*{_UNIT}\b{_NO_SCALE}"
    ),
)
METRES = {"cm": 0.01, "centi": 0.01, "mm": 0.001, "milli": 0.001}
OF_THE_CAMERA = any_of(r"\b(?:flight|flying|flown|fly|taken|captured|drone|camera|sensor|altitude)\b[^.?;]*$")
# how many things one of something can deal with, where it is asked how many of those are needed
_DEALS_WITH = (
    r"(?:check|inspect|repair|rebuild|restore|clear|clean|handle|serve|service|process|assess|survey|maintain|guard|move"
    r"|monitor|watch|control|unload|load|empty|fill|visit|supply)(?:s|es)?"
)
_ONE_OF_THEM = r"\b(?:each|every|one|a|an|single)\s+(?:[\w-]+\s+){1,3}?"
COPES_WITH = any_of(
    rf"{_ONE_OF_THEM}(?:can |could |may |is able to |manages to )?{_DEALS_WITH}\s+"
    rf"(?:about |up to |at most |only )*(?P<n>{_NUMBERS})\b",
    rf"{_ONE_OF_THEM}(?:(?:is|are|has to be) )?(?:\w+ )?(?:for|per) (?:each |every )?(?P<m>{_NUMBERS}) ",
)
DIVIDED_BY = any_of(
    rf"\bdivid\w+\s+(?:this|that|it|the|their)\b[^.?;]{{0,30}}?\bby\s+(?:(?P<n>{_NUMBERS})"
    rf"|(?:(?!{_NOT_TOLD})[\w'’-]+[\s,:=(]+){{1,8}}?(?P<k>{NUMBER}))\b{_NO_SCALE}",
    rf"\bby\s+(?P<m>{_NUMBERS})\s+(?:(?:is|are|be|to)\s+)*divided?\b",
)
ROUNDED_UP = any_of(r"\bround\w*\b[^.?;]{0,30}\bup(?:wards)?\b", r"\bceil\w*\b", r"\bnext (?:whole|higher|larger)\b")

# --- how the numbers of several images, or of two kinds of thing, compare --------------------------------------------

_MORE = r"(?:more|fewer|less|larger|smaller|higher|lower|bigger|greater)"
PERCENT = any_of(
    r"\bpercent(?:age)? of (?:the |all |its |their )*(?:\w+ )?"
    r"(?:building|house|structure|home)(?:s\b| (?:area|stock|footprint))",
    r"\b(?:chang|increas|decreas|declin|drop|grow|reduc|differ|loss)\w*\b[^.?]*\bin per ?cent(?:age)?\b",
    r"\bpercent(?:age)? (?:change|increase|decrease|reduction|growth|decline|loss|difference)\b",
    r"\b(?:by|in) (?:what|how many|which) (?:percent|percentage|per cent)\b",
    rf"\b(?:percent(?:age)?|per cent) {_MORE}\b",
    r"\b(?:relative|percentual) change\b",
)
IN_PERCENT = any_of(r"\bper ?cent(?:age)?\b", "%")
TIMES = any_of(
    r"\bhow many times\b",
    r"(?<!aspect )\bratio\b|\bproportion of [^.?]*? to\b",
    r"\btimes (?:as many|more|larger)\b",
    r"\b(?:what|which) factor\b|\bfactor by which\b",
    r"\bdivid(?:e[sd]?|ing)\b[^.?;]*\bby\b",
)
PART = any_of(r"\b(?:share|proportion|fraction|part) of\b")
TIMES_AFTER = any_of(
    r"\b(?:ratio|factor|times)\b(?![^.?]*\b(?:destroyed|lost|damaged|collapsed) (?:building|house))"
    r"[^.?]*\b(?:after\b[^.?]*\b(?P<to_before>before)|before\b[^.?]*\bafter)\b"
)
APART_BY = any_of(
    r"\bhow many (?:more|fewer|less)\b",
    r"\bhow many square \w+ (?:more|less|larger|smaller)\b",
    # "how many square metres of roofs lie between the two", "separate A from B": no distance on the ground
    r"\bhow (?:many|much)\b(?! (?:\w*met(?:re|er)s?|k?m|feet|yards|miles|pixels|space|distance)\b)[^.?;]*"
    r"\b(?:separate[sd]?\b[^.?;]*\bfrom\b|(?:lies?|lay|stands?|stood) between\b)",
    r"\bhow many square \w+\b[^.?;]*\b(?:more|less|larger|smaller|fewer)\b[^.?;]*\bthan\b",
    r"\bcompare (?:the |their )?(?:number|count)s?\b",
    rf"\bhow much {_MORE}\b",
    r"\b(?:difference|gap) (?:in|between|of)\b(?! the two (?:clos|near|far))",
    r"\bhow (?:large|big|great) (?:is|was) the (?:change|(?:in|de)crease|drop|rise|growth|decline|reduction)\b",
    r"\b(?:by how (?:much|many)|to what extent)\b",
    r"\bhow much\b[^.?]*\b(?:differ|exceed|outnumber|surpass)\w*",
    r"\b(?:subtract|minus)\w*\b",
    r"\b(?:the|their|its|and) difference\b(?! the two (?:clos|near|far))",
    r"\bhow (?:did|does|has|have|do)\b[^.?]*\b(?:number|count|area)s?\b"
    r"[^.?]*\b(?:chang|compar|differ|grow|develop|increas|decreas)\w*",
)
_SIZE = r"(?:area|size|footprint|extent)s?"
_A_THING = rf"(?:an? |the |all |each |every |one |single )*(?!{_IMAGES}\b|pixels?\b|hectare|square)\w"
_MEAN = r"(?:average|mean|typical)"
SIZE_OF_EACH = any_of(
    rf"\b{_MEAN} (?:bounding[- ]box |box |surface |ground )?{_SIZE}(?: lost)?(?: in (?:square )?[\w²]+)?"
    rf" (?:of|per|for) {_A_THING}",
    rf"\b{_MEAN} (?!(?:number|count|share|percent\w*|total|of|over|distance)\b)(?:[\w-]+ (?!of\b)){{1,3}}?{_SIZE}\b",
    rf"\b{_MEAN} (?:(?:destroyed|lost|damaged) )?\w+ (?:was |is |be )?(?:larg|bigg|small)(?:er|est)\b",
    r"\b(?:how (?:large|big)|(?:how many|what) (?:square met(?:er|re)s|area))\b[^.?]*"
    r"\b(?:on average|the average|typical(?:ly)?)\b",
    rf"\b(?:{_SIZE}|square met(?:er|re)s)(?: (?:was|were|is))?(?: lost| covered)?"
    rf" (?:per|for (?:each|every)) {_A_THING}",
    rf"\bdivid(?:e[sd]?|ing) (?:\w+ ){{0,5}}?{_SIZE} (?:of (?:\w+ ){{1,4}})?by"
    r" (?:the |their |its )?(?:total )?(?:number|count)\b",
)
OVER_IMAGES = any_of(
    rf"\bper {_IMAGES}\b", rf"\b(?:over|across) (?:all |the |both |these |two |three |four |of )*{_IMAGES}\b"
)
MEAN_OF_IMAGES = any_of(
    r"\b(?:average|mean) (?:number|count)\b",
    r"\bon average\b",
    rf"\b(?:average|mean)\b[^.?]*\b(?:per|over (?:all|the|both)|across(?: all)?|of the)(?: the| of)* {_IMAGES}\b",
)
VARIATION = any_of(r"\bcoefficient of variation\b", r"\brelative (?:spread|standard deviation)\b")
_LEAST = r"(?:fewest|least|smallest|lowest|minim(?:um|al)|emptiest)"
_MOST = r"(?:most|largest|highest|greatest|biggest|maxim(?:um|al)|fullest|busiest)"
BOTH_EXTREMES = any_of(rf"\b{_MOST}\b[^?;]*\b{_LEAST}\b", rf"\b{_LEAST}\b[^?;]*\b{_MOST}\b")
EXCEEDS = any_of(r"\b(?:exceed|outnumber|surpass|differ)\w*\b")
LARGER = any_of(r"\b(?:larger|bigger|smaller|greater)\b")
CHANGES = any_of(r"\b(?:chang|grow|grew|increas|decreas|declin|drop|shr[aiu]nk|ris[ei]|rose|fall|fell|gain)\w*")
# which of two images, or two places, is the one that the other is told by
_PLACED = r"(?:image|picture|photo|scene|region|area|district|zone|site|place|city|town|port|harbou?r|airport|lot)"
BASE = any_of(
    r"\b(?:than|as|over|relative to|compared (?:to|with))\s+"
    r"(?:(?:in|on|of|for|at|that|those|the|it|there|is|are|were|was|had)\s+)*"
    rf"(?:{_PLACED}\s+)?(?P<base>(?-i:[A-H])|first|second|earlier|later)\b",
    rf"\b(?:than|as)\s+(?:[\w'’-]+\s+){{0,7}}?{_PLACED}\s+(?P<far>(?-i:[A-H]))\b",
    r"\bdivid\w+\s[^.?;]*?\b(?-i:[A-H])\b[^.?;]*?\bby\s+(?:[\w'’-]+\s+){0,7}?(?P<divisor>(?-i:[A-H]))\b",
)

# --- two kinds of thing, or two things that are described -----------------------------------------------------------

# what may stand before a thing that is counted or measured
_DETERMINED = (
    r"(?:(?:the|an?|that|those|of|by|all|any|number|numbers|count|area|areas|size|total|overall|combined|surface|footprint|ground"
    r"|land|space|covered|occupied|taken|up|there|is|are|do|does|how|many|much|box|boxes|bounding|detected|visible|also|both"
    r"|every|each|ones|single|in|are)\s+)*"
)
_NO_PLACE = r"(?<!in )(?<!in the )(?<!in each )(?<!in all )(?<!in every )"
JOINED = re.compile(
    rf"\s*,?\s*(?:and|or|versus|vs\.?|outnumbers?|exceeds?|surpass(?:es)?)\s+{_DETERMINED}{_NO_PLACE}", re.IGNORECASE
)
LISTED = re.compile(rf"\s*,\s*{_DETERMINED}{_NO_PLACE}", re.IGNORECASE)
THAN = re.compile(rf"(?:\s[^.?;]{{0,70}}?)?\s(?:than|(?<!such )as)\s+{_DETERMINED}{_NO_PLACE}", re.IGNORECASE)
# joined where the words before say that the one is told by the other
TOLD_BY = re.compile(
    rf"[^.?;]{{0,25}}?\s(?:to|by|with|against|over|from|compared (?:to|with))\s+{_DETERMINED}{_NO_PLACE}", re.IGNORECASE
)
COMPARISON = any_of(r"\b(?:ratio|compar\w+|divid\w+|subtract\w*|relat\w+|quotient|proportion)\b")
PER_OTHER = re.compile(
    r"[^.?;]{0,50}?\s(?:per|for (?:each|every)|to (?:each|every)|(?:each|every|per) "
    rf"(?P<area>(?:square \w+|m2|m²|hectare|acre|unit of area) of))\s+{_DETERMINED}",
    re.IGNORECASE,
)
SHARE_OF = re.compile(
    r"(?:per ?cent(?:age)?|share|proportion|fraction|part|%) of (?:the |all |these |total )*$", re.IGNORECASE
)
AMONG = re.compile(
    r"\s+(?:among|amongst|out of|relative to|in relation to|of|in)\s+(?:the |all |these )+", re.IGNORECASE
)
CONSISTS_OF = re.compile(
    r"s?['’]?s?\s*(?:areas?|surface|ground|land|space)?\s*(?:that|which)?\s*"
    r"(?:are|is|do|does|consists? of"
    r"|(?P<area>(?:is|are|was|were) (?:covered|occupied|taken(?: up)?|filled|used) (?:by|with)))"
    r"\s+(?:the |all )*",
    re.IGNORECASE,
)
AS_A_PLACE = re.compile(rf"\s+{_IMAGES}\b|\s+(?-i:[A-H])\b", re.IGNORECASE)
SHARED_NOUN = re.compile(
    r"\b(?P<one>\w+) (?P<joined>and|or|than|to|versus|vs\.?|and the|or the|than the) (?P<other>\w+) (?P<noun>\w+)",
    re.IGNORECASE,
)
SEGMENTED = any_of(r"\bsegment(?:s|ed|ing)?\b")

# one thing as it is described, up to what says where to look or in what to tell
_NO_END = (
    r"(?:numbers?|counts?|areas?|distances?|separations?|spacings?|gaps?|clearances?|images?|pictures?|regions?|districts?"
    r"|values?|amounts?|shares?|means?|average|boxes|both|two|pairs?|dates?|total|centroids?|cent(?:er|re)s?|difference)"
)
_WORDS = rf"(?:(?!{_NO_END}\b)[\w-]+\s+){{0,8}}?(?!{_NO_END}\b)[\w-]+"
_STOP = (
    r"(?=\s+(?:in|on|of|from|within) (?:the|this|that) (?:\w+ )?(?:image|picture|photo\w*|scene|view)\b"
    r"|\s+in (?:kilo)?(?:met|pixel)|\s+(?:apart|and|using|with|if|at|by)\b|\s*[.,;:?!(]|\s*$)"
)
_TOLD_APART = rf"(?:{SIZE_WORDS}|{SIDE_WORDS}|only)"
_ONE = rf"(?P<one>the {_WORDS})"
_OTHER = rf"(?P<other>(?:the )?{_WORDS})"
ENDS = (
    re.compile(rf"\bfrom {_ONE} to {_OTHER}{_STOP}", re.IGNORECASE),
    re.compile(rf"\bbetween {_ONE} and {_OTHER}{_STOP}", re.IGNORECASE),
    re.compile(rf"\b(?:is|lies?|away) {_ONE}(?: away)? from {_OTHER}{_STOP}", re.IGNORECASE),
    re.compile(rf"\bapart (?:are|is|do|lie) {_ONE} and {_OTHER}{_STOP}", re.IGNORECASE),
    re.compile(
        rf"(?P<one>the {_TOLD_APART}(?: {_WORDS})?) (?:than|to|and|or|by|compared (?:to|with))"
        rf" (?:that of |the area of |of |in )*(?P<other>(?:the )?{_TOLD_APART}(?: {_WORDS})?){_STOP}",
        re.IGNORECASE,
    ),
)
TOLD_APART = re.compile(rf"\b{_TOLD_APART}\b", re.IGNORECASE)
METRES_ASKED = any_of(
    r"\bhow many (?:kilo)?met(?:er|re)s\b[^.?]*\b(?:from|between|apart)\b",
    r"\bhow (?:far|long|close)\b",
    r"\bdistance\b",
)
