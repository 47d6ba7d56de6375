"""Many bands at two dates: canonical variates, and the principal components of neighbourhoods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Alteration:
    """A fitted multivariate alteration detection: what turns pixels (n, 2 bands) into MAD variates (n, bands).

    ``variances`` are those of the variates where nothing changes; the variate of the least correlation, of the greatest
    change, comes first.
    """

    first: Floats
    second: Floats
    offset: Floats
    correlations: Floats
    variances: Floats
    iterations: int
    converged: bool

    def variates(self, pixels: NDArray[np.floating]) -> Floats:
        bands = len(self.first)
        return np.asarray(pixels[:, :bands] @ self.first - pixels[:, bands:] @ self.second - self.offset)

    def chi_square(self, pixels: NDArray[np.floating]) -> Floats:
        """The sum of the squared standardised variates: without change, chi-square with as many degrees of freedom."""
        return np.asarray((np.square(self.variates(pixels)) / self.variances).sum(axis=1))

    def no_change(self, pixels: NDArray[np.floating]) -> Floats:
        """The probability of a chi-square as large as this, were there no change."""
        from scipy.special import chdtrc

        return np.asarray(chdtrc(len(self.first), self.chi_square(pixels)))


def alteration(
    pixels: Floats, bands: int, tolerance: float, most_iterations: int, between: Callable[[], None] = lambda: None
) -> Alteration:
    """Iteratively reweighted MAD of pixels (n, 2 bands), the first date's bands first.

    Nielsen (2007), The regularized iteratively reweighted MAD method, doi:10.1109/TIP.2006.888195. ``most_iterations``
    of 1 is the plain MAD of Nielsen et al. (1998). ``between`` is called between iterations.

    One thing is not as published: a pixel that has not changed counts the less the more noise it happens to have, so
    that weighted variances are too small, and with them a tenth and more of what is the same looks changed. They are
    divided by what they come to be where nothing changes (:func:`shrinkage`), so that chi-square is what it says.

    Raises ``ToolError`` where the bands of a date depend on one another.
    """
    weights = np.ones(len(pixels))
    found = _fitted(pixels, bands, weights, 1, False)
    for number in range(2, most_iterations + 1):
        between()
        weights = found.no_change(pixels)
        again = _fitted(pixels, bands, weights, number, False)
        moved = float(np.abs(again.correlations - found.correlations).max())
        found = again
        if moved < tolerance:
            return _fitted(pixels, bands, weights, number, True)
    return found


def shrinkage(bands: int) -> float:
    """What weights do to the variance of variates without change: ``E[w x^2] / E[w]`` for a standardised one.

    The weight is the probability of a larger chi-square (p degrees of freedom) than the pixel's own, X. ``E[w] = 1/2``,
    and with ``x f_p(x) = p f_{p+2}(x)``, ``E[w X] / p`` is the probability that a chi-square of p exceeds one of p + 2:
    the regularised incomplete beta function at one half.
    """
    from scipy.special import betainc

    return float(2.0 * betainc((bands + 2) / 2, bands / 2, 0.5))


def _fitted(pixels: Floats, bands: int, weights: Floats, iterations: int, converged: bool) -> Alteration:
    """Canonical correlation analysis with a weight for each pixel, as generalised eigenvalue problems."""
    from scipy.linalg import LinAlgError, cholesky, solve_triangular, svd

    total = weights.sum()
    if not total > bands:
        raise ToolError(
            "no pixels are left that have not changed",
            expected="a part of the scene that is the same at both dates",
            found=f"a weight of {total:.3g} pixels",
        )
    mean = weights @ pixels / total
    centred = pixels - mean
    covariance = (centred * weights[:, None]).T @ centred / total
    one, two, both = covariance[:bands, :bands], covariance[bands:, bands:], covariance[:bands, bands:]
    try:
        root_one, root_two = cholesky(one, lower=True), cholesky(two, lower=True)
    except LinAlgError as error:
        raise ToolError(
            "the bands of a date depend on one another",
            expected="bands none of which is a sum of others, or the same everywhere",
            found=str(error),
            hint="leave out a band",
        ) from error
    whitened = solve_triangular(root_one, solve_triangular(root_two, both.T, lower=True).T, lower=True)
    left, rho, right = svd(whitened)
    order = np.argsort(rho, kind="stable")
    rho = np.clip(rho[order], 0.0, 1.0)
    first = solve_triangular(root_one.T, left[:, order], lower=False)
    second = solve_triangular(root_two.T, right.T[:, order], lower=False)
    # the sum of the correlations of a variate with the bands of the first date is positive, so that signs are fixed
    signs = np.where((one @ first / np.sqrt(np.diag(one))[:, None]).sum(axis=0) < 0, -1.0, 1.0)
    first, second = first * signs, second * signs
    offset = mean[:bands] @ first - mean[bands:] @ second
    variances = np.maximum(2.0 * (1.0 - rho), 1e-12) / (1.0 if iterations == 1 else shrinkage(bands))
    return Alteration(first, second, offset, rho, variances, iterations, converged)


def patch_axes(patches: NDArray[np.floating], components: int) -> tuple[Floats, Floats]:
    """The mean of patches (n, pixels) and their leading principal axes (components, pixels).

    Celik (2009), Unsupervised change detection using PCA and k-means, doi:10.1109/LGRS.2009.2025059.
    """
    from scipy.linalg import eigh

    values = patches.astype(np.float64)
    mean = values.mean(axis=0)
    centred = values - mean
    _, vectors = eigh(centred.T @ centred)
    axes = vectors.T[::-1][:components]
    # towards larger values: the sign of an eigenvector is arbitrary
    signs = np.where(axes.sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    return mean, axes * signs


def celik_features(image: NDArray[np.floating], axes: tuple[Floats, Floats]) -> NDArray[np.float32]:
    """The neighbourhood of every pixel along principal axes, (components, rows, columns).

    A neighbourhood that is partly beyond the edge, or without data, has its pixel's own value there; NaN where the
    pixel itself has none.
    """
    mean, directions = axes
    side = round(np.sqrt(len(mean)))
    half = side // 2
    padded = np.pad(image, half, constant_values=np.nan)
    result = np.zeros((len(directions), *image.shape))
    for place in range(side * side):
        row, column = divmod(place, side)
        shifted = padded[row : row + image.shape[0], column : column + image.shape[1]]
        value = np.where(np.isnan(shifted), image, shifted) - mean[place]
        result += directions[:, place, None, None] * value
    return result.astype(np.float32)
