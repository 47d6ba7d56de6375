"""Arguments under other names than the tool's: which parameter each was meant for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowflow.ground.indices import spectral_indices
from knowflow.ground.table_endings import TABLES
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.reason.calls.call import texts_in, unwrapped
from knowflow.reason.calls.file_names import file_name
from knowflow.reason.calls.words import content, overlap, purpose

_NORMALISED = "({0} - {1}) / ({0} + {1})"
_FILE_SUFFIXES = (".tif", ".tiff", ".png", ".jpg", ".jpeg", ".vrt", ".jp2", ".hdf", ".nc", ".gpkg", ".json", *TABLES)


def renamed(schema: ToolSchema, arguments: Mapping[str, Any]) -> dict[str, str]:
    """Given name -> parameter for the arguments that the tool does not know.

    Names are matched by their words, the best pair first; what is left over is matched in order where exactly as many
    parameters of the same form are still open and no word speaks against it.
    """
    by_formula = _by_formula(schema, arguments)
    if by_formula:
        return by_formula
    unknown = [name for name in arguments if name not in schema.parameters]
    open_ = [name for name in schema.parameters if arguments.get(name) is None]
    pairs = sorted(
        (
            (_score(given, arguments[given], own, schema.parameters[own]), given, own)
            for given in unknown
            for own in open_
        ),
        key=lambda one: (-one[0], one[1], one[2]),
    )
    found: dict[str, str] = {}
    for score, given, own in pairs:
        tied = [p for p in pairs if p[0] == score and (p[1] == given) != (p[2] == own) and p[1] not in found]
        if score >= 0.5 and given not in found and own not in found.values() and not tied:
            found[given] = own
    return found | _in_order(schema, arguments, unknown, open_, found)


def _by_formula(schema: ToolSchema, arguments: Mapping[str, Any]) -> dict[str, str]:
    """Bands that an index of the catalogue takes, for a tool that names its two bands after another definition of it.

    The normalised difference of water is (green - nir) / (green + nir) for McFeeters and (nir - swir) / (nir + swir)
    for Gao: the same arithmetic on other bands, so they go into the tool's two places in the order of the formula.
    """
    index = next((spectral_indices()[word] for word in purpose(schema.tool) if word in spectral_indices()), None)
    places = [name for name, parameter in schema.inputs.items() if parameter.type == "raster_series"]
    if index is None or len(places) != 2 or index.formula != _NORMALISED.format(*index.symbols):
        return {}
    given = {band: name for name in arguments for band in content(name) if band in index.bands}
    if len(given) != 2 or {band for place in places for band in content(place)} >= set(given):
        return {}
    ordered = [given[index.symbols[symbol]] for symbol in index.symbols]
    found = {name: place for name, place in zip(ordered, places, strict=True) if name != place}
    rest = {name: value for name, value in arguments.items() if name not in ordered}
    taken = {place: arguments[name] for name, place in zip(ordered, places, strict=True)}
    return found | renamed(schema, {**rest, **taken})


def _in_order(
    schema: ToolSchema, arguments: Mapping[str, Any], unknown: list[str], open_: list[str], found: Mapping[str, str]
) -> dict[str, str]:
    """Names without content of their own (``a``, ``path1``) for the required parameters that are left, in order."""
    left = [name for name in unknown if name not in found]
    needed = [own for own in open_ if own not in found.values() and schema.parameters[own].required]
    if not left or len(left) != len(needed):
        return {}
    if any(len(word) > 1 and not word.isdigit() for name in left for word in content(name)):
        return {}
    pairs = dict(zip(left, needed, strict=True))
    return pairs if all(_fits(arguments[given], schema.parameters[own]) for given, own in pairs.items()) else {}


def _score(given: str, value: Any, own: str, parameter: Parameter) -> float:
    """How well a given name and its value fit a parameter; 0 where they do not."""
    if not _fits(value, parameter):
        return 0.0
    asked, takes = content(given), content(own)
    if asked == takes:
        return 1.0 if given.lower() != own.lower() else 1.2
    if asked and takes:
        return overlap(asked, takes)
    # a name such as `image_paths` says nothing: what the files are called may
    told = takes or asked
    names = [file_name(text).words for text in texts_in(unwrapped(value))]
    return 0.9 if names and all(told <= words for words in names) else 0.0


def _fits(value: Any, parameter: Parameter) -> bool:
    """Whether a value can stand for a parameter: files for files, numbers for numbers."""
    plain = unwrapped(value)
    texts = texts_in(plain)
    if parameter.role == "output" or parameter.type in ("raster", "raster_series", "band_set", "vector", "path"):
        return bool(texts)
    if parameter.type in ("number", "integer"):
        return _is_number(plain)
    if parameter.type == "boolean":
        return isinstance(plain, bool)
    if parameter.type == "string":
        return isinstance(plain, str) and not plain.lower().endswith(_FILE_SUFFIXES)
    return isinstance(plain, (list, tuple, Mapping))


def _is_number(value: Any) -> bool:
    """Whether a value is a number, or a text that says one."""
    if isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return False
        return True
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def are_files(value: Any) -> bool:
    """Whether a value is one file name or a list of nothing but file names."""
    plain = unwrapped(value)
    items = plain if isinstance(plain, list) else [plain]
    return bool(items) and all(isinstance(item, str) and item.lower().endswith(_FILE_SUFFIXES) for item in items)
