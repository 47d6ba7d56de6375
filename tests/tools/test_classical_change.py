"""Change without models: scenes of known change, statistics that theory gives, and invariance."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from raster_files import opened, read, write
from scipy.stats import chi2, kstest

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.classical.change import change_vector_analysis, ir_mad, pca_change
from knowflow.tools.kernels.multivariate import alteration, celik_features, patch_axes, shrinkage

SHAPE = (200, 240)
NAMES = ("green", "red", "nir", "swir16")


def two_dates(seed: int = 4) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
    """Four correlated bands; at the second date a rectangle (4 %) is other ground, all else has noise."""
    random = np.random.default_rng(seed)
    mixing = np.array([[0.9, 0.4, 0.1, 0.2], [0.3, 1.0, 0.2, 0.5], [-0.4, 0.1, 1.0, 0.1], [0.1, 0.6, 0.4, 0.8]])
    ground = random.normal(size=(*SHAPE, 4)) @ mixing * 0.05 + 0.3
    other = random.normal(size=(*SHAPE, 4)) @ mixing * 0.05 + np.array([0.6, 0.1, 0.15, 0.5])
    changed = np.zeros(SHAPE, dtype=np.bool_)
    changed[50:98, 100:140] = True
    after = np.where(changed[..., None], other, ground) + random.normal(0, 0.01, (*SHAPE, 4))
    before = ground + random.normal(0, 0.01, (*SHAPE, 4))
    first, second = (np.moveaxis(one, -1, 0).astype(np.float32) for one in (before, after))
    return first, second, changed


def files(folder: Path, name: str, values: NDArray[np.float32]) -> dict[str, Artifact]:
    return {band: write(folder / f"{name}_{band}.tif", values[place]) for place, band in enumerate(NAMES)}


def bands_of(path: Path) -> NDArray[Any]:
    with opened(path) as dataset:
        values: NDArray[Any] = dataset.read()
    return values


class TestChangeVectors:
    def test_length_and_sector(self, tmp_path: Path) -> None:
        before, after, _ = two_dates()
        after[1, 0, 0] = np.nan
        change_vector_analysis(
            files(tmp_path, "a", before), files(tmp_path, "b", after), tmp_path / "l.tif", tmp_path / "d.tif"
        )
        length = np.sqrt(((after.astype(np.float64) - before) ** 2).sum(axis=0))
        np.testing.assert_allclose(read(tmp_path / "l.tif"), length, rtol=1e-5)
        signs = (after > before).astype(int)
        sector = signs[0] + 2 * signs[1] + 4 * signs[2] + 8 * signs[3]
        sector[0, 0] = -1
        np.testing.assert_array_equal(read(tmp_path / "d.tif"), sector)

    def test_bands_that_only_one_date_has_take_no_part(self, tmp_path: Path) -> None:
        before, after, _ = two_dates()
        first, second = files(tmp_path, "a", before), files(tmp_path, "b", after)
        del first["swir16"], second["green"]
        change_vector_analysis(first, second, tmp_path / "l.tif", tmp_path / "d.tif")
        length = np.sqrt(((after[1:3] - before[1:3]) ** 2).sum(axis=0))
        np.testing.assert_allclose(read(tmp_path / "l.tif"), length, rtol=1e-4, atol=1e-6)
        with pytest.raises(ToolError, match="no band in common"):
            change_vector_analysis({"red": first["red"]}, {"nir": first["nir"]}, tmp_path / "l.tif", tmp_path / "d.tif")


def run_mad(
    folder: Path, before: Mapping[str, Artifact], after: Mapping[str, Artifact], **more: Any
) -> list[dict[str, Any]]:
    return ir_mad(before, after, folder / "same.tif", folder / "mad.tif", folder / "chi.tif", **more)


class TestIrMad:
    def test_what_has_changed_is_found_and_nothing_else(self, tmp_path: Path) -> None:
        before, after, changed = two_dates()
        rows = run_mad(tmp_path, files(tmp_path, "a", before), files(tmp_path, "b", after))
        found = read(tmp_path / "same.tif") < 1e-4
        assert found[changed].mean() > 0.999
        assert found[~changed].mean() < 0.001
        assert rows[0]["converged"]
        assert all(0.5 < row["correlation"] <= 1 for row in rows)

    def test_without_change_the_statistic_is_chi_square(self, tmp_path: Path) -> None:
        before, after, changed = two_dates()
        run_mad(tmp_path, files(tmp_path, "a", before), files(tmp_path, "b", after))
        sample = read(tmp_path / "chi.tif")[~changed][::7]
        assert kstest(sample, chi2(4).cdf).statistic < 0.03
        np.testing.assert_allclose(
            read(tmp_path / "same.tif"), chi2(4).sf(read(tmp_path / "chi.tif")), rtol=1e-3, atol=1e-6
        )

    def test_linear_differences_between_the_dates_do_not_count(self, tmp_path: Path) -> None:
        before, after, _ = two_dates()
        run_mad(tmp_path, files(tmp_path, "a", before), files(tmp_path, "b", after))
        plain = read(tmp_path / "chi.tif")
        gain, shift = np.array([2.0, 0.5, 1.3, 3.0]), np.array([0.1, -0.2, 0.0, 1.0])
        other = (after * gain[:, None, None] + shift[:, None, None]).astype(np.float32)
        run_mad(tmp_path, files(tmp_path, "a", before), files(tmp_path, "c", other))
        np.testing.assert_allclose(read(tmp_path / "chi.tif"), plain, rtol=2e-3, atol=2e-3)

    def test_variates_are_uncorrelated_and_of_the_variance_that_theory_gives(self) -> None:
        before, after, _ = two_dates()
        pixels = np.concatenate([before, after]).reshape(8, -1).T.astype(np.float64)
        found = alteration(pixels, 4, 1e-4, 1)  # the plain MAD, all pixels alike
        variates = found.variates(pixels)
        np.testing.assert_allclose(variates.mean(axis=0), 0, atol=1e-9)
        covariance = np.cov(variates, rowvar=False, bias=True)
        np.testing.assert_allclose(covariance, np.diag(2 * (1 - found.correlations)), atol=1e-9)
        first = pixels[:, :4] @ found.first
        np.testing.assert_allclose(np.cov(first, rowvar=False, bias=True), np.eye(4), atol=1e-9)
        assert (np.diff(found.correlations) >= 0).all()

    def test_canonical_correlations_are_those_of_the_definition(self) -> None:
        """The squares are the eigenvalues of S11^-1 S12 S22^-1 S21."""
        before, after, _ = two_dates()
        pixels = np.concatenate([before, after]).reshape(8, -1).T.astype(np.float64)
        s = np.cov(pixels, rowvar=False)
        product = np.linalg.solve(s[:4, :4], s[:4, 4:]) @ np.linalg.solve(s[4:, 4:], s[4:, :4])
        truth = np.sqrt(np.sort(np.linalg.eigvals(product).real))
        np.testing.assert_allclose(alteration(pixels, 4, 1e-4, 1).correlations, truth, rtol=1e-8)

    def test_the_iteration_sharpens_what_a_large_change_blurs(self) -> None:
        before, after, changed = two_dates()
        pixels = np.concatenate([before, after]).reshape(8, -1).T.astype(np.float64)
        once, often = (alteration(pixels, 4, 1e-4, most) for most in (1, 50))
        assert often.iterations > 3
        assert (often.correlations > once.correlations).all()
        same = ~changed.ravel()
        assert np.median(often.chi_square(pixels)[same]) == pytest.approx(chi2(4).median(), rel=0.05)
        assert np.median(once.chi_square(pixels)[same]) < 0.8 * chi2(4).median()

    @pytest.mark.parametrize("bands", [1, 2, 3, 6, 10])
    def test_the_correction_of_weighted_variances_is_the_integral(self, bands: int) -> None:
        squares = np.random.default_rng(bands).normal(size=(400_000, bands)) ** 2
        weights = chi2(bands).sf(squares.sum(axis=1))
        truth = (weights @ squares / weights.sum()).mean()
        assert shrinkage(bands) == pytest.approx(truth, rel=0.01)

    def test_a_sample_finds_nearly_the_same(self, tmp_path: Path) -> None:
        before, after, changed = two_dates()
        run_mad(tmp_path, files(tmp_path, "a", before), files(tmp_path, "b", after), sample=4000)
        found = read(tmp_path / "same.tif") < 1e-4
        assert found[changed].mean() > 0.99
        assert found[~changed].mean() < 0.002

    def test_nodata_stays_nodata(self, tmp_path: Path) -> None:
        before, after, _ = two_dates()
        before[2, :7, :9] = np.nan
        run_mad(tmp_path, files(tmp_path, "a", before), files(tmp_path, "b", after))
        for name in ("same", "chi"):
            gone = np.isnan(read(tmp_path / f"{name}.tif"))
            assert gone[:7, :9].all()
            assert gone.sum() == 63
        assert bands_of(tmp_path / "mad.tif").shape == (4, *SHAPE)

    def test_bands_that_depend_on_one_another_are_refused(self, tmp_path: Path) -> None:
        before, after, _ = two_dates()
        before[3] = 2 * before[0]
        with pytest.raises(ToolError, match="depend on one another"):
            run_mad(tmp_path, files(tmp_path, "a", np.full_like(before, 0.5)), files(tmp_path, "b", after))


class TestPrincipalComponents:
    def test_a_known_change_is_found(self, tmp_path: Path) -> None:
        before, after, changed = two_dates()
        share = pca_change(files(tmp_path, "a", before), files(tmp_path, "b", after), tmp_path / "m.tif")
        found = read(tmp_path / "m.tif") == 1
        assert (found == changed).mean() > 0.99
        assert share == pytest.approx(found.mean())
        assert share == pytest.approx(changed.mean(), abs=0.01)

    def test_the_map_does_not_depend_on_the_blocks(self, tmp_path: Path) -> None:
        before, after, _ = two_dates()
        tiled = {"tiled": True, "blockxsize": 64, "blockysize": 64}
        wide = [np.tile(one, (1, 3, 10)) for one in (before, after)]
        a = {name: write(tmp_path / f"a{name}.tif", wide[0][n], **tiled) for n, name in enumerate(NAMES)}
        b = {name: write(tmp_path / f"b{name}.tif", wide[1][n], **tiled) for n, name in enumerate(NAMES)}
        pca_change(a, b, tmp_path / "m.tif", sample=5000)
        found = read(tmp_path / "m.tif")
        inner = found.reshape(3, SHAPE[0], 10, SHAPE[1]).swapaxes(1, 2).reshape(30, *SHAPE)[:, 3:-3, 3:-3]
        assert (inner == inner[0]).all()

    def test_the_map_does_not_depend_on_where_the_scene_begins(self, tmp_path: Path) -> None:
        before = two_dates()[0]
        after = before + np.random.default_rng(5).normal(0, 0.01, before.shape).astype(np.float32)
        rows, columns = 3, 4
        wide = [np.pad(one, ((0, 0), (rows, 0), (columns, 0)), constant_values=np.nan) for one in (before, after)]
        pca_change(files(tmp_path, "a", before), files(tmp_path, "b", after), tmp_path / "m.tif")
        pca_change(files(tmp_path, "c", wide[0]), files(tmp_path, "d", wide[1]), tmp_path / "n.tif")
        assert np.array_equal(read(tmp_path / "n.tif")[rows:, columns:], read(tmp_path / "m.tif"))

    def test_axes_are_those_of_a_singular_value_decomposition(self) -> None:
        patches = np.random.default_rng(3).normal(size=(500, 25)) * np.linspace(1, 3, 25)
        mean, axes = patch_axes(patches, 3)
        truth = np.linalg.svd(patches - patches.mean(axis=0))[2][:3]
        np.testing.assert_allclose(np.abs(np.sum(axes * truth, axis=1)), 1, atol=1e-9)
        np.testing.assert_allclose(mean, patches.mean(axis=0))

    def test_features_are_projections_of_neighbourhoods(self) -> None:
        image = np.random.default_rng(3).random((12, 13))
        axes = patch_axes(np.random.default_rng(5).random((100, 9)), 2)
        found = celik_features(image, axes)
        for row, column in ((1, 1), (5, 7), (10, 11)):
            around = image[row - 1 : row + 2, column - 1 : column + 2].ravel()
            np.testing.assert_allclose(found[:, row, column], axes[1] @ (around - axes[0]), rtol=1e-4, atol=1e-6)

    def test_dates_that_are_the_same_have_no_change_to_be_split(self, tmp_path: Path) -> None:
        before, _, _ = two_dates()
        a = files(tmp_path, "a", before)
        with pytest.raises(ToolError, match="differ alike"):
            pca_change(a, a, tmp_path / "m.tif")

    def test_an_even_patch_has_no_middle(self, tmp_path: Path) -> None:
        before, after, _ = two_dates()
        with pytest.raises(ToolError, match="middle"):
            pca_change(files(tmp_path, "a", before), files(tmp_path, "b", after), tmp_path / "m.tif", patch=4)
