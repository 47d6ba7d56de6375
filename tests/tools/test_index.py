"""Spectral indices, against the spyndex package itself."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from raster_files import artifact, opened, read, write

from knowflow.ground.errors import MissingFactError, ToolError, UnknownNameError
from knowflow.ground.indices import spectral_index as catalogue_entry
from knowflow.ground.indices import spectral_indices
from knowflow.model.artifact import Artifact
from knowflow.tools.formula import compile_formula
from knowflow.tools.index import spectral_index

COMPARED = (
    *("NDVI", "EVI", "EVI2", "SAVI", "OSAVI", "MSAVI", "GNDVI", "ARVI", "VARI", "NDREI", "IRECI", "MCARI", "TCARI"),
    *("NDWI", "MNDWI", "AWEInsh", "AWEIsh", "WI2015", "NDMI", "NBR", "NBR2", "BAI", "NDSI", "NDBI", "UI", "BaI"),
    *("BIXS", "TDVI", "AVI", "TriVI", "NIRvP", "NBRT1", "DpRVIVV"),
)


@pytest.fixture(scope="module")
def bands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Artifact]:
    """Every band with random reflectances, some of them missing."""
    folder, rng = tmp_path_factory.mktemp("bands"), np.random.default_rng(7)
    names = sorted({name for index in spectral_indices().values() for name in index.bands})
    found = {}
    for name in names:
        values = rng.uniform(0.02, 0.6, (40, 30)).astype(np.float32)
        if name.startswith("lwir"):
            values = rng.uniform(280, 310, (40, 30)).astype(np.float32)
        if name == "red":
            values[:3] = np.nan
        found[name] = write(folder / f"{name}.tif", values, facts={"sensor": "sentinel-2"})
    return found


def by_spyndex(name: str, bands: dict[str, Artifact], numbers: dict[str, float]) -> NDArray[Any]:
    """What the catalogue's own package makes of the same bands."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import spyndex

        entry = catalogue_entry(name)
        arrays = {symbol: read(Path(str(bands[band].path))).astype(float) for symbol, band in entry.symbols.items()}
        computed: NDArray[Any] = np.asarray(
            spyndex.computeIndex(entry.short_name, params={**entry.constants, **arrays, **numbers})
        )
    return computed


@pytest.mark.parametrize("name", COMPARED)
def test_an_index_is_what_spyndex_computes(name: str, bands: dict[str, Artifact], tmp_path: Path) -> None:
    entry = catalogue_entry(name)
    numbers = dict.fromkeys(entry.inputs, 2.5)
    output = tmp_path / "index.tif"
    spectral_index(name, bands, output, numbers or None)
    expected = by_spyndex(name, bands, numbers)
    expected = np.where(np.isfinite(expected), expected, np.nan)
    assert np.isfinite(expected).any()
    np.testing.assert_allclose(read(output), expected, rtol=2e-4, atol=1e-5)
    with opened(output) as written:
        assert written.tags()["QUANTITY"] == entry.name
        assert written.tags()["SENSOR"] == "sentinel-2"


@pytest.mark.parametrize("name", sorted(spectral_indices()))
def test_every_formula_of_the_catalogue_compiles_and_has_the_value_that_python_gives_it(name: str) -> None:
    entry = spectral_indices()[name]
    symbols = {node.id for node in ast.walk(ast.parse(entry.formula)) if isinstance(node, ast.Name)}
    assert symbols == {*entry.symbols, *entry.constants, *entry.wavelengths, *entry.inputs}
    values = {symbol: 0.1 + 0.07 * number for number, symbol in enumerate(sorted(symbols))}
    expected = _python_value(ast.parse(entry.formula, mode="eval").body, values)
    with np.errstate(invalid="ignore"):
        found = compile_formula(entry.formula)({symbol: np.float64(value) for symbol, value in values.items()})
    if isinstance(expected, complex):
        assert np.isnan(found)
    else:
        assert found == pytest.approx(expected, rel=1e-9)


def test_a_formula_fills_the_array_it_is_given_and_leaves_the_values_alone() -> None:
    values: dict[str, Any] = {
        "N": np.array([0.5, 0.4], dtype=np.float32),
        "R": np.array([0.1, 0.2], dtype=np.float32),
        "L": 0.5,
    }
    kept = {symbol: np.copy(value) for symbol, value in values.items()}
    formula = compile_formula("(1.0 + L) * (N - R) / (N + R + L) + (R - N)**2 * (N * N)")
    out = np.empty(2, dtype=np.float32)
    assert formula(values, out=out) is out
    np.testing.assert_allclose(out, np.asarray(formula(values)), rtol=1e-6)
    for symbol, value in values.items():
        np.testing.assert_array_equal(value, kept[symbol])


@pytest.mark.parametrize("text", ["(N - R) / (N + R)", "(N - R) / (N + R - (N * (R + B)))", "N / (2.5 * L * R + B)"])
def test_what_a_formula_fills_is_to_the_last_bit_what_it_returns_by_itself(text: str) -> None:
    random = np.random.default_rng(1)
    values: dict[str, Any] = {name: random.random((3, 50)).astype(np.float32) for name in "NRB"} | {"L": 0.3}
    expected, out = np.asarray(compile_formula(text)(values)), np.empty((3, 50), dtype=np.float32)
    assert np.asarray(compile_formula(text)(values, out=out)).tobytes() == expected.astype(np.float32).tobytes()


def _python_value(node: ast.expr, values: dict[str, float]) -> Any:
    match node:
        case ast.Name(id=name):
            return values[name]
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(operand=operand):
            return -_python_value(operand, values)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _python_value(left, values), _python_value(right, values)
            match op:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.Div():
                    return a / b
                case ast.Pow():
                    return a**b
    raise AssertionError(ast.dump(node))


@pytest.mark.parametrize(
    "text", ["__import__('os')", "N.real", "N if R else B", "N[0]", "N @ R", "'N'", "True + N", "N -"]
)
def test_a_formula_that_is_more_than_arithmetic_is_refused(text: str) -> None:
    with pytest.raises(ToolError, match="not a formula"):
        compile_formula(text)


def test_stored_integers_are_scaled_before_the_formula(tmp_path: Path) -> None:
    profile = {"scale": 1e-4, "offset": -0.1, "nodata": 0}
    red = write(tmp_path / "red.tif", np.array([[2000, 0, 1500]], dtype=np.uint16), **profile)
    nir = write(tmp_path / "nir.tif", np.array([[5000, 5000, 0]], dtype=np.uint16), **profile)
    blue = write(tmp_path / "blue.tif", np.array([[1500, 1500, 1500]], dtype=np.uint16), **profile)
    spectral_index("EVI", {"red": red, "nir": nir, "blue": blue}, tmp_path / "evi.tif")
    expected = 2.5 * (0.4 - 0.1) / (0.4 + 6 * 0.1 - 7.5 * 0.05 + 1)
    np.testing.assert_allclose(read(tmp_path / "evi.tif"), [[expected, np.nan, np.nan]], rtol=1e-5)


def test_values_that_the_formula_cannot_have_are_missing(tmp_path: Path) -> None:
    red = write(tmp_path / "red.tif", np.array([[-0.02, 0.0, 0.1, 0.0]], dtype=np.float32))
    nir = write(tmp_path / "nir.tif", np.array([[0.05, 0.0, 0.3, 0.2]], dtype=np.float32))
    spectral_index("NDVI", {"red": red, "nir": nir}, tmp_path / "ndvi.tif")
    np.testing.assert_allclose(read(tmp_path / "ndvi.tif"), [[np.nan, np.nan, 0.5, 1.0]], rtol=1e-6)


def test_constants_replace_the_defaults(bands: dict[str, Artifact], tmp_path: Path) -> None:
    spectral_index("SAVI", bands, tmp_path / "a.tif", {"L": 0.0})
    spectral_index("NDVI", bands, tmp_path / "b.tif")
    np.testing.assert_allclose(read(tmp_path / "a.tif"), read(tmp_path / "b.tif"), rtol=1e-5)


def test_a_wavelength_comes_from_the_raster_or_its_sensor(bands: dict[str, Artifact], tmp_path: Path) -> None:
    name = next(index.short_name for index in spectral_indices().values() if index.wavelengths)
    spectral_index(name, bands, tmp_path / "a.tif")
    unknown = {band: artifact(Path(str(raster.path))) for band, raster in bands.items()}
    with pytest.raises(MissingFactError, match="wavelength"):
        spectral_index(name, unknown, tmp_path / "b.tif")


def test_what_is_lacking_is_named(bands: dict[str, Artifact], tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="NDVJ"):
        spectral_index("NDVJ", bands, tmp_path / "a.tif")
    with pytest.raises(ToolError, match="needs the band nir") as caught:
        spectral_index("NDVI", {"red": bands["red"], "nir08": bands["nir08"]}, tmp_path / "a.tif")
    assert "nir08 may stand in" in str(caught.value)
    with pytest.raises(ToolError, match="constants do not fit"):
        spectral_index("NDVI", bands, tmp_path / "a.tif", {"Q": 1.0})
    with pytest.raises(ToolError, match="kNDVI is not made of bands"):
        spectral_index("kNDVI", bands, tmp_path / "a.tif", {"kNN": 1.0, "kNR": 0.5})
    with pytest.raises(ToolError, match="constants do not fit"):
        spectral_index("NIRvP", bands, tmp_path / "a.tif")


def test_ndvi_of_real_bands_is_the_published_one(slovenia: Path, tmp_path: Path) -> None:
    published = {path.stem.removeprefix("NDVI_"): path for path in (slovenia / "ndvi").glob("*.tif")}
    dates = {path.name.split("_")[1] for path in (slovenia / "sentinel2_l1c").glob("S2_*_B04.tif")}
    both = sorted(dates & set(published))
    assert both
    for date in both:
        folder = slovenia / "sentinel2_l1c"
        bands = {
            name: artifact(folder / f"S2_{date}_{band}.tif", scale=1e-4)
            for name, band in {"red": "B04", "nir": "B08"}.items()
        }
        spectral_index("NDVI", bands, tmp_path / "ndvi.tif")
        ours, theirs = read(tmp_path / "ndvi.tif"), read(published[date])
        known = np.isfinite(ours)
        assert known.mean() > 0.99
        np.testing.assert_allclose(ours[known], theirs[known], atol=1e-5)
