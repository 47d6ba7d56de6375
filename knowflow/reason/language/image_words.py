"""The words by which people ask about photographs from above: what is measured, and where."""

from __future__ import annotations

from knowflow.reason.language.patterns import COLOUR_MAPS, GREATEST, LEAST, any_of, one_of

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
HAZARD = (
    r"(?:disaster|(?:earth)?quake|hurricane|tornado|tsunami|cyclone|typhoon|(?:wild|bush)?fire|landslide|mudslide"
    r"|avalanche|explosion|blast|eruption|storm|blaze|flood(?:ing)?|bomb\w*|shelling|air ?strike|war|conflict)"
)
HARM = any_of(
    r"\b(?:destroy|damag|collaps|demolish|destruct|devastat|flatten|raz(?:ed|ing)|ruin|wreck)\w*",
    rf"\b{HAZARD}s?\b(?! (?:station|truck|engine|brigade|hydrant|plain|drain|memorial|shelter|gate))",
    r"\b(?:burn\w*|torn|washed|wiped|swept|knocked|blown) (?:down|out|away|over)\b|\bburn(?:t|ed)\b",
    r"\bbefore and after\b",
    r"\bpre-? ?and post-?",
    r"\b(?:two )?time ?points\b",
)
# the way back after harm, which is told in time
RECOVERY = any_of(
    r"\b(?:restor|rebuil|reconstruct|recover|repair|rehabilitat)\w*",
    r"\bback (?:to|up)\b",
    r"\bas (?:it was )?before\b",
)
TIME_ASKED = any_of(
    r"\b(?:how many|number of|in|of) (?:\w+ )?(?:months?|weeks?|days?|years?)\b",
    r"\bhow long\b",
    r"\btime (?:to|until)\b",
)
# what is there to be seen on one of two images, as against what happened between them
STATE = any_of(
    r"\b(?:in|on) (?:each|both|every|the (?:first|second|earlier|later|(?:pre|post)\w*)) (?:of )?(?:the )?(?:\w+ )?"
    r"(?:image|picture|photo|scene)",
    r"\bper image\b",
    r"\b(?:are|were|is|was) there\b(?! (?:before|originally))",
)
# how far harm went, which is told by area where nothing is counted
DEGREE = any_of(
    r"\b(?:worse|worst|harder|hardest|heavier|heaviest|sever\w+|more|most|less|least|great(?:er|est)|larg(?:er|est)"
    r"|bigg(?:er|est)|extent|degree|devastat\w*|compare\w*)\b"
)
# what is said of things that were there in the first of two images
GONE = any_of(
    r"\b(?:lost|lose[sd]?|losses|loss|disappear\w*|vanish\w*|gone|shr[aiu]nk\w*|decreas\w+|reduc\w+|remov\w+|cleared)\b",
    r"\bchang\w+",
)
_OF_AREA = r"(?:square|sq|hectares?|m2|m²|km|acres?)\b"
_NOT_THINGS = r"(?:square|sq|m2|m²|km|hectares?|acres?|pixels?|met(?:er|re)s|months?|weeks?|days?|years?|images?)\b"
COUNTING = (
    rf"\b(?:how many|number of|count(?:s|ing|ed)?|tally|more|fewer|most|fewest)\s+(?:of\s+)?(?!{_NOT_THINGS})"
    r"(?:(?!(?:to|in|for|from|by|damages?|loss|losses|destruction)\b)[\w-]+\s+){0,4}?"
)
COUNT = any_of(rf"\bhow many (?!times\b|per ?cent|{_OF_AREA})", r"\bnumber of\b", r"\bcount\w*\b")
# what is large is then a number, not a thing: "how large is the gap between the two counts", "is the drop in cars"
_OF_A_NUMBER = (
    r"[^.?,;]*\b(?:counts?|numbers?|(?:differences?|gaps?|changes?|(?:in|de)creases?|drops?|rises?|growth) in)\b"
)
RANKED = any_of(
    rf"\b(?:count\b|counts\b(?! of)|numbers? of\b)|\bhow many (?!pixels|times\b|per ?cent|{_OF_AREA})",
    r"\brank\b",
    r"\bsort\b",
)
BY_AREA = any_of(
    r"\b(?:by|in terms of|according to|on the basis of) (?:\w+[- ]){0,3}"
    r"(?:area|size|extent|coverage|ground|land|space)\b"
)
AREA = any_of(
    r"(?<!\bwhich )\bareas?\b(?! (?:seem|have|has|are|appear|with|contain|show))(?! is (?:the )?(?:most|best|least))",
    r"\bsurfaces?\b",
    r"\b(?:take|takes|taken|taking|took|use|uses|used|using) up\b",
    r"\b(?:how much|amount of) (?:land|ground|space|terrain)\b",
    r"\bbuilt(?:-?up| over)\b",
    r"\b(?:coverage|(?<!what )extent|space|acreage)\b",
    r"\b(?:(?<!image )(?<!images )(?<!photos )(?<!pictures )cover(?:s|ed)?|occup(?:y|ies|ied))\b",
    r"\bfootprints?\b",
    r"\bsevere(?:ly)?\b",
    r"\b(?:greater|more|worse|most) (?:destruction|damage)\b",
    rf"\bhow (?:large|big)\b(?!{_OF_A_NUMBER})",
    r"\b(?:hectares?|square (?:kilo)?met(?:er|re)s?)\b",
)
COVERED_SHARE = any_of(
    r"\b(?:share|percent(?:age)?|proportion|fraction|part) of (?:the )?(?:total )?"
    r"(?:image|scene|picture|photo\w*|area|ground|land)\b"
    r"(?! which| where)"
)
SHARE_OF_IMAGE = any_of(
    r"\b(?:share|percent(?:age)?|proportion|fraction|part) of the (?:image|scene|picture|photo\w*|ground|land)\b"
)
# what is to find room: no more of it than whole ones
FIT = any_of(
    r"\b(?:fits?|fitted|parked|holds?|accommodat\w+|room for|laid out|placed)\b",
    r"\b(?:can|could|may|might|to|would|will) (?:\w+ )?park\b",
)
CONVERTED = any_of(r"\b(?:convert\w*|equivalents?|equals?|express\w*|correspond\w*|translat\w+)\b")
NUMBER_ASKED = any_of(
    r"\b(?:how many|number of|as many|in terms of)\b",
    r"\bdivid\w+ [^.;]*\barea\b[^.;]*\bby\b",
    r"\barea\b(?:[^.;]|\.(?=\d))*\bby\b[^.;]*\bdivided?\b",
    CONVERTED.pattern,
)
# "no other pair is nearer", "none of the others lie farther apart"
_NO_OTHER = (
    r"(?:no\s+(?:other|two\s+others?|further|two)|none\s+of\s+the\s+other|nothing\s+else|never\s+are\s+two)\b"
    r"(?:\s+(?!(?:image|picture|photo|scene)s?\b)[\w-]+){0,7}?\s+"
)
_NEARER, _FARTHER = r"(?:closer|nearer|tighter)", r"(?:farther|further|wider|more\s+distant)(?:\s+apart)?"
_NEAR = r"(?:closest|nearest|tightest|most closely)(?! (?:to|from) (?!each\b|one\b|another\b))"
_FAR = (
    r"(?:farthest|furthest|most (?:distant|remote|widely|far)|widest apart|remotest)"
    r"(?! (?:to|from) (?!each\b|one\b|another\b))(?! (?:north|south|west|east))"
)
_LEAST = rf"(?:{LEAST}|shortest|narrowest|tightest|minim(?:um|al))"
_GREATEST = rf"(?:{GREATEST}|longest|widest|maxim(?:um|al))"
_DISTANCE = r"(?<!sampling )(?:distances?|separations?|spacings?|gaps?|clearances?)"
_APART = r"(?:closest|nearest|farthest|furthest|most distant)"
_TWO = (
    r"(?:pairs?|couple|two(?! (?:images?|pictures?|photos?|scenes?|regions?|areas?|dates?))|each other|one another"
    r"|mutual\w*|apart|any two|neighbou?r(?:s|ing))"
)
NEAR = any_of(
    rf"\b{_NEAR}\b",
    rf"\b{_NO_OTHER}{_NEARER}\b",
    rf"\b{_LEAST} (?:\w+ ){{0,3}}?{_DISTANCE}\b",
    rf"\b{_LEAST}\b(?=[^.?]*\bapart\b)",
)
FAR = any_of(
    rf"\b{_FAR}\b",
    rf"\b{_NO_OTHER}{_FARTHER}\b",
    rf"\b{_GREATEST} (?:\w+ ){{0,3}}?{_DISTANCE}\b",
    rf"\b{_GREATEST}\b(?=[^.?]*\bapart\b)",
)
_AGAINST = r"(?:\s+[\w-]+){0,8}?\s+(?:and|exceeds?|exceed|than|from|to|minus|over|less)\s+(?:[\w-]+\s+){0,3}?"
BOTH_DISTANCES = any_of(
    rf"\b(?:range|spread) of (?:the |all )*{_DISTANCE}\b",
    rf"\b{_LEAST}\b{_AGAINST}{_GREATEST}\b",
    rf"\b{_GREATEST}\b{_AGAINST}{_LEAST}\b",
)
DISTANCE = any_of(
    rf"\b{_NO_OTHER}(?:{_NEARER}|{_FARTHER})\b",
    rf"\b(?:{_NEAR}|{_FAR})\b[^.?]*\b{_TWO}\b|\b{_TWO}\b[^.?]*\b(?:{_NEAR}|{_FAR})\b",
    rf"\b(?:{_NEAR}|{_FAR}|{_LEAST}|{_GREATEST}) (?:\w+ ){{0,3}}?{_DISTANCE}\b",
    rf"\b{_DISTANCE}(?: in \w+)? (?:between|among|of)\b(?! (?:\w+ ){{0,4}}?(?:counts|numbers)\b)",
    rf"\b{_DISTANCE} (?:is|was|are|becomes) (?:the )?(?:{_LEAST}|{_GREATEST})\b",
    r"\bhow (?:far|close|near)(?:ly)?\b",
    r"\bseparat(?:es|ing)\b",
)
# the number of metres or pixels is wanted, not which two they are
LENGTH_ASKED = any_of(
    r"\bhow (?:far|close|near)(?:ly)?\b",
    r"\b(?:in|how many) (?:kilo)?(?:met(?:er|re)s|pixels)\b",
    r"\b(?:what|compute|calculate|determine|measure|give|report|state|estimate|tell)(?: \w+)? (?:is |the ){0,2}"
    rf"(?:\w+ )?{_DISTANCE}\b",
)
BOXES_AS_MEANS = any_of(
    r"\b(?:using|from|based on|via|by|with|through|between|of) (?:their |the |its |all )*"
    r"(?:cent(?:re|er|roid)s? of (?:their |the )?)?(?:bounding[- ]?|detected )*(?:box|bbox)"
)
WHICH_TWO = any_of(r"\bwhich (?:two|pair)\b")
IN_PIXELS = any_of(r"\bin pixels\b", r"\bhow many pixels\b")
IN_METRES_AFTER = any_of(
    r"\bconvert\w*\b[^.?;]*\b(?:in)?to (?:kilo)?met(?:er|re)s\b",
    r"\bmultipl\w+\b[^.?;]*\bby (?:the )?(?:gsd|(?:ground )?(?:sampling distance|resolution)|pixel size)",
)
_BOX = r"(?:box(?:es)?|rectangles?)"
BOX_MEASURED = any_of(rf"\bareas?\b[^.?;]{{0,40}}\b{_BOX}\b", rf"\bsquare met(?:er|re)s\b[^.?;]{{0,60}}\b{_BOX}\b")
BOXES = any_of(r"\bbox(?:es)?\b", r"\bbbox(?:es)?\b", r"\bbounding[- ]?box(?:es)?\b")
BOXES_ASKED = any_of(
    r"\b(?:determine|find|give|return|report|list|what (?:is|are)|identify|provide|draw|output|get|show|put|place"
    r"|retrieve|fetch|name|state|tell|select|deliver|print)\s+(?:\w+\s+){0,4}?(?:bounding[- ]?)?box"
)
DETECT = any_of(r"\b(?:detect|locate|localis|localiz|find|mark)\w*\b")
CENTRE = any_of(
    r"\bcent(?:roid|er|re)s?\b(?! of gravity)",
    r"(?<!corner )(?<!box )\bcoordinates?\b(?! of (?:\w+ )?(?:bounding )?(?:box|corner))",
    r"\bmid(?:dle)?[- ]?points?\b",
    r"\bmiddle of\b",
)
GROWN = any_of(
    r"\b(?:expan\w+|buffer\w*|enlarg\w+|grow\w*|radius|within"
    r"|(?:safety|protection|exclusion|buffer|danger) (?:zone|area|radius|distance))\b"
    rf"[^.]*?(?P<radius>{NUMBER})\s*[- ]?{_METRES}",
    rf"(?P<before>{NUMBER})\s*[- ]?{_METRES}\s*(?:wide )?(?:buffer|safety|protection|exclusion)",
)
ZONES = any_of(
    r"\b(?:its|their|what) (?:total )?area\b",
    r"\barea of the (?:\w+ )?(?:zones?|buffers?|boxes)",
    r"\btotal area\b",
    r"\bhow large\b",
)
SIDE_WORDS = (
    r"(?:(?:western|eastern|northern|southern|left|right|top|bottom|upper|lower|central|corner(?! coord))(?:most)?"
    r"|(?:furthest|closest) to the \w+)"
)
SIZE_WORDS = r"(?:largest|smallest|biggest|longest|widest|tallest|main)"
DESCRIBED = any_of(rf"\b(?:{SIZE_WORDS}|only)\b", rf"\b{SIDE_WORDS}\b", r"\blocated\b")
SIZED_THING = rf"\b{SIZE_WORDS}\s+(?:and \w+ )?(?:{SIDE_WORDS} )?$"
PLACED_THING = rf"\bthe\s+{SIDE_WORDS}\s+$"
QUOTED = any_of(r"[“\"‘](?P<text>[^”\"’]{8,})[”\"’]")
PHRASE = any_of(
    rf"\b(?P<text>the\s+(?:(?:{SIZE_WORDS}|{SIDE_WORDS}|only)\b"
    r"|(?:[\w-]+ ){1,3}(?:closest|nearest|furthest|farthest) to)[^.,;?(]*)"
    r"(?P<stop>\.(?!\d))?"
)
# what follows a description and is no part of it
NEXT_TASK = any_of(
    r"\s+(?:in|on) (?:(?:image|picture|photo|region|area) (?-i:[A-H])|each|both|every)\b.*",
    r"\s+in (?:hectares|square|m2|m²|met|pixels).*",
    r",?\s+and (?:give|return|report|compute|calculate|determine|provide|find|output|state|measure|list)\b.*",
)
SIZE = any_of(
    rf"\b(?P<size>{SIZE_WORDS})\b"
    r"(?: (?!in\b|by\b)(?P<name>\w+(?: \w+){0,2}?) (?:that|which|located|situated|lying|furthest|farthest)\b)?"
)
TOWARDS = any_of(r"\b(?:furthest|farthest) (?:to the |in the )?(?P<side>north|south|west|east)")
GSD = any_of(
    rf"\b(?:gsd|resolution|sampling distance)\b[^.\d]{{0,24}}(?P<a>{NUMBER})",
    rf"(?P<b>{NUMBER})\s*{_METRES}\s*(?:/|per|a)\s*(?:px|pixel)",
    rf"\b(?:an?|one|each|every) pixel (?:measures|is|covers|spans|stands for|corresponds to)\s+(?P<c>{NUMBER})"
    rf"\s*{_METRES}\b",
)
_SCALE = r"(?:gsd|(?:ground )?(?:sampling distance|resolution)|pixel size)"
GSD_OF_EACH = any_of(
    rf"\b{_SCALE} (?:for|of|in) (?:image |region |area )?\w+\s*(?:is|=|:)\s*(?P<n>{NUMBER})",
    rf"\b(?:image|region|picture|photo) \w+,? (?:whose|with|has|at|of)(?: an?| the)? {_SCALE}"
    rf"(?:\s*(?:is|of|=|:))?\s*(?P<m>{NUMBER})",
)
_NO_LIMIT = r"(?<!than )(?<!above )(?<!over )(?<!least )(?<!below )(?<!under )(?<![\d.])"
UNIT_AREA = any_of(rf"{_NO_LIMIT}(?P<n>{NUMBER})\s*{_SQUARE_METRES}")
AREA_OF_EACH = any_of(rf"(?P<n>{NUMBER})\s*{_SQUARE_METRES}\s*,?\s*(?:each|apiece|per (?!image|pixel)\w+)\b")
# a thing that only tells how large others are: what is asked how many of, or what the area of one is said of
REFERENCE_THING = any_of(
    r"\b(?:how many|number of|as many|equivalents? (?:of|to|in)|in terms of)(?: [\w-]+){1,4}",
    rf"(?<![\w-])(?:[\w-]+[\s,(]+){{1,4}}{NUMBER}\s*{_SQUARE_METRES}",
)
ACTED_ON = any_of(
    rf"(?:count|detect|segment|locate|number of|many|all|identify|find|two {_APART}|pair of|area of|occupied by"
    r"|covered by|more|fewer|most)"
    r"\s+(?:the\s+)?(?:number of\s+)?(?:all\s+|detected\s+|visible\s+|the\s+)*$"
)

ACTED_ON_AFTER = any_of(r"^ (?:counts?|numbers?)\b")

# images told by the name of what they show: "the number of farmland scenes"
COUNTED_SCENES = r"\b(?:how many|number of|counts? (?:of|the)|tally of)\s+(?:the |of the |these |all )*"
SCENES_SO_CALLED = r"(?:[- ](?:areas?|land))?[- ](?:scenes|images|pictures|photos|shots|tiles)\b"
SHOWN = (
    r"\b(?:images?|pictures?|scenes?|photos?|ones?)\b (?:[\w-]+ ){0,3}?"
    r"(?:show\w*|depict\w*|of|(?:taken|captured) (?:over|above|at|in|of))\s+(?:an? |the )?(?!square (?:kilo)?met)"
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
    rf"|two {_APART}|area of|occupied by|covered by|around|between)\s+(?:all\s+|the\s+|every\s+|any\s+|visible\s+)*"
    rf"(?P<thing>(?!{_NO_THING}\b)[a-z]+(?:[ -](?!{_NO_THING}\b)[a-z]+)?(?<!s)s)\b"
)

# what nothing measures on images from above: heights and lengths of things, owners, colours, causes, casualties
UNMEASURED = any_of(
    r"\bhow (?:high|tall|deep|old|heavy|fast|steep|expensive)\b(?! (?:is|are|was|were) the (?:number|count|densit))",
    r"\bhow (?:long|wide) (?:is|are|was|were)\b",
    r"(?:^|[.?!]\s+)(?:who(?:se)?|why)\b",
    r"\bwhat colou?rs?\b(?! ?maps?)",
    r"\b(?:casualties|deaths|victims)\b|\bpeople (?:have |had |has )?(?:died|were|was|got)\b",
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
PIXELS_COUNTED = any_of(r"\b(?:how many|number of|count(?: the| all)?) (?:\w+ ){0,3}?pixels\b")
STRUCTURES = any_of(
    r"\b(?:connected|separate|distinct|individual)\b[^.?]*\b(?:structure|component|object|region|contour|line)s?\b",
    r"\bskeleton\w*\b",
    r"\bcontours?\b",
)
COLOURS = any_of(r"\bcolou?r ?maps?\b", r"\b(?:false|pseudo)[- ]?colou?r\w*", r"\bpalette\b", r"\bcolou?ri[sz]e\w*")
# photographs have no seasons of their own: a palette may be meant by these as well
_MORE_MAPS = ("cool", "bone", "copper", "spring", "summer", "autumn", "winter", "hsv", "twilight", "ocean")
COLOUR_MAP = any_of(rf"\b(?P<name>{one_of((*COLOUR_MAPS, *_MORE_MAPS))})\b")
