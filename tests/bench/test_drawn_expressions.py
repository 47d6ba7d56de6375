"""The language of scene expressions is closed, and means what numpy means."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.ground.errors import DocumentError
from knowflow.testing.expressions import check_expression, evaluate_truth

X, Y = np.meshgrid((np.arange(4) + 0.5) / 4, (np.arange(3) + 0.5) / 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.2 + 0.5 * x - y / 2", 0.2 + 0.5 * X - Y / 2),
        ("where(x < 0.5, 1, -1)", np.where(X < 0.5, 1, -1)),
        ("where((x < 0.5) & (y > 0.5) | ~(x < 0.9), 1, 0)", ((X < 0.5) & (Y > 0.5)) | (X >= 0.9)),
        ("where(x < 0.5 and not y > 0.5, 1, 0)", (X < 0.5) & (Y <= 0.5)),
        ("where(0.2 < x < 0.7, 1, 0)", (X > 0.2) & (X < 0.7)),
        ("sin(pi * x) + cos(y) + exp(-x) + sqrt(y)", np.sin(np.pi * X) + np.cos(Y) + np.exp(-X) + np.sqrt(Y)),
        ("clip(x, 0.3, 0.6) + minimum(x, y) - maximum(x, y) + abs(-y)", np.clip(X, 0.3, 0.6) - np.abs(X - Y) + Y),
        ("x ** 2 + floor(y * 10) % 3", X**2 + np.floor(Y * 10) % 3),
        ("t + i", np.full(X.shape, 2.5 + 3)),
    ],
)
def test_an_expression_means_what_numpy_means(text: str, expected: np.ndarray) -> None:
    np.testing.assert_allclose(evaluate_truth(text, X, Y, 2.5, 3).astype(float), expected)


def test_a_comparison_is_true_or_false() -> None:
    assert evaluate_truth("x > 0.5", X, Y).dtype == bool


def test_a_constant_fills_the_shape() -> None:
    assert evaluate_truth("7", X, Y).shape == X.shape


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "x.real",
        "open('f')",
        "x[0]",
        "lambda: 1",
        "[x]",
        "z + 1",
        "where(x, 1)",
        "sin(x, out=y)",
        "x if y else t",
        "'text'",
        "True",
        "x +",
        "",
        "x := 1",
        "(" * 300 + "x" + ")" * 300,
    ],
)
def test_anything_outside_the_language_is_refused(text: str) -> None:
    with pytest.raises(DocumentError) as error:
        check_expression(text)
    assert error.value.expected


def test_a_comparison_without_parentheses_beside_and_is_refused_with_a_hint() -> None:
    with pytest.raises(DocumentError, match="parentheses"):
        check_expression("x < 0.5 & y > 0.5")


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), st.floats(0, 1), st.floats(0, 1))
def test_lines_are_exact_everywhere(a: float, b: float, x: float, y: float) -> None:
    assert evaluate_truth(f"{a!r} * x + {b!r} * y", x, y) == pytest.approx(a * x + b * y, abs=1e-9)
