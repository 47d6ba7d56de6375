"""The words by which people ask about photographs from above: what is measured, where, and how the numbers compare."""

from __future__ import annotations

import re

from knowflow.reason.language.numerals import NUMBER_WORDS


def any_of(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


NUMBER = r"\d*\.?\d+"
_METRES = r"(?:m|meters?|metres?)\b"
_SQUARE_METRES = r"(?:m²|m2\b|m\^2|square met(?:er|re)s?|sq\.? ?m\b)"
SCENES = any_of(
    r"\bevery image belongs to\b",
    r"\bclassif\w+",
    r"\bcategor\w+",
    r"\bscenes? (?:type|class|kind|shown)",
    r"\bcaptured (?:in|over)\b",
    r"\btypes? of (?:scene|land)",
    r"\b(?:kind|sort|type) of (?:place|area|region|landscape|surroundings)\b",
    r"\b(?:what|which) (?:kind|type|sort) of land\b",
    r"\bland[- ](?:use|cover) (?:types?|class\w*|does|is)\b",
    r"\bwhat (?:scene|land[- ](?:use|cover))\b",
)
HARM = any_of(
    r"\b(?:destroy|damag|collaps|restor|rebuil|reconstruct|demolish|destruct|devastat|flatten|raz(?:ed|ing))\w*",
    r"\bdisaster",
    r"\b(?:earthquake|hurricane|tornado|tsunami|cyclone|typhoon|wildfire|landslide|explosion|eruption|storm|blaze)s?\b",
    r"\b(?:burn\w*|torn|washed|wiped) (?:down|out|away)\b|\bburn(?:t|ed)\b",
    r"\bbefore and after\b",
    r"\bpre-? ?and post-?",
    r"\b(?:two )?time ?points\b",
)
# what is said of things that were there in the first of two images
GONE = any_of(
    r"\b(?:lost|lose[sd]?|losses|loss|disappear\w*|vanish\w*|gone|shr[aiu]nk\w*|decreas\w+|reduc\w+|remov\w+|cleared)\b",
    r"\bchang\w+",
)
_OF_AREA = r"(?:square|sq|hectares?|m2|m²|km|acres?)\b"
COUNT = any_of(rf"\bhow many (?!{_OF_AREA})", r"\bnumber of\b", r"\bcount\w*\b", r"\bmonths?\b", r"\bdays?\b")
RANKED = any_of(r"\bcount\b", rf"\bhow many (?!pixels|{_OF_AREA})", r"\bnumber of\b", r"\brank\b", r"\bsort\b")
BY_AREA = any_of(r"\bby (?:\w+[- ]){0,3}(?:area|size|extent|coverage)\b")
AREA = any_of(
    r"(?<!\bwhich )\bareas?\b(?! (?:seem|have|has|are|appear|with|contain|show))(?! is (?:the )?(?:most|best|least))",
    r"\bsurfaces?\b",
    r"\b(?:take|takes|taken|taking|took) up\b",
    r"\bbuilt-?up\b",
    r"\b(?:coverage|extent|space|acreage)\b",
    r"\b(?:cover(?:s|ed)?|occup(?:y|ies|ied))\b",
    r"\bfootprints?\b",
    r"\bsevere(?:ly)?\b",
    r"\b(?:greater|more|worse|most) (?:destruction|damage)\b",
    r"\bhow (?:large|big)\b",
    r"\b(?:hectares?|square (?:kilo)?met(?:er|re)s?)\b",
)
COVERED_SHARE = any_of(
    r"\b(?:share|percent(?:age)?|proportion|fraction|part) of the (?:image|scene|picture|photo\w*|area|ground|land)\b"
    r"(?! which| where)"
)
FIT = any_of(
    rf"\bhow many [^.?]*?\bof (?P<n>{NUMBER})\s*{_SQUARE_METRES}[^.?]*\bfit",
    r"\b(?:one|a|each) \w+(?: \w+)? (?:needs|takes(?: up)?|covers|requires|occupies) "
    rf"(?P<m>{NUMBER})\s*{_SQUARE_METRES}",
)
APART = r"(?:closest|nearest|farthest|furthest|most distant)"
_PAIR = r"(?:pairs?\b|two\b|distance|separation|spacing|gap)"
DISTANCE = any_of(
    rf"\b(?:{APART}|shortest|longest|maximum|minimum|largest|smallest|greatest)\s+{_PAIR}",
    r"\b(?:distances?|separation|spacing|gap) (?:between|among|of)\b",
    rf"\btwo {APART}\b|\bpair of (?:[\w-]+ ){{1,3}}{APART}\b|\b{APART} apart\b",
    rf"\btwo (?:[\w-]+ ){{1,3}}?(?:(?:that|which) )?(?:are |lie |stand )?(?:the )?{APART}\b",
    r"\bhow (?:far|close|near)\b",
)
FAR = any_of(r"\b(?:farthest|furthest|most distant|longest|maximum|largest|greatest)")
NEAR = any_of(r"\b(?:closest|nearest|shortest|minimum|smallest)")
IN_PIXELS = any_of(r"\bin pixels\b", r"\bhow many pixels\b")
BOXES = any_of(r"\b(?:bounding[- ]?)box(?:es)?\b", r"\bbbox(?:es)?\b", r"\b(?:their|the) boxes\b")
BOXES_ASKED = any_of(
    r"\b(?:determine|find|give|return|report|list|what (?:is|are)|identify|provide|draw|output|get|show)"
    r"\s+(?:\w+\s+){0,2}?(?:bounding[- ]?)?box"
)
DETECT = any_of(r"\b(?:detect|locate|localis|localiz|find|mark)\w*\b")
CENTRE = any_of(r"\bcent(?:roid|er|re)s?\b(?! of gravity)", r"\bcoordinates?\b", r"\bmidpoints?\b")
GROWN = any_of(
    r"\b(?:expan\w+|buffer\w*|enlarg\w+|grow\w*|radius|within"
    r"|(?:safety|protection|exclusion|buffer|danger) (?:zone|area|radius|distance))\b"
    rf"[^.]*?(?P<radius>{NUMBER})\s*[- ]?{_METRES}",
    rf"(?P<before>{NUMBER})\s*[- ]?{_METRES}\s*(?:wide )?(?:buffer|safety|protection|exclusion)",
)
ZONES = any_of(r"\barea of the (?:\w+ )?(?:zones?|buffers?|boxes)", r"\btotal area\b", r"\bhow large\b")
_SIDE = (
    r"(?:(?:western|eastern|northern|southern|left|right|top|bottom|upper|lower|central|corner)(?:most)?"
    r"|(?:furthest|closest) to the \w+)"
)
_SIZE = r"(?:largest|smallest|biggest|longest|widest|tallest|main)"
DESCRIBED = any_of(rf"\b(?:{_SIZE}|only)\b", rf"\b{_SIDE}\b", r"\blocated\b")
SIZED_THING = rf"\b{_SIZE}\s+(?:and \w+ )?(?:{_SIDE} )?$"
QUOTED = any_of(r"[“\"‘](?P<text>[^”\"’]{8,})[”\"’]")
PHRASE = any_of(
    rf"\b(?P<text>the\s+(?:(?:{_SIZE}|{_SIDE}|only)\b|(?:[\w-]+ ){{1,3}}(?:closest|nearest|furthest|farthest) to)"
    r"[^.,;?(]*)"
    r"(?P<stop>\.(?!\d))?"
)
# what follows a description and is no part of it
NEXT_TASK = any_of(
    r",?\s+and (?:give|return|report|compute|calculate|determine|provide|find|output|state|measure|list)\b.*"
)
SIZE = any_of(
    rf"\b(?P<size>{_SIZE})\b"
    r"(?: (?!in\b|by\b)(?P<name>\w+(?: \w+){0,2}?) (?:that|which|located|situated|lying|furthest|farthest)\b)?"
)
TOWARDS = any_of(r"\b(?:furthest|farthest) (?:to the |in the )?(?P<side>north|south|west|east)")
GSD = any_of(
    rf"\b(?:gsd|resolution|sampling distance)\b[^.\d]{{0,24}}(?P<a>{NUMBER})",
    rf"(?P<b>{NUMBER})\s*{_METRES}\s*(?:/|per|a)\s*(?:px|pixel)",
)
GSD_OF_EACH = any_of(rf"\bgsd (?:for|of) (?:image |region |area )?\w+\s*(?:is|=|:)\s*(?P<n>{NUMBER})")
UNIT_AREA = any_of(
    rf"\beach\s+(?:of\s+|with\s+|covering\s+)?(?P<n>{NUMBER})\s*{_SQUARE_METRES}",
    rf"(?P<m>{NUMBER})\s*{_SQUARE_METRES}\s+each\b",
)
ACTED_ON = any_of(
    rf"(?:count|detect|segment|locate|number of|many|all|identify|find|two {APART}|pair of|area of|occupied by"
    r"|covered by|more|fewer|most)"
    r"\s+(?:the\s+)?(?:number of\s+)?(?:all\s+|detected\s+|visible\s+|the\s+)*$"
)

SHOWN = (
    r"\b(?:images?|pictures?|scenes?|photos?|ones?)\b (?:[\w-]+ ){0,3}?"
    r"(?:show\w*|depict\w*|of|(?:taken|captured) (?:over|in|of))\s+(?:an? |the )?(?!square (?:kilo)?met)"
)
WHICH = any_of(r"\b(?:which|what)\s+$")
# things that no knowledge has a name for: what is counted, detected or compared, in the plural
_NO_THING = (
    r"(?:images?|pictures?|photos?|scenes?|areas?|regions?|places?|pixels?|objects?|things?|times|months|weeks|days|years"
    r"|met(?:er|re)s|kilomet(?:er|re)s|hectares|acres|square|units|bounding|box(?:es)?|categor\w+|class\w*|closest|nearest"
    r"|farthest|furthest|of|these|those|in|are|is|the|each|total)"
)
NAMED = any_of(
    r"\b(?:how many(?: more| fewer)?|number of|counts?(?: of)?|detect|locate|segment|find|most|fewest|pair of"
    rf"|two {APART}|area of|occupied by|covered by|around|between)\s+(?:all\s+|the\s+|every\s+|any\s+|visible\s+)*"
    rf"(?P<thing>(?!{_NO_THING}\b)[a-z]+(?:[ -](?!{_NO_THING}\b)[a-z]+)?(?<!s)s)\b"
)

# --- numbers beside what is measured --------------------------------------------------------------------------------

# so many things for each unit of an area that the question tells; and what takes a time or a cost for each thing
COVERS = any_of(
    rf"\b(?:covers?|spans?|extends? over|is|of)\s+(?:about |an area of )?(?P<n>{NUMBER})\s*"
    r"(?:hectares?|ha\b|km2|km²|square kilomet(?:er|re)s?|acres?)"
)
DENSITY = any_of(r"\bdensity\b", r"\bper (?:hectare|square|km|acre|unit of area)", r"\bfor each hectare")
RATE = any_of(
    rf"\b(?P<n>{NUMBER}|{'|'.join(NUMBER_WORDS)})\s+(?:\w+\s+){{1,5}}?(?:per|a|each|every)\s+(?:week|month|day|year)\b",
    r"\b(?:rate|speed|pace|capacity) of (?P<m>\d*\.?\d+)",
)
EACH_COSTS = any_of(
    r"\b(?:each|every|one|a|an)\b[^.?]{0,60}?\b(?:costs?|takes?|needs?|requires?|holds?|emits?|carries|uses?|gets|receives)\s+"
    rf"(?:about )?(?P<n>{NUMBER})",
    rf"\b(?P<m>{NUMBER})\s+\w+\s+(?:for|per) (?:each|every|one)?\s*(?:building|house|thing|object|tank|ship|plane)\b",
    rf"\bcosts? (?P<cost>{NUMBER}) \w+ (?:per|for (?:each|every)|an?) ",
)

# --- how the numbers of several images compare ----------------------------------------------------------------------

PERCENT = any_of(
    r"\b(?:percent(?:age)?|share|proportion|fraction) of (?:the |all )*(?:\w+ )?(?:building|house|structure|home)s\b",
    r"\bpercent(?:age)? (?:change|increase|decrease|reduction|growth|decline|loss|difference)\b",
    r"\b(?:by|in) (?:what|how many|which) (?:percent|percentage|per cent)\b",
    r"\bpercent(?:age)? (?:more|fewer|less|larger|smaller|higher|lower)\b",
    r"\b(?:relative|percentual) change\b",
)
TIMES = any_of(r"\bhow many times\b", r"\bratio (?:of|between)\b", r"\btimes (?:as many|more|larger)\b")
APART_BY = any_of(
    r"\bhow many (?:more|fewer|less)\b",
    r"\bhow much (?:larger|smaller|bigger|more|less|greater)\b",
    r"\b(?:difference|gap) (?:in|between|of)\b(?! the two (?:clos|near|far))",
    r"\bby how (?:much|many)\b",
    r"\bhow (?:did|does|has|have|do)\b[^.?]*\b(?:number|count|area)s?\b"
    r"[^.?]*\b(?:chang|differ|grow|develop|increas|decreas)\w*",
)
SIZE_OF_EACH = any_of(
    r"\b(?:average|mean) (?:bounding[- ]box |box )?(?:area|size|footprint) (?:of|per|for)"
    r" (?:an? |the |all |each |one )*(?!images?\b|scenes?\b|pictures?\b)\w",
)
MEAN_OF_IMAGES = any_of(
    r"\b(?:average|mean) (?:number|count)\b",
    r"\bon average\b",
    r"\b(?:average|mean)\b[^.?]*\b(?:per|over all|across(?: all)?|of the) (?:image|picture|scene|region)s?\b",
)

# --- brightness -----------------------------------------------------------------------------------------------------

LIMIT = any_of(
    r"\bthreshold(?:ed|ing)?(?: segmentation)?(?: the)?(?: (?:image|picture|mask))?(?: value| level)?"
    rf"\s*(?:of|at|is|=|:|with)?\s*(?P<a>{NUMBER})",
    rf"\b(?:brighter|darker|higher|greater|larger|more) than (?P<b>{NUMBER})\b(?!\s*(?:m\b|km|met|hectare|%))",
    rf"\b(?:values?|pixels?|intensit\w+|brightness|grey levels?|gray levels?)\b[^.?]*?"
    rf"\b(?:above|at least|exceed\w*|over|of) (?P<c>{NUMBER})",
)
MASK = any_of(r"\b(?:segment|binari[sz]|mask)\w*", r"\bthresholding\b")
PIXELS_COUNTED = any_of(r"\b(?:how many|number of|count(?: the| all)?) (?:\w+ )?pixels\b")
STRUCTURES = any_of(
    r"\b(?:connected|separate|distinct|individual)\b[^.?]*\b(?:structure|component|object|region|contour|line)s?\b",
    r"\bskeleton\w*\b",
    r"\bcontours?\b",
)
COLOURS = any_of(r"\bcolou?r ?maps?\b", r"\b(?:false|pseudo)[- ]?colou?r\w*", r"\bpalette\b", r"\bcolou?ri[sz]e\w*")
COLOUR_MAP = any_of(
    r"\b(?P<name>viridis|plasma|inferno|magma|cividis|jet|hot|cool|gray|bone|copper|terrain|spring|summer|autumn|winter"
    r"|rainbow|turbo|hsv|coolwarm|seismic|spectral|twilight|ocean)\b"
)
