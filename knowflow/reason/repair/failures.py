"""Diagnosis of errors: what their codes and words point at, weighed against what files and the machine show."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from knowflow.ground.regex import regex
from knowflow.model.artifact import Artifact
from knowflow.model.diagnosis import Diagnosis, Evidence
from knowflow.model.verdict import Place, place_text
from knowflow.model.workflow import FromInput
from knowflow.reason.repair.examination import Examination
from knowflow.reason.repair.pixels import lost_here
from knowflow.reason.repair.values import implausible, saturated

# codes of errors that say the cause themselves
OF_CODE: Mapping[str, str] = {
    "tool_timeout": "timeout",
    "llm_timeout": "timeout",
    "tool_memory": "out_of_memory",
    "tool_crash": "tool_crash",
    "no_space": "out_of_disk",
    "large_run": "too_large",
    "output": "permission_denied",
    "server": "server_unreachable",
    "wrong_model": "model_missing",
    "unit": "unit_mismatch",
    "unreadable_data": "file_truncated",
    "no_overlap": "no_overlap",
    "data_not_found": "file_missing",
    "not_understood": "not_understood",
    "unknown_argument": "unknown_argument",
    "missing_argument": "argument_missing",
    "wrong_type": "wrong_type",
    "not_numbers": "wrong_type",
    "unknown_tool": "unknown_tool",
    "out_of_range": "parameter_out_of_range",
    "bad_value": "parameter_out_of_range",
    "index_out_of_range": "parameter_out_of_range",
    "unknown_name": "parameter_out_of_range",
    "changed_input": "file_changed",
    "damaged_result": "file_truncated",
    "missing_fact": "fact_unknown",
}

# words of errors that nobody gave a code, most telling first; each with the cause they point at
_WORDS: Sequence[tuple[str, str]] = tuple(
    (pattern, cause)
    for pattern, cause in (
        (r"\bis not opened\b|\bit is a (named pipe|socket|device)\b", "not_opened"),
        (r"\bit is a link to nothing\b", "file_missing"),
        (r"no space left|disk quota exceeded|file too large|errno 28\b|errno 122\b", "out_of_disk"),
        (r"memoryerror|cannot allocate memory|unable to allocate|out of memory|errno 12\b|bad_alloc", "out_of_memory"),
        (
            r"permissionerror|permission denied|read-only file system|operation not permitted|errno 13\b",
            "permission_denied",
        ),
        (
            r"resource temporarily unavailable|stale file handle|device or resource busy|interrupted system call|"
            r"connection (reset|aborted)|broken pipe|temporary failure|errno (4|11|16|116)\b|database is locked",
            "transient",
        ),
        (r"too many open files|errno 24\b", "transient"),
        (
            r"connection refused|name or service not known|network is unreachable|max retries exceeded",
            "server_unreachable",
        ),
        (r"timeouterror|timed out|deadline exceeded", "timeout"),
        (
            r"no module named|modulenotfounderror|importerror|command not found|cannot open shared object",
            "dependency_missing",
        ),
        (
            r"no (such )?model|weights (are )?(not|missing)|\.onnx\b.*(not|missing)|model .*not installed",
            "model_missing",
        ),
        (r"filenotfounderror|no such file or directory", "file_missing"),
        (
            r"not recognized as (being in )?a supported file format|unknown file (format|extension)|is no raster|"
            r"holds complex numbers",
            "format_unknown",
        ),
        (
            r"tiffreadencoded|tifffillstrip|tifffilltile|decodeerror|unexpected end|read failed|truncated|corrupt|"
            r"ireadblock failed|cannot be read|got 0 bytes",
            "file_truncated",
        ),
        (r"did not converge|not converge|convergence|singular matrix|linalgerror|ill-conditioned", "not_converged"),
        (r"too little contrast|low contrast", "low_contrast"),
        (
            r"\bconstant\b|numbers that differ|no variance|all values are the same|one value|zero variance",
            "constant_values",
        ),
        (
            r"at least \d+ (dates|numbers|periods|images)|needs (two|three) (numbers|periods|different)|"
            r"too few (dates|numbers)|trend needs|season needs|slope needs",
            "too_few_dates",
        ),
        (r"same date|two numbers have the same date|duplicate date", "duplicate_dates"),
        (r"one x for each y|different lengths|same length|lengths differ|must match|same number of", "list_lengths"),
        (r"disagree on its crs", "crs_mismatch"),
        (r"disagree on its (transform|place|grid)", "grid_mismatch"),
        (r"empty series|no file to work on|empty list|nothing to take together|no raster to work on", "empty_series"),
        (
            r"no pixel is data|no image holds data|no valid pixel|without data|no data (left|to tell)|"
            r"no pixel is marked|all nan",
            "too_few_valid",
        ),
        (r"has no such band|no such band|channel is lacking|lacks|band .* is missing", "band_missing"),
        (r"nothing can be divided|division by zero|zerodivision|divide by zero", "not_finite"),
        (
            r"differ in (shape|grid)|different grids|shapes? .*(mismatch|not aligned)|could not be broadcast",
            "grid_mismatch",
        ),
        (r"no partner", "dates_unpaired"),
        (r"does not overlap|do not overlap|no raster overlaps|outside the (raster|area)", "no_overlap"),
        (
            r"there is no such|no quantity kind is called|not an area of interest|unknown (resampling|statistics)|"
            r"out of range|is out of|cannot be '|window has no pixel",
            "parameter_out_of_range",
        ),
        (r"\b(sensor|wavelength|unit|scale|quantity|crs|date)\b[\w ]* is (unknown|not known)", "fact_unknown"),
        (r"unexpected keyword|unknown argument|has no parameter", "unknown_argument"),
        (r"missing \d+ required|is missing", "argument_missing"),
        (r"\bis unknown\b|nobody knows", "fact_unknown"),
        (r"not a number|must be (a )?(number|str|int)|typeerror|^--set \S+ does not fit", "wrong_type"),
    )
)
_PATTERNS = tuple((regex(pattern, re.IGNORECASE), cause) for pattern, cause in _WORDS)
# causes that words may name and that evidence must bear out before they are called certain
_MACHINE = frozenset(
    {"out_of_disk", "out_of_memory", "permission_denied", "transient", "timeout", "dependency_missing"}
)

# what files may suffer from that cannot be read
OF_FILES = frozenset(
    (
        "not_opened",
        "file_truncated",
        "file_missing",
        "format_unknown",
        "permission_denied",
        "crs_mismatch",
        "grid_mismatch",
    )
)


def cause_of_words(words: str) -> str | None:
    """The cause that the words of an error point at, or None."""
    return next((cause for pattern, cause in _PATTERNS if pattern.search(words)), None)


def cause_of_file(words: str) -> str:
    """What is wrong with a file that cannot be read, by what is said of it: where nothing else is, it is damaged."""
    pointed = cause_of_words(words)
    return pointed if pointed in OF_FILES else "file_truncated"


def diagnosed_error(case: Examination) -> Diagnosis:
    """The diagnosis of an error that a tool or the system raised."""
    code = str(case.error.get("code", ""))
    told = Evidence("error", "", _told(case.error), "error")
    damaged = _file_trouble(case, told)
    if damaged is not None and code not in ("tool_timeout", "tool_memory", "no_space"):
        return damaged
    if code == "output" and case.probe.full():
        return _here(case, "out_of_disk", (told, Evidence("room for results", "", "the disk is full", "system")), True)
    if code == "unreadable_data":
        return _here(case, cause_of_file(case.said()), (told,), False)
    if code == "data_not_found":
        return _here(case, OF_CODE[code], (told,), False)
    if code in OF_CODE and code not in ("unknown_name", "missing_fact"):
        return _here(case, OF_CODE[code], (told,), True)
    pointed = cause_of_words(case.said())
    if pointed in _MACHINE:
        return _here(case, pointed, (told,), False)
    behind = nothing_behind(case, told) or _data_behind(case, told, pointed)
    if behind is not None:
        return behind
    if pointed is not None:
        return _here(case, pointed, (told,), False)
    named = not re.match(rf"{re.escape(case.node.tool)} failed$", str(case.error.get("message", "")))
    if named:
        return _here(case, "tool_failed", (told,), True)
    return _here(case, "tool_defect", (told, Evidence("inputs", "", "they passed every check", "checked")), False)


def _told(error: Mapping[str, Any]) -> str:
    parts = [str(error.get("message", "")), str(error.get("found") or "")]
    return ": ".join(part for part in parts if part)


def _here(case: Examination, cause: str, evidence: tuple[Evidence, ...], certain: bool) -> Diagnosis:
    """A diagnosis of the failed node itself; its first artifact is the place, where the cause is one of data."""
    place: Place = next((at for at, _ in case.leaves()), ())
    return Diagnosis(cause, case.node.id, case.node.id, place, "", evidence, "certain" if certain else "likely")


def _file_trouble(case: Examination, told: Evidence) -> Diagnosis | None:
    """The first file among the arguments that cannot be used."""
    for place, leaf in case.leaves():
        trouble = case.probe.trouble(leaf)
        if trouble is None:
            continue
        own = isinstance(case.reference(case.node, place), FromInput)
        shown = Evidence(leaf.path or place_text(place), "a file that can be read", trouble.reason, "system")
        return Diagnosis(
            trouble.cause, case.node.id, case.node.id, place, (leaf.path or "") if own else "", (shown, told), "certain"
        )
    return None


def nothing_behind(case: Examination, told: Evidence) -> Diagnosis | None:
    """Where numbers that are missing went missing: at the node that had data and left none."""
    for place, leaf in case.leaves():
        if not _nothing(case.measured(leaf)):
            continue
        origin = case.origin(place, _nothing)
        if origin.input is None and not origin.place:
            return lost_here(case, case.plan.workflow.node(origin.node), (told,))
        shown = Evidence(f"data in {place_text(origin.place)}", "some", "none", "measured")
        return Diagnosis(
            "too_few_valid", origin.node, case.node.id, origin.place, origin.file, (shown, told), "certain"
        )
    return None


def _nothing(leaf: Artifact) -> bool:
    """Whether a raster has no data, or a number is missing."""
    if leaf.type == "scalar":
        return leaf.value is None or (isinstance(leaf.value, float) and math.isnan(leaf.value))
    return leaf.type == "raster" and leaf.fact("valid_fraction") == 0


def _data_behind(case: Examination, told: Evidence, pointed: str | None) -> Diagnosis | None:
    """What the inputs show that explains an error of a tool: no data, one value only, impossible values."""
    for place, leaf in case.leaves():
        if leaf.type != "raster" or leaf.path is None:
            continue
        known = case.measured(leaf)
        found = known.fact("value_range")
        name = place_text(place)
        if (
            found is not None
            and found[0] == found[1]
            and pointed in (None, "constant_values", "low_contrast", "not_finite")
        ):
            shown = Evidence(f"values of {name}", "values that differ", f"all are {found[0]:g}", "measured")
            return _traced(case, place, "constant_values", (shown, told), _constant)
        sample = case.sample(leaf) if pointed in (None, "low_contrast", "not_converged") else None
        finding = None if sample is None else (saturated(leaf, sample) or implausible(leaf, sample))
        if finding is not None:
            return Diagnosis(
                finding.cause,
                case.node.id,
                case.node.id,
                place,
                "",
                (*finding.evidence, told),
                "likely",
                found=finding.found,
            )
    return None


def _traced(case: Examination, place: Place, cause: str, evidence: tuple[Evidence, ...], bad: Any) -> Diagnosis:
    origin = case.origin(place, bad)
    return Diagnosis(cause, origin.node, case.node.id, origin.place, origin.file, evidence, "certain")


def _constant(leaf: Artifact) -> bool:
    found = leaf.fact("value_range")
    return leaf.type == "raster" and found is not None and found[0] == found[1]
