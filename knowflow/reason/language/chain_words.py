"""The words by which chains of steps are told: operations on numbers in time, relative limits, maps, parts of years."""

from __future__ import annotations

import re

from knowflow.reason.language.cycles import TREND_AND_CYCLE
from knowflow.reason.language.date_atoms import SEASONS
from knowflow.reason.language.fitted_slopes import SEN
from knowflow.reason.language.patterns import GREATEST, LEAST, any_of
from knowflow.reason.language.patterns import YEAR as A_YEAR

_MEAN = r"(?:mean|average)"
_HIGH = rf"(?:{GREATEST}|maximum|max|warmest|hottest)"
_LOW = rf"(?:{LEAST}|minimum|min|coolest|coldest)"
_SUPERLATIVE = r"(?:warmest|hottest|coolest|coldest|driest|wettest|moistest|greenest|brightest|cloudiest)"
MONTH = 31  # days
OF_WATER = frozenset({"ndwi", "ndti"})
OF_REFLECTANCE = frozenset({"vegetation_fraction"})  # as an index is, under another name
OF_SNOW = frozenset({"ndsi"})
APART = r"(?:differences?|gaps?|contrasts?|disparit(?:y|ies))"
_THE = r"(?:(?:the|its|their)\s+)?"
_NUMBER = r"\d+(?:\.\d+)?"

_SIDE = r"(?:north|south|east|west)(?:ern)?"
# "toward which cardinal direction do the burned pixels cluster", "on which side do most of the hot pixels lie"
_COMPASS = r"which\s+(?:[\w-]+\s+)?(?:direction|side)|(?:cardinal|compass)\s+(?:direction|point)"
_GATHER = r"(?:cluster|gather|concentrat|accumulat|assembl|crowd|bunch|huddl|lie|lies|are\s+found|are\s+located)\w*"
_SIDES = rf"{_SIDE}(?:\W+(?:or\W+|and\W+)?(?:the\s+)?{_SIDE}){{2,3}}\b"
_BY_EMISSIVITY = r"\b(?:LST|temperature)\s*(?:/|÷|over)\s*(?:the\s+)?(?:\w+\s+)?(?:ε|e|emissivity)\b"
_OF_A_DATE = r"(?:daily|nightly|weekly|monthly|yearly|annual|(?:\w+\s+)?(?:day|night))\b"  # "the heaviest rainy day"

# "repeat with a recognisable period", "a recurring cycle": what returns after a time that is asked for
_RHYTHM = r"(?:period|cycle|rhythm)"
_REPEATS = r"(?:repeat|recur|reappear|com(?:e|es|ing)\s+back)\w*"
_TOLD_AGAIN = r"(?:repeating|recurring|recurrent|recogni[sz]able|detectable|regular|periodic)"

# operations that are heard in the words of statistics and time series
HEARD: dict[str, re.Pattern[str]] = {
    "spikes": any_of(
        r"\bspikes?\b",
        r"\bsurges?\b",
        r"\b(?:jump|surge|rise|rose|increase)\w*\s+(?:suddenly|abruptly)\b",
        r"\b(?:sudden|abrupt) (?:[\w-]+ ){0,2}?(?:increase|jump|peak|rise|(?:out)?burst|leap|pulse)s?\b",
        r"\b(?:sudden|abrupt) (?:[\w-]+ ){0,2}?(?:event|episode|incident)s?\b",
        r"\b(?:count|number of|how many)\b[^.;?]*\babrupt changes?\b",
    ),
    "hotspot_direction": any_of(
        r"\bdirection(?:al)?\b(?=.*\b(?:hot ?spots?|fires?|concentrat\w+))",
        r"\b(?:hot ?spots?|concentrat\w+|cluster\w*|getis\W?ord)\b.*\bdirection",
        r"\b(?:which (?:side|part)|compass)\b.*\bhot ?spots?",
        rf"\b(?:{_COMPASS})\b[^.;?]*\b(?:pixels|areas?|places|ground|land|lights?)\b.*\b{_GATHER}\b",
        rf"\b(?:hot ?spots?|concentrat\w+|cluster\w*)\b.*\b{_SIDES}",
        rf"\b{_SIDES}.*\b(?:hot ?spots?|concentrat\w+|cluster\w*)\b",
    ),
    "change_points": any_of(
        r"\b(?:change|break|turning)[- ]?points?\b",
        r"\bstructural (?:change|break)s?\b",
        r"\bregime (?:shift|change)s?\b",
        r"\b(?:chang|shift|switch)\w*\s+(?:(?:to|into|a|the|its|their|another|new)\s+)*regimes?\b",
        r"\babrupt (?:change|shift|break)s?\b",
        r"\b(?:chang|shift|br[eo]a?k)\w*\s+(?:abruptly|suddenly)\b",
        r"\b(?:abruptly|suddenly)\s+(?:chang|shift|br[eo]a?k)\w*",
    ),
    "seasonality": any_of(
        r"\bseasonality\b",
        r"\bperiodicity\b",
        r"\b(?:periodic|seasonal) (?:pattern|cycle|signal|period)\b",
        r"\b(?:is|are|was|were)\b[^.;?]{0,60}\b(?:seasonal|periodic|cyclic(?:al)?)(?=\s*[,?.;]|\s*$|\s+(?:in|over|and)\b)",
        rf"\b(?:dominant|{_TOLD_AGAIN}) {_RHYTHM}s?\b",
        rf"\b{_REPEATS}\b[^.;?]*\b{_RHYTHM}\b",
        rf"\b(?:what|which|that) {_RHYTHM}\b[^.;?]*\b{_REPEATS}\b",
    ),
    "autocorrelation": any_of(r"\bauto-?correlat\w+", r"\bacf\b"),
    "decomposition": any_of(*TREND_AND_CYCLE),
    "mann_kendall": any_of(
        r"\bmann[- ]?kendall\b", r"\bmonotonic trend", r"\btrend[^.]*\bsignifican\w+", r"\bsignifican\w+[^.]*\btrend"
    ),
    "sens_slope": any_of(*SEN),
    "maximum": any_of(rf"\b(?:largest|greatest|biggest|heaviest)\s+{_OF_A_DATE}"),
    "minimum": any_of(rf"\b(?:smallest|least|lightest)\s+{_OF_A_DATE}"),
    "kurtosis": any_of(r"\bkurto\w+", r"\b(?:platy|meso|lepto)kurtic"),
    "skewness": any_of(r"\bskew\w*"),
    "variance": any_of(r"\bvariances?\b", r"\bentropy\b"),  # heard, so as to be refused
    "ratio": any_of(
        r"\bdivid(?:e|es|ed|ing)\b[^.;]*\bby\b",
        r"\bquotient\b",
        r"\(\s*[A-Za-z]+\s*/\s*[\wεé]+\s*\)",
        _BY_EMISSIVITY,
        r"\bratio (?:of|between)\s+(?:the\s+)?(?:mean|LST|temperature)",
    ),
    "percent_change": any_of(
        r"\bpercent(?:age)? (?:of )?(?:change|growth|increase|decrease)",
        r"\b(?:growth|change) rate\b",
        r"\brate of growth\b",
        r"\brelative (?:change|difference)\b",
        r"\bpercent(?:age)? difference\b",
        r"\bchange in percent",
        r"\bby what percent",
        r"\b(?:los[et]|loss|gain|gr[eo]w|drop|declin|increas|decreas|chang|r[io]se)\w*\b[^.;?]*[,\s](?:in|as)\s+(?:an?\s+)?"
        r"(?:per ?cent(?:age)?\b|%)(?! of)",
    ),
    "change_map": any_of(
        r"\bchange map\b",
        r"\bmap of (?:the )?(?:change|difference)s?\b",
        r"\bdifference (?:map|image|raster)\b",
        r"\bchange detection\b",
    ),
    "fire_prone": any_of(
        r"^(?=.*\b(?:percentiles?|deciles?|quartiles?|quintiles?)\b).*\bfire[- ]prone\b",
        r"^(?=.*\b(?:identif|map|delineat)).*\bfire[- ]prone areas?\b",
    ),
    "mean_multiplier": any_of(rf"\btimes (?:of )?the (?:(?:overall|annual|period|long-term) ){{0,2}}{_MEAN}\b"),
    "per_capita": any_of(r"\bper[- ](?:capita|person|inhabitant)\b"),
    "times": any_of(
        r"\bhow many times\s+(?:as\s+)?(?:more|less|fewer|\w{2,}er|as|much|many|the\s+(?:size|amount))\b",
        r"\bhow many times\s+(?:the|an?)\s[^.;?]*?\b(?:is|are|was|were)\s+(?:that|those)\s+(?:of|in|on|at)\b",
        r"\bby (?:what|which) factor\b",
        r"\bas an? (?:ratio|quotient|multiple)\b",
        r"\bratio (?:of|between)\b[^.;?]*\b(?:to|over|and)\s+(?:that|those)\s+(?:of|in|on|from|for|at)\b",
        r"\bratio of (?:the )?(?-i:[A-Z])[\w' -]*? to (?:that of )?(?:the )?(?-i:[A-Z])\w+",
    ),
    "difference": any_of(
        r"\bhow (?:much|far|strongly) (?:do(?:es)?|did)\b[^.;?]*\bdiffer\b",
        r"\bhow (?:much|far|strongly)\b[^.;?]*\b(?:differs?|ha(?:s|ve) (?:moved|shifted|changed))\b",
        rf"(?<!ormalized )(?<!ormalised )\b{APART}\b",
        r"\bcompar(?:e|ing|ison)\b",
    ),
    "extreme_date": any_of(
        r"\bthe (?:date|day) (?:when|of|with|on which|that|showing)\b",
        r"\b(?:which|what) (?:day|date)\b(?!-)",
        r"\bon which (?:[\w-]+ ){0,3}?(?:acquisition|overpass|scene|image)\b",
        r"\b(?:corresponding|its) (?:day|date|month|year)\b(?!-)",  # no "its day-to-day variability"
        r"\bgive the (?:day|date)\b",
        rf"\bwhen\b[^.;?]*\b(?:is|was|were|reach\w*)\b[^.;?]*\b(?:{_HIGH}|{_LOW}|most)\b",
        rf"\b(?:{_SUPERLATIVE} (?:\w+ )?|which |what )(?:day|date|night|season|month|year)s?\b(?! of)",
        r"\bthe (?:season|month|year|image|scene) (?:when|in which|with the|that|of the|having the)\b",
        r"\bpeak (?:\w+ )?(?:event|day|date|period|season|month|year)\b",
        rf"\b(?:date|day|season|month|year) of (?:the )?(?:{_HIGH}|{_LOW}|{_SUPERLATIVE}|weakest|strongest)\b",
    ),
    "count": any_of(
        r"\bcount(?:s|ing)? (?:the |of |how )",
        r"\b(?:number of|how many) (?:\w+ )?(?:days?|nights?|dates?|images?|times|scenes?|occasions|pixels)\b",
    ),
    "share": any_of(
        r"\b(?:percentages?|percent|proportions?|fraction) of (?:[\w-]+ ){0,4}?"
        r"(?:areas?|pixels|region|land|zones?|bodies|water|cover(?:age)?|snow|ice|extent)\b",
        r"\b(?:their|its|this|that|what|which) (?:percentage|proportion|fraction|portion)\b",
    ),
    "intersection": any_of(r"\b(?:both|simultaneous\w*|at the same time|overlap\w*|intersect\w*|co-?occur\w*)\b"),
}
# of what lies beyond a limit, whatever that is called
SHARE_OF = any_of(
    r"\b(?:percentage|proportion|fraction|share|portion)s? of "
    r"(?!(?:the )?(?:\w+ )?(?:chang|increas|decreas|growth|declin|differ|days?|dates|images))\w+"
)
# "the vegetated fraction", "the snow-covered share": of what a limit tells
SHARE_THERE = any_of(
    r"\b(?:[a-z][\w-]*(?:ed|nt)|vegetation|water|snow|ice)\s+(?:fraction|share|proportion|percentage|portion)s?\b"
)
# what works on the results of all that follow it
OUTERMOST = (
    *("spikes", "hotspot_direction", "change_points", "decomposition", "seasonality", "autocorrelation"),
    *("mann_kendall", "sens_slope", "fire_prone", "per_capita", "trend", "times", "percent_change", "change_map"),
    *("difference", "change", "kurtosis", "skewness", "variance", "extreme_date", "count", "classify"),
    *("coefficient_of_variation", "ratio", "intersection", "correlation", "share", "hotspots"),
)
TRENDS = frozenset({"trend", "mann_kendall", "sens_slope", "mann_kendall_and_slope"})
IN_TIME = TRENDS | {"change_points", "seasonality", "autocorrelation"}
STATISTICS = ("percentile", "median", "standard_deviation", "maximum", "minimum", "sum", "mean")
# what may be compared, dated or followed in time, beside plain statistics
INNER = ("coefficient_of_variation", "kurtosis", "skewness", "share")
SHARED = frozenset({"threshold", "times_mean", "drop", "limits", "conditions", "share_threshold", "changed"})
COMPARED = frozenset({"difference", "change", "percent_change", "times", "change_map"})
OF_TWO = COMPARED | {"loss", "increase_map", "change_share", "change_count", "part_change"}
OF_STATISTICS = COMPARED | {"trend", "extreme_date", "loss", "by_season"}
# operations that a limit belongs to
LIMITED = frozenset(
    (
        *("share", "count", "count_means", "count_pixels", "classify", "hotspot_direction"),
        *("extreme_date", "increase_map", "intersection", "average_share", "binary_map", "fire_count", "most_fires"),
    )
)
OF_PIXELS = frozenset({"share", "count", "count_means", "count_pixels"})
# what other quantities are told per unit of
BASES = ("building_volume", "built_up_surface", "population_count", "population_density")

BOTH_ENDS = any_of(
    rf"\b{_HIGH}\s+(?:and|to|and the)\s+(?:the\s+)?{_LOW}\s+(?:of (?:the|these|those|all)\s+)?(?:\w+\s+)?{_MEAN}s?\b",
    rf"\b{_LOW}\s+(?:and|to|and the)\s+(?:the\s+)?{_HIGH}\s+(?:of (?:the|these|those|all)\s+)?(?:\w+\s+)?{_MEAN}s?\b",
)
RANGE_OF_MEANS = any_of(
    rf"\b{_HIGH}\s+(?:\w+\s+){{0,2}}?minus\s+(?:the\s+)?{_LOW}\s+(?:\w+\s+){{0,2}}?{_MEAN}",
    rf"\b{_HIGH}\s+(?:\w+\s+){{0,2}}?{_MEAN}(?:\s+\w+){{0,3}}?\s+minus\s+(?:the\s+)?{_LOW}\b",
    rf"\b(?:range|amplitude) (?:\([^)]*\) )?(?:of|in|among) (?:the )?(?:\w+ ){{0,2}}?(?:{_MEAN})s?\b",
    rf"\b(?:{_MEAN}|annual|yearly|seasonal|monthly) (?:\w+ ){{0,2}}?(?:temperature |LST )?(?:range|amplitude)\b",
)
# "by how much did the wettest day exceed the mean of the month"
BEYOND_MEAN = any_of(
    r"\bby (?:how much|how many per ?cent|what percentage)\b[^.;?]*"
    r"\b(?:exceed\w*|surpass\w*|above|below|over|under|depart\w*|deviat\w*|\w+er)\b"
    rf"[^.;?]*\b{_MEAN}",
    rf"\bhow (?:far|much)\b[^.;?]*\b(?:above|below|over|under|\w+er than)\b[^.;?]*\b{_MEAN}",
    rf"\b(?:{_HIGH}|{_LOW}|peak)\b[^.;?]*\bminus\b[^.;?]*\b{_MEAN}",
    rf"\b{APART}\b[^.;?]*\b(?:{_HIGH}|{_LOW}|{_SUPERLATIVE}|peak)\b[^.;?]*\b(?:and|from|to)\b[^.;?]*\b{_MEAN}\b",
)
# "the peak as a multiple of the mean", "the ratio of the highest value to the mean"
_EXTREME_VALUE = rf"(?:{_HIGH}|{_LOW}|{_SUPERLATIVE}|peak|trough|extreme)"
TIMES_MEAN = any_of(
    rf"\b(?:ratio|quotient)\b[^.;?]*\b{_EXTREME_VALUE}\b[^.;?]*\b(?:to|over|and|by)\b[^.;?]*\b{_MEAN}\b",
    rf"\b{_EXTREME_VALUE}\b[^.;?]*\b(?:as|in)\s+(?:an?\s+)?(?:multiples?|fraction|proportion)\s+of\b[^.;?]*\b{_MEAN}\b",
    rf"\bdivid\w*\b[^.;?]*\b{_EXTREME_VALUE}\b[^.;?]*\bby\b[^.;?]*\b{_MEAN}\b",
    rf"\bhow many times\b[^.;?]*\b{_MEAN}\b[^.;?]*\b{_EXTREME_VALUE}\b",
    rf"\b(?:how many times|by (?:what|which) factor)\b[^.;?]*\b{_EXTREME_VALUE}\b[^.;?]*\b{_MEAN}\b",
)
PERCENT_BEYOND = any_of(r"\b(?:how many|what|which|in|as an?) per ?cent(?:age)?\b")
_AND_THE = r"\s+(?:and|to)\s+(?:the\s+)?"
BOTH_EXTREMES = any_of(rf"\b{_HIGH}{_AND_THE}{_LOW}\b", rf"\b{_LOW}{_AND_THE}{_HIGH}\b")
ENDS = (any_of(rf"\b{_HIGH}\b"), any_of(rf"(?<!\bat )\b{_LOW}\b"))
BETWEEN_THEM = any_of(rf"\b{APART} between (?:them|the two|both|these)\b")
# "the difference between these two counts"
APART_THESE = any_of(
    rf"\b{APART} (?:between|of|in) (?:(?:the|these|those|both|two|their) )*"
    r"(?:them|two|both|these|those|counts?|numbers|shares|percentages)\b",
    r"\bhow far apart\b",
)
RANGE = any_of(rf"\b(?:range|spread|span|{APART}) (?:between|of|from)\b")

# "average each band over the month first", "from the averaged reflectances"
BANDS_FIRST = any_of(
    r"\b(?:averag\w+|mean)\s+(?:(?:map|image|raster)s?\s+)?(?:of\s+)?(?:(?:each|every|all|both|the|these|of)\s+)*"
    r"(?:\w+\s+)?(?:bands?|reflectances?|sur_refl\w*|SR_B\d)\b",
    r"\b(?:averaged|mean|average) (?:surface )?(?:bands|reflectances)\b",
    r"\b(?:bands?|reflectances?|sur_refl\w*|SR_B\d) averaged over\b",
    rf"\b(?:bands?|reflectances?|sur_refl\w*|SR_B\d)\s+(?:averaged|{_MEAN})\s+(?:maps?|images?|rasters?|composites?)\b",
)
MAPS = any_of(
    rf"\b(?:{_MEAN}|averaged|composite|annual|monthly|seasonal)\s+(?:\(?\w+\)?\s+){{0,4}}?(?:maps?|composites?)\b",
    rf"\b(?:maps?|rasters?)\s+of\s+(?:the\s+)?{_MEAN}",
    r"\baverag\w+\s+(?:\w+\s+){0,5}?(?:maps|rasters)\b",
    r"\bpixel by pixel\b",
    r"\bone (?:[\w-]+ ){0,3}(?:map|composite|raster) (?:out )?of\b",
    rf"\bpixel-?wise {_MEAN}",
    rf"\b(?:where|areas?|pixels|regions|places|zones|land)\b[^.;]{{0,30}}?\b(?:annual|yearly|seasonal|monthly)\s+{_MEAN}\b",
)
# "the mean EVI of each raster file": what is made of these afterwards is made of numbers
EACH_AVERAGED = any_of(
    rf"\b(?:for|of|in)\s+(?:each|every)\s+(?:[\w-]+\s+){{0,3}}?(?:file|image|raster|scene|acquisition)\b(?!\s+of\s+the\s+(?:mean|average))[^.;?]*?\b(?:its|the|a)\s+{_MEAN}\b",
    rf"\b{_MEAN}\b(?:\s+(?!each\b|every\b)[\w-]+){{0,4}}?\s+(?:for|of|in)\s+(?:each|every)\s+(?:single\s+)?"
    r"(?:(?:raster|image|tiff?|geotiff)\s+)?(?:files?|images?|rasters?|scenes?|dates?|days?|acquisitions?)\b",
)
IMAGE_BY_IMAGE = any_of(
    r"\b(?:each|every|per) (?:image|raster|file|scene|day|date|month|unit)\b",
    r"\bunit[- ]area\b",
    r"\bdaily\b",
    r"\bmonthly\b",
    r"\ball pixels\b",
)
EACH_DATE = any_of(
    r"\b(?:for )?(?:each|every|per) (?:day|date|time|image|sampling|scene)\b",
    r"\bat each (?:\w+ )?time\b",
    r"\bdaily\b",
    r"\bover time\b",
)
_EXTREME = rf"(?:{_HIGH}|{_LOW}|{_SUPERLATIVE}|weakest|strongest|densest|heaviest|most|peak)"
EXTREME_OF = any_of(
    rf"\b(?P<of_extreme>year|season|month) of (?:the )?{_EXTREME}\b|\bpeak (?P<peak>year|season|month)\b",
    rf"\b(?:which|what|{_SUPERLATIVE}) (?:calendar )?(?P<kind>year|season|month)s?\b(?! of (?:\d|data))",
    r"\bthe (?P<of_the>year|season|month) (?:when|in which|with|that|of the|having|where|had|has)\b",
)
OF_ONE_PIXEL = any_of(
    rf"\b(?:single|individual|{_HIGH}|{_LOW}|{_SUPERLATIVE}) (?:[\w-]+ )?pixel\b", r"\bof these (?:maxima|minima)\b"
)
PATCHY = any_of(
    r"\bspatial(?:ly)?\b[^.;?]*\b(?:heterogen|variab|uneven|patch|inhomogen)\w*", r"\bspatial (?:spread|variation)"
)
OF_EACH_SCENE = any_of(
    r"\b(?:kurto\w+|skew\w*)\b[^.;]*\b(?:for|of|in) (?:each|every)\b",
    r"\b(?:spatial|pixel-?wise|per-image) (?:kurto|skew)",
)
ANNUAL = any_of(r"\bannual\w*\b", r"\byearly\b", r"\bper year\b", r"\beach year\b")
CELSIUS = any_of(
    r"\b(?:in|to|as)\s+(?:degrees?\s+)?(?:celsius|°\s?C)\b", r"\bdeg(?:rees?)?\.? ?C\b", r"\bCelsius\b", r"\bconvert\b"
)
BY_EMISSIVITY = any_of(_BY_EMISSIVITY)
DIVIDED = any_of(r"\bdivid(?:e|es|ed|ing)\b[^.;]*\bby\b")
HIGHEST = any_of(r"\b(?!(?:lat|earli|near)est\b)\w{3,}est\b", r"\bm(?:ax|ost)\w*", r"\bpeak")
THERMAL = any_of(r"\bthermal\b", r"\bcelsius\b", r"\btemperature", r"\bLST\b")
BEFORE_AND_AFTER = any_of(r"\b(?:before|after|pre|post)\b", r"\b(?:chang|differ|dropp?|decreas)\w*")
WARMER = any_of(r"\b(?:hott|warm|cool|cold)er\b")
DRY = any_of(r"\bdri(?:er|est)\b", r"\bdryness\b", r"\bdroughts?\b", r"\bhow dry\b")
RELATED = any_of(r"\bcorrelat\w+", r"\brelation\w*", r"\bassociat\w+")
PLOTTED = any_of(r"\bscatter\b")
TREND = any_of(r"\btrends?\b", r"\bslope\b", r"\bregress\w+", r"\blinear\b", r"\brate of change\b", r"\bper year\b")
FITTED = any_of(r"\bslope\b", r"\bregress\w+", r"\blinear\b", r"\bmann\b", r"\bsen\b")
_DATES = r"(?:date|day|image|scene|acquisition|overpass)(?:e?s)?"
EVENT = any_of(
    r"\b(?:greatest|largest|maximum|biggest|most (?:severe|abrupt)|strongest|sharpest|steepest|worst)\s+(?:\w+\s+){0,2}"
    r"(?:loss|gain|increase|decrease|decline|change|drop|rise)",
    r"\b(?:in |during |over )?which (?:[\w-]+ ){0,2}?(?:step|interval)\b",
    rf"\bbetween which\s+(?:two\s+)?(?:(?:success|consecut|neighbou?r|adjac)\w+\s+)?{_DATES}\b",
    rf"\bfrom which {_DATES}\s+to\s+(?:the\s+next|another)\b",
)
PLUS = any_of(rf"\+\s*(?P<n>{_NUMBER})\s*(?:MW|K|%|mm)?")
THRESHOLDS = any_of(r"\bthreshold")
WHERE = any_of(r"\bdistribution\b", r"\brisk\b", r"\bwhere\b")
THERE = any_of(
    r"\b(?:these|those|such)\s+(?:[\w-]+\s+){0,2}?(?:pixels|areas|regions|zones)\b",
    # "detect dry areas (TVDI > 0.8), compute their mean"
    rf"\b(?:pixels|areas|regions|zones)\b(?:[^.?;]|\.\d)*\b(?:their|its)\s+{_MEAN}\b",
)
RESIDENTIAL = any_of(r"(?<!non-)(?<!non )(?<!non)(?<!not )\bresidential\b")
NOT_RESIDENTIAL = any_of(r"\bno[nt][- ]?residential\b", r"\bnres\b", r"\bcommercial\b")

# limits told by the mean of the quantity itself, and changes that count
_BAR = r"(?:bar|thresholds?|limits?|cut-?offs?|benchmark|criterion|yardstick|reference|baseline)"
MORE_THAN_MEAN = any_of(
    rf"(?P<a>{_NUMBER})\s*%\s*(?:higher|greater|more|larger|above|over)\s+(?:(?:\w+\s+){{0,2}}?than\s+)?{_THE}(?:\w+\s+)?{_MEAN}",
    rf"(?P<g>{_NUMBER})\s*%\s*(?:lower|smaller|less|fewer|below|under)\s+(?:(?:\w+\s+){{0,2}}?than\s+)?{_THE}(?:\w+\s+)?{_MEAN}",
    rf"(?:exceed\w*|above|over|higher than|greater than|more than)\s+{_THE}(?:\w+\s+)?"
    rf"{_MEAN}\s+(?:\w+\s+)?by\s+(?:(?:more than|over|at least|above)\s+)?(?P<b>{_NUMBER})\s*%",
    rf">\s*(?P<c>{_NUMBER})\s*%\s*(?:of\s+)?(?:the\s+)?{_MEAN}",
    rf"(?<![\d.])(?P<d>\d+(?:\.\d+)?)\s+times\s+(?:(?:of\s+)?(?:the\s+)?(?:\w+\s+){{0,2}}?{_MEAN}|(?:this|that)\s+(?:reference|value)\b)",
    rf"\bmultipl\w+\s+(?:it|this|that|the\s+(?:\w+\s+)?{_MEAN}(?:\s+\w+)?)\s+by\s+(?P<e>\d*\.?\d+)"
    r"(?=[^.;]*\b(?:threshold|limit|cutoff)\b)",
    rf"\b{_BAR}\b[^.;?]{{0,20}}?\b(?:at|to|of|is|as|being|=)\s+(?P<f>{_NUMBER})\s*(?:%|per ?cent)\s+of\s+"
    rf"{_THE}(?:[\w-]+\s+){{0,2}}?{_MEAN}\b",
)
BELOW_IT = any_of(rf"\b(?:below|under|(?:less|lower|smaller) than)\s+(?:this|that|the)\s+{_BAR}\b")
# "average these, and use it as the bar to clear": what was told before is the limit
USED_AS_LIMIT = any_of(
    r"\b(?:us(?:e|es|ed|ing)|tak(?:e|es|en|ing)|set(?:s|ting)?|treat(?:ed|ing)?|serv(?:e|es|ing)|let)\s+"
    r"(?:it|this|that|the result)\s+(?:mean\s+|average\s+)?(?:value\s+)?(?:as|to be|be)\s+(?:the|a|our|its)\s+"
    rf"(?:[\w-]+\s+)?{_BAR}\b",
    rf"\bwhich\s+(?:is|serves|acts)\s+(?:used\s+|taken\s+)?(?:as\s+)?(?:the|a|our)\s+(?:[\w-]+\s+)?{_BAR}\b",
)
# "right-skewed: skewness > 0.5": what a statistic is limited by, and no quantity
STATISTIC_LIMITED = any_of(
    r"\b(?:skewness|kurtosis|coefficient of variation)\s*(?:value\s*)?"
    r"(?:[<>]|(?:is |of )?(?:above|below|greater|less|between))"
)
MEAN_IS_LIMIT = any_of(
    r"\bmean (?:\w+ ){0,2}(?:was|is|as) (?:set |used |taken )?(?:as )?(?:the |a )?threshold",
    r"\busing the mean as\b",
    rf"\babove (?:the|its|their) (?:\w+ )?{_MEAN}\b",
)

# parts of years
YEAR = re.compile(rf"\b({A_YEAR})(?!\d)")
SEASON = any_of(rf"\b({'|'.join(SEASONS)})\b")
TWO_SEASONS = any_of(r"\btwo (?:\w+ )?seasons\b")
AMONG_SEASONS = any_of(
    r"\b(?:among|between|across|for each of the|each|the four|all)\s+(?:\w+\s+){0,2}?seasons?\b",
    r"\bseason (?:to|by|after) season\b",
)
WHOLE_YEAR = any_of(
    rf"\b(?:annual|yearly|overall|(?:whole|entire|full)[- ]year)\s+(?:\w+\s+){{0,2}}?{_MEAN}",
    rf"\b{_MEAN}\s+(?:for|of|over)\s+the\s+(?:whole\s+|entire\s+|full\s+)?year\b",
)
