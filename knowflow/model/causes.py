"""The causes of failures: a closed list. What is not on it cannot be named as the reason why a run failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Cause:
    """``title`` completes "it failed because of ..."; ``advice`` is what a user can do when nothing repairs it."""

    id: str
    title: str
    meaning: str
    advice: str


_ALL = (
    # --- where pixels lie
    Cause(
        "grid_mismatch",
        "rasters on different grids",
        "Rasters that are compared pixel by pixel differ in pixel size, origin or extent.",
        "align them first: the align_to tool brings one onto the grid of the other",
    ),
    Cause(
        "rotated_grid",
        "a rotated or sheared grid",
        "The raster's rows do not run from west to east; tools that count pixels by row and column, or tell which way "
        "slopes face, cannot use it.",
        "reproject it onto a grid that is parallel to the axes (gdalwarp)",
    ),
    Cause(
        "oblong_pixels",
        "pixels that are not square",
        "Pixels are wider than high, or higher than wide, on the ground; the tool counts their sides as equal.",
        "reproject it onto a grid of square pixels",
    ),
    Cause(
        "crs_missing",
        "a missing coordinate reference system",
        "Nobody says in which coordinate reference system the pixels lie; it cannot be guessed from numbers.",
        "say it: --assume crs=EPSG:...",
    ),
    Cause(
        "crs_mismatch",
        "different coordinate reference systems",
        "Two inputs lie in different coordinate reference systems.",
        "reproject one of them to the CRS of the other",
    ),
    Cause(
        "not_projected",
        "coordinates that are no lengths on the ground",
        "Areas, distances and slopes need a projected CRS whose lengths are true; this raster is in longitude and "
        "latitude, or in a projection that stretches lengths where it lies.",
        "reproject it to a projected CRS, such as the UTM zone it lies in",
    ),
    Cause(
        "no_overlap",
        "inputs that do not overlap",
        "Two inputs cover different places, or lie in different places because the CRS of one is wrong.",
        "use data of the same place; check the CRS of each",
    ),
    # --- what the numbers mean
    Cause(
        "scale_missing",
        "stored numbers that were not scaled",
        "The values are stored numbers (reflectance times 10000), and nothing says what turns them into physical ones.",
        "say the factor: --assume scale=... (and offset=...)",
    ),
    Cause(
        "scale_wrong",
        "a scale that was applied already",
        "The stored numbers are physical as they stand, and the file still says a factor that would make them "
        "impossible or next to nothing.",
        "say that there is nothing to scale: --assume 'FILE*:scale=1,offset=0'",
    ),
    Cause(
        "mask_coded",
        "a mask that says yes with another number than 1",
        "The numbers of a mask are not 0 and 1: one number beside 0 is the mask; of two others nobody can tell.",
        "say which number marks: --assume 'FILE*:mark=NUMBER'",
    ),
    Cause(
        "unit_wrong",
        "values in another unit than is said",
        "The values are outside what is physically possible in the unit that is declared, and inside in another one "
        "(degrees Celsius that are said to be kelvin).",
        "say the unit of these files: --assume 'FILE*:unit=...'",
    ),
    Cause(
        "unit_mismatch",
        "units that do not fit together",
        "Two values cannot be compared or combined: they measure different things, or are told in different units.",
        "convert one of them, or choose data in the unit that is needed",
    ),
    Cause(
        "quantity_wrong",
        "data of another quantity than is needed",
        "The tool needs another quantity kind: brightness temperature is not surface temperature, a mask of clouds is "
        "not a mask of water.",
        "use data of that quantity, or derive it first; where the label is wrong: --assume quantity=...",
    ),
    Cause(
        "quantity_unknown",
        "a quantity that nobody knows",
        "Nothing says what the numbers of a file mean.",
        "say it: --assume quantity=...",
    ),
    Cause(
        "values_implausible",
        "values that are physically impossible",
        "Values lie outside the physical range of the quantity, and no single known cause explains them.",
        "look at the values of the file; a wrong label, unit, scale or an undeclared nodata value is usual",
    ),
    Cause(
        "fact_unknown",
        "a fact that nobody knows",
        "A condition needs a fact that is neither in the file nor was said.",
        "say it with --assume",
    ),
    # --- what is missing or disturbed in the pixels
    Cause(
        "nodata_undeclared",
        "missing data that are not declared as missing",
        "One constant value, far from all others, marks missing pixels, but the file does not say so.",
        "say it: --assume nodata=VALUE",
    ),
    Cause(
        "too_cloudy",
        "clouds over too much of the scene",
        "So much of the scene is under cloud that too few pixels are left.",
        "use other dates, a longer period, or a composite of several scenes; or ask for it 'including clouds'",
    ),
    Cause(
        "empty_after_mask",
        "nothing left after masking",
        "A mask removed every pixel, or all but a few.",
        "check that the mask is of the same scene and means what the step takes it for",
    ),
    Cause(
        "too_few_valid",
        "too few pixels with data",
        "The input itself has too few pixels that are data.",
        "use scenes that cover the area, or accept less with other data",
    ),
    Cause(
        "nan_stripes",
        "stripes of missing values",
        "Whole rows or columns are missing at intervals, as from a failing detector or a lost packet.",
        "fill the gaps, or use another scene",
    ),
    Cause(
        "not_finite",
        "numbers that are not finite",
        "The result has infinite or undefined values: a division by zero, or a logarithm of what is not positive.",
        "look at the pixels where the divisor is zero or the argument is out of its domain",
    ),
    Cause(
        "saturated",
        "saturated values",
        "Many pixels hold the largest value the sensor or data type can store; what they really were is lost.",
        "use another scene, a band with more range, or leave the saturated pixels out",
    ),
    Cause(
        "constant_values",
        "values that are all the same",
        "The raster holds one single value; there is nothing to tell apart, to threshold or to correlate.",
        "check that the file holds what its name says",
    ),
    Cause(
        "low_contrast",
        "too little contrast",
        "The values vary so little, or so noisily, that classes cannot be told apart.",
        "smooth the noise first, or give a threshold from experience",
    ),
    # --- bands and series
    Cause(
        "band_missing",
        "a missing band",
        "The data lack a band that is needed.",
        "add the file of that band, or ask for an index that does without it",
    ),
    Cause(
        "band_misnamed",
        "a band under a wrong name",
        "A band holds what another one should: the bands are swapped or wrongly labelled.",
        "check the names of the files and the descriptions of the bands",
    ),
    Cause(
        "dates_unpaired",
        "dates without a partner",
        "Two series are paired by date, and some dates of one are not in the other.",
        "add the missing scenes, or restrict both to their common dates (--dates)",
    ),
    Cause(
        "duplicate_dates",
        "the same date twice",
        "Two items of a series have the same date, and it is not said which one counts.",
        "keep one of them, or mosaic them first",
    ),
    Cause(
        "date_unknown",
        "a scene without a date",
        "A series needs the date of each of its scenes and one has none.",
        "put the date into the file name or the DATETIME tag, or say --assume datetime=...",
    ),
    Cause(
        "too_few_dates",
        "too few dates",
        "A trend, a season or a composite needs more dates than there are.",
        "add scenes or choose a longer period",
    ),
    Cause(
        "list_lengths",
        "lists of different lengths",
        "Lists that are taken item by item have different lengths.",
        "hand over lists of the same length, paired by date or name",
    ),
    Cause(
        "empty_series",
        "nothing in the series",
        "No scene is left for a step that needs at least one.",
        "widen the period or the area",
    ),
    # --- files
    Cause("file_missing", "a file that is not there", "A file that the plan uses does not exist.", "put it back"),
    Cause(
        "file_truncated",
        "a damaged file",
        "The file is cut off or damaged; its header or its pixels cannot be read.",
        "fetch the file again",
    ),
    Cause(
        "file_changed",
        "a file that changed meanwhile",
        "A file is not the one that was planned with: its content or what its header says is different.",
        "plan again: `knowflow run` with the same question",
    ),
    Cause(
        "format_unknown",
        "a file in an unknown format",
        "The file is no raster, vector or table that can be read.",
        "convert it to GeoTIFF, GeoPackage or CSV",
    ),
    Cause(
        "not_opened",
        "a file that is not opened",
        "The file holds no data of its own: it names an address, a service or files outside of its folder, or it is a "
        "pipe or text that may do so. Nothing but files of data and their folder is read.",
        "fetch or copy the data themselves; whoever trusts these files says so: knowflow --trust-data ...",
    ),
    Cause(
        "permission_denied",
        "a missing permission",
        "The system does not allow a file to be read, or a folder to be written to.",
        "change the permissions, or choose another folder (--out, KNOWFLOW_HOME)",
    ),
    # --- the machine
    Cause(
        "out_of_memory",
        "too little memory",
        "A tool wanted more memory than it may have, and was ended.",
        "work on a smaller area (--aoi), a coarser resolution, or a machine with more memory",
    ),
    Cause(
        "out_of_disk",
        "a full disk",
        "There is no space left, or a quota is used up.",
        "free some space, or set KNOWFLOW_HOME to a larger disk; then `knowflow runs resume`",
    ),
    Cause(
        "too_large",
        "a run that would take too long",
        "By the pixels that its files declare, a run would take longer than it may.",
        "work on a smaller area (--aoi) or period (--dates), or let it: --max-hours",
    ),
    Cause(
        "timeout",
        "a tool that did not end in time",
        "A tool took longer than it may, and was ended.",
        "work on a smaller area, or raise timeout_s in the tool's schema",
    ),
    Cause(
        "tool_crash",
        "a tool whose process died",
        "The process that the tool ran in ended without an answer.",
        "the log of the node has the details; try the other tool for the task, or report it",
    ),
    Cause(
        "tool_defect",
        "a defect of a tool",
        "The tool raised an error that nobody named, on input that passed all its checks.",
        "the log of the node has the details; please report it",
    ),
    Cause(
        "tool_failed",
        "what a tool says of its input",
        "The tool refused its input for a reason of its own, which it names.",
        "see what the tool says",
    ),
    Cause(
        "broken_promise",
        "a result that is not what the tool promises",
        "The result misses an effect that the tool's schema ensures, and its inputs do not explain it.",
        "report it: the tool or its schema is wrong",
    ),
    Cause(
        "not_converged",
        "an estimation that did not converge",
        "An iterative method found no stable solution for these data.",
        "use more data, or a method that does not iterate",
    ),
    Cause(
        "transient",
        "a passing disturbance",
        "Something outside was disturbed for a moment (a busy resource, a broken connection) and may work again.",
        "try again: `knowflow runs resume`",
    ),
    Cause(
        "dependency_missing",
        "software that is not installed",
        "A library or program that the tool needs is not there.",
        "install it: `knowflow doctor` says what is missing",
    ),
    Cause(
        "model_missing",
        "a model that is not installed",
        "The tool needs the weights of a model, and they are not there.",
        "install the model: `knowflow models` says which and how",
    ),
    Cause(
        "server_unreachable",
        "a server that does not answer",
        "A server that is needed cannot be reached.",
        "start it, or use --runner local",
    ),
    # --- the plan
    Cause(
        "parameter_out_of_range",
        "a parameter out of its range",
        "An argument is a number or a word that the tool does not allow.",
        "`knowflow tools show TOOL` says what is allowed",
    ),
    Cause(
        "wrong_type",
        "an argument of the wrong type",
        "An argument is of another type than the parameter (a path where numbers are needed).",
        "`knowflow tools show TOOL` says which type is needed",
    ),
    Cause(
        "unknown_argument",
        "an argument that the tool does not have",
        "The tool has no parameter of that name.",
        "`knowflow tools show TOOL` lists its parameters",
    ),
    Cause(
        "argument_missing",
        "a missing argument",
        "A parameter that the tool needs was given nothing.",
        "`knowflow tools show TOOL` lists its parameters",
    ),
    Cause(
        "unknown_tool",
        "a tool that does not exist",
        "No tool has that name.",
        "`knowflow tools list` shows those that exist",
    ),
    Cause(
        "precondition_false",
        "a condition of a tool that does not hold",
        "A precondition is false, and the facts that it speaks of explain it no further.",
        "use data that fulfil the condition",
    ),
    Cause(
        "quality_missed",
        "a result that is not good enough",
        "The result misses a quality that its template demands, and nothing before it explains why.",
        "use more or better data",
    ),
    Cause(
        "not_understood",
        "a question that is not understood",
        "No template answers the question, or it can be read in more than one way.",
        "ask in other words; `knowflow templates search WORDS` shows what can be asked",
    ),
    Cause(
        "data_missing",
        "data that are not in the folder",
        "The folder holds nothing that the question needs.",
        "`knowflow data FOLDER` shows what was found and how it was understood",
    ),
    Cause(
        "unknown",
        "a cause that the evidence does not tell",
        "The error and the facts do not point at one cause.",
        "the log of the node has the details: `knowflow runs show RUN`",
    ),
)

# one fault under three names: numbers that cannot be what the file says; where one known convention explains them, the
# name tells which
NUMBERS_CANNOT_BE = frozenset({"values_implausible", "scale_missing", "unit_wrong"})
CAUSES: Mapping[str, Cause] = MappingProxyType({cause.id: cause for cause in _ALL})
