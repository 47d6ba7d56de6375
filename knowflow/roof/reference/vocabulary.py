"""Reference pages of the words: quantity kinds and indices, predicates and facts, errors and exit codes."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType

import knowflow
from knowflow import bench
from knowflow.ground.errors import KnowFlowError
from knowflow.ground.indices import spectral_indices
from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.model.facts import FACT_TITLES, GRID_FACTS, PIXEL_FACTS
from knowflow.model.grammar import SPECIAL_FORMS
from knowflow.model.predicates import ARITIES, PREDICATES
from knowflow.roof.reference.markdown import span_text, table

PREDICATE_TITLES: Mapping[str, str] = MappingProxyType(
    {
        "same_grid": "all lie on one pixel grid: CRS, transform and shape",
        "same_crs": "all are in one CRS",
        "same_quantity": "all are of one quantity kind",
        "same_unit": "all are in one unit",
        "known": "the fact, named in quotes, is known: `known(raster, 'datetime')`",
        "projected": "the CRS is known and counts in metres or the like, not in degrees",
        "true_lengths": "the CRS is projected, and its lengths are those on the ground, to 1 %, over the whole extent",
        "in_metres": "the CRS is projected, and counts in metres",
        "grid_north": "the CRS is projected, and its second axis points north, to 5 degrees, over the whole extent",
        "unrotated": "rows and columns run along the axes of the CRS, either way",
        "square_pixels": "pixels are as wide as high: in the plane of the CRS, on the ground where it is in degrees",
        "geographic": "the CRS is known and counts in degrees",
        "georeferenced": "CRS and transform are known",
        "scaled": "stored numbers can be turned into physical ones: scale and offset are known, or none are needed",
        "in_range": "the values lie in the physical range of their quantity kind",
        "has_bands": "a scene has the bands: those of an index by its name, one band, or a list",
        "is_index": "the name is that of an index of the spyndex catalogue",
        "quantity_family": "the quantity kind, given by name, is of a family, or of one of a list",
        "family": "the quantity kind of an artifact is of a family, or of one of a list",
        "categorical": "the numbers name classes, and must not be averaged",
        "continuous": "the numbers measure something that can be averaged and ordered: no classes, no directions",
        "circular": "the numbers are known to be directions, which begin anew after a full turn and have no order",
        "rate": "the numbers are known to be told per time, mm a day for one, so that they add up to nothing",
        "marks_clouds": "it is known how the bits or classes of a quality band mark clouds",
        "distinct_dates": "no two items of a series have one date",
        "overlaps": "the extents of all others meet that of the first",
        "contains": "a point lies in the extent, degrees east and north: `contains(raster, longitude, latitude)`",
        "compatible_units": "the units measure the same thing, so that one can be converted into another",
        "usual_unit": "numbers are in the usual unit of their quantity, as formulas with constants need, or state none",
    }
)
SPECIAL_TITLES: Mapping[str, str] = MappingProxyType(
    {
        "given": "an optional argument or input is there: `given($inputs.mask)`",
        "any": "the condition holds for at least one item of a series: `any(cloud_fraction(series) < 0.1)`",
        "share": "the share of the items for which a condition holds: `share(valid_fraction(series) > 0.5) >= 0.8`",
        "length": "the number of items: `length($product) > 1`",
        "change_unit": "the unit of a difference, K where it is of temperatures: `unit(value) == change_unit(a)`",
        "statistic_kind": "the quantity kind of a statistic: that of the values, but the spread of directions or "
        "temperatures is a difference: `quantity(value) == statistic_kind(statistic, raster)`",
        "per_year": "the unit of a change per year: `unit(output) == per_year(series)`",
        "per_decade": "the unit per decade of what is in a unit per year: `unit(value) == per_decade(rate)`",
    }
)


def quantity_lines() -> list[str]:
    """The kinds by family, and the spectral indices."""
    indices = spectral_indices()
    families: dict[str, list[QuantityKind]] = {}
    for kind in sorted(quantity_kinds().values(), key=lambda one: (one.family, one.name)):
        if kind.name not in indices:
            families.setdefault(kind.family, []).append(kind)
    lines = [
        f"{sum(map(len, families.values()))} quantity kinds, and one for each of the {len(indices)} indices of the",
        "spyndex catalogue. The range is what is physically possible, in the unit; `--assume quantity=NAME` states the",
        "kind of a file.",
    ]
    for family, kinds in families.items():
        rows = [
            (f"`{one.name}`", one.title, one.unit, span_text(*one.range), one.cf_name or "", _classes(one))
            for one in kinds
        ]
        lines += ["", f"## Family {family}", ""]
        lines += table(("name", "title", "unit", "range", "CF standard name", "classes"), rows)
    formulas = [
        (f"`{name}`", index.title, f"`{index.formula}`", ", ".join(index.bands), index.domain)
        for name, index in sorted(indices.items())
    ]
    lines += ["", "## Spectral indices", "", "Family `index`; formulas as spyndex has them, over its band symbols.", ""]
    return [*lines, *table(("name", "title", "formula", "bands", "domain"), formulas)]


def _classes(kind: QuantityKind) -> str:
    if not kind.categorical:
        return ""
    return ", ".join(f"{number} {name}" for number, name in kind.classes.items()) or "as the producer says"


def predicate_lines() -> list[str]:
    """The words of the condition language: predicates, special forms, facts."""
    groups = {**dict.fromkeys(GRID_FACTS, "grid"), **dict.fromkeys(PIXEL_FACTS, "pixels")}
    return [
        "The language of conditions: [conditions](../conditions.md).",
        "",
        "## Predicates",
        "",
        *table(
            ("predicate", "operands", "true when"),
            [(f"`{name}`", _arity(*ARITIES[name]), PREDICATE_TITLES[name]) for name in PREDICATES],
        ),
        "",
        "## Special forms",
        "",
        *table(("form", "meaning"), [(f"`{name}`", SPECIAL_TITLES[name]) for name in SPECIAL_FORMS]),
        "",
        "## Facts",
        "",
        "The name of a fact is also its accessor: `unit($product) == 'K'`. In `preserves`, `grid` stands for the facts",
        "of that group, and so does `pixels`.",
        "",
        *table(
            ("fact", "meaning", "group"),
            [(f"`{name}`", title, groups.get(name, "")) for name, title in FACT_TITLES.items()],
        ),
    ]


def _arity(fewest: int, most: int | None) -> str:
    return str(fewest) if most == fewest else f"{fewest} or more" if most is None else f"{fewest} to {most}"


def error_lines() -> list[str]:
    """Every named error of the package, by exit code."""
    exits = [
        ("0", "fine"),
        ("1", "problems were found, in documents, tests or the installation"),
        ("2", "bad usage, or input that cannot be used"),
        ("3", "the run failed, or was interrupted"),
    ]
    errors = [(f"`{one.code}`", str(one.exit_code), _meaning(one)) for one in named_errors()]
    return [
        "Every error says what was expected, what was found and what to do. With `--json` it is an object `error` on",
        "standard error, with `code`, `message`, `where`, `expected`, `found`, `hint`, `problems` and `exit_code`.",
        "",
        "## Exit codes",
        "",
        *table(("exit code", "meaning"), exits),
        "",
        "## Errors",
        "",
        *table(("code", "exit code", "meaning"), errors),
        "",
        "`defect` (exit code 2) is an error that nobody foresaw: please report it. `KNOWFLOW_TRACEBACK=1` shows where.",
    ]


def named_errors() -> list[type[KnowFlowError]]:
    """The errors that have a code of their own, wherever in the package and its benches; their modules are imported."""
    package = Path(knowflow.__file__).parent
    found = [*_errors_in(package, lambda name: importlib.import_module(f"knowflow.{name}"))]
    found += _errors_in(bench.folder(), bench.load)
    return sorted((one for one in found if one is not KnowFlowError), key=lambda one: (one.exit_code, one.code))


def _errors_in(folder: Path, load: Callable[[str], ModuleType]) -> Iterator[type[KnowFlowError]]:
    for path in sorted(folder.rglob("*.py")):
        classes = [node for node in ast.parse(path.read_bytes()).body if isinstance(node, ast.ClassDef)]
        names = [node.name for node in classes if node.name.endswith("Error") and _has_code(node)]
        if names:
            module = load(".".join(path.relative_to(folder).with_suffix("").parts))
            yield from (getattr(module, name) for name in names)


def _has_code(node: ast.ClassDef) -> bool:
    return any(isinstance(part, ast.Assign) and ast.unparse(part.targets[0]) == "code" for part in node.body)


def _meaning(error: type[KnowFlowError]) -> str:
    return " ".join((error.__doc__ or "").split("\n\n")[0].split())
