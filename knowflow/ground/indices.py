"""The spyndex catalogue of spectral indices, read from the files of its wheel; spyndex itself is not imported.

Bands carry the common names of ``knowflow.ground.bands``; reflectances are 0..1, temperatures in K, radar backscatter
linear. Source: Montero et al. (2023), https://doi.org/10.1038/s41597-023-02096-0
"""

from __future__ import annotations

import ast
import importlib.util
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from knowflow.ground.errors import KnowFlowError, UnknownNameError
from knowflow.ground.kept_values import between_runs
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.syntax import parse_expression

Range = tuple[float | None, float | None]

# spyndex's symbols for bands, in common names (our rededge1..3, nir08 and lwir are its rededge071..078, N2 and T)
BAND_SYMBOLS: Mapping[str, str] = MappingProxyType(
    {
        "A": "coastal",
        "B": "blue",
        "G": "green",
        "G1": "green1",
        "Y": "yellow",
        "R": "red",
        "RE1": "rededge1",
        "RE2": "rededge2",
        "RE3": "rededge3",
        "N": "nir",
        "N2": "nir08",
        "WV": "nir09",
        "S1": "swir16",
        "S2": "swir22",
        "T": "lwir",
        "T1": "lwir11",
        "T2": "lwir12",
        "VV": "vv",
        "VH": "vh",
        "HV": "hv",
        "HH": "hh",
    }
)
_WAVELENGTH = "lambda"
# short names that are another index's when case is ignored: the rarer one is called so instead
_RENAMED: Mapping[str, str] = MappingProxyType({"BaI": "bareness_index", "mSR705": "msr705_445"})


@dataclass(frozen=True, slots=True)
class SpectralIndex:
    """One index of the catalogue; ``name`` is its quantity kind, ``short_name`` the catalogue's own spelling.

    Every symbol of ``formula`` is in exactly one of ``symbols`` (band symbol -> common name), ``constants`` (-> default
    value), ``wavelengths`` (-> the common name of the band whose centre in nm is meant) and ``inputs`` (a value that
    neither bands nor defaults give: a kernel such as ``kNR``, or ``PAR``).
    """

    name: str
    short_name: str
    title: str
    formula: str
    symbols: Mapping[str, str]
    constants: Mapping[str, float]
    wavelengths: Mapping[str, str]
    inputs: tuple[str, ...]
    domain: str
    reference: str
    range: Range

    @property
    def bands(self) -> tuple[str, ...]:
        """The common names of the bands that the formula names, in the catalogue's order."""
        return tuple(self.symbols.values())


@lru_cache(maxsize=1)
@between_runs
def spectral_indices() -> Mapping[str, SpectralIndex]:
    """Every index of the catalogue by its unique lower-case ``name``."""
    records: dict[str, dict[str, Any]] = _read("spectral-indices-dict.json")["SpectralIndices"]
    constants: dict[str, dict[str, Any]] = _read("constants.json")
    defaults = {name: entry["default"] for name, entry in constants.items()}
    names = index_names(list(records))
    found = {names[short]: _index(names[short], record, defaults) for short, record in records.items()}
    return MappingProxyType(found)


def index_names(short_names: list[str]) -> dict[str, str]:
    """Short name -> unique quantity kind: lower case, unless case is all that tells two indices apart.

    Raises ``KnowFlowError`` for such a pair that nobody has named yet (a newer catalogue).
    """
    names = {short: _RENAMED.get(short, short.lower()) for short in short_names}
    twins = [name for name, count in Counter(names.values()).items() if count > 1]
    if twins:
        raise KnowFlowError(
            "indices of the spyndex catalogue differ in case only",
            expected="names that are unique in lower case",
            found=", ".join(sorted(twins)),
            hint="name the rarer of each pair in knowflow.ground.indices",
        )
    return names


def spectral_index(name: str) -> SpectralIndex:
    """The index of that short name or quantity kind; case matters only where the catalogue needs it (BAI, BaI).

    Raises ``UnknownNameError`` with the closest names.
    """
    indices = spectral_indices()
    found = _by_short_name().get(name) or indices.get(name.lower())
    if found is not None:
        return found
    raise UnknownNameError(
        f"no spectral index is called {name!r}",
        expected=f"one of the {len(indices)} indices of the spyndex catalogue",
        found=repr(name),
        hint=did_you_mean(name, _by_short_name()) or None,
    )


@lru_cache(maxsize=1)
def _by_short_name() -> Mapping[str, SpectralIndex]:
    return {index.short_name: index for index in spectral_indices().values()}


def formula_range(formula: str) -> Range:
    """Bounds that follow from the shape of a formula, when no symbol is negative; ``(None, None)`` otherwise.

    Over a sum of terms that cannot be negative, a signed sum of some of the same terms lies in -1..1, as in
    (a - b) / (a + b); without a minus sign it lies in 0..1, as in a / (a + b).
    """
    node = parse_expression(formula)
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)):
        return None, None
    above, below = _terms(node.left), _terms(node.right)
    if len(below) < 2 or not all(sign > 0 and _never_negative(term) for sign, term in below):
        return None, None
    whole, part = (Counter(ast.dump(term) for _, term in terms) for terms in (below, above))
    if not part <= whole:
        return None, None
    return (-1.0 if any(sign < 0 for sign, _ in above) else 0.0), 1.0


def _terms(node: ast.expr, sign: int = 1) -> list[tuple[int, ast.expr]]:
    """A sum as its signed terms."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        right = -sign if isinstance(node.op, ast.Sub) else sign
        return _terms(node.left, sign) + _terms(node.right, right)
    return [(sign, node)]


def _never_negative(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        closed = isinstance(node.op, ast.Add | ast.Mult | ast.Div | ast.Pow)
        return closed and _never_negative(node.left) and _never_negative(node.right)
    return isinstance(node, ast.Name | ast.Constant)  # a negative number is a UnaryOp


def _index(name: str, record: dict[str, Any], defaults: Mapping[str, float | None]) -> SpectralIndex:
    symbols: dict[str, str] = {}
    constants: dict[str, float] = {}
    wavelengths: dict[str, str] = {}
    inputs: list[str] = []
    for symbol in record["bands"]:
        default = defaults.get(symbol)
        if symbol in BAND_SYMBOLS:
            symbols[symbol] = BAND_SYMBOLS[symbol]
        elif default is not None:
            constants[symbol] = float(default)
        elif symbol.removeprefix(_WAVELENGTH) in BAND_SYMBOLS:
            wavelengths[symbol] = BAND_SYMBOLS[symbol.removeprefix(_WAVELENGTH)]
        else:
            inputs.append(symbol)
    return SpectralIndex(
        name=name,
        short_name=record["short_name"],
        title=record["long_name"],
        formula=record["formula"],
        symbols=MappingProxyType(symbols),
        constants=MappingProxyType(constants),
        wavelengths=MappingProxyType(wavelengths),
        inputs=tuple(inputs),
        domain=record["application_domain"],
        reference=record["reference"],
        range=formula_range(record["formula"]),
    )


def _read(file: str) -> Any:
    spec = importlib.util.find_spec("spyndex")
    if spec is None or spec.origin is None:
        raise KnowFlowError(
            "the catalogue of spectral indices is missing",
            expected="the installed package spyndex",
            found="none",
            hint="install KnowFlow with its dependencies: pip install knowflow",
        )
    return json.loads((Path(spec.origin).parent / "data" / file).read_text(encoding="utf-8"))
