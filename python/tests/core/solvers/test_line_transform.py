"""Transforms and tridiagonal systems of lines against dense matrices of the same differences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.core.solvers.helmholtz import Tridiagonal
from lapwing.core.solvers.line_transform import Ends, LineTransform, slow_length

ENDS: tuple[Ends, ...] = ("periodic", "dirichlet", "neumann")
LENGTHS = [1, 2, 3, 8, 15, 22]


def second_difference(points: int, ends: Ends, spacing: float) -> np.ndarray:
    """Minus the second difference as a matrix [points, points]."""
    matrix = np.zeros((points, points))
    for i, side in itertools.product(range(points), (-1, 1)):
        matrix[i, i] += 1.0
        beyond = not 0 <= i + side < points
        if not beyond:
            matrix[i, i + side] -= 1.0
        elif ends == "periodic":
            matrix[i, (i + side) % points] -= 1.0
        elif ends == "neumann":
            matrix[i, i] -= 1.0
    return matrix / spacing**2


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("points", LENGTHS)
def test_coefficients_times_eigenvalues_are_the_second_difference(points: int, ends: Ends) -> None:
    lines = np.random.default_rng(points).standard_normal((70, points))
    expected = lines @ second_difference(points, ends, 0.5)
    transform = LineTransform(points, ends)
    transform.forward(lines)
    lines *= transform.eigenvalues(0.5)
    transform.backward(lines)
    np.testing.assert_allclose(lines, expected, rtol=0, atol=1e-12 * max(1, points))


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("points", [7, 97, 202])
def test_a_line_has_the_same_bits_beside_any_others(points: int, ends: Ends) -> None:
    transform = LineTransform(points, ends)
    values = np.random.default_rng(1).standard_normal((131, points))
    whole = values.copy()
    transform.forward(whole)
    for first, last in ((0, 1), (5, 8), (60, 131), (130, 131)):
        part = values[first:last].copy()
        transform.forward(part)
        np.testing.assert_array_equal(part, whole[first:last])


def test_a_tridiagonal_system_is_that_of_a_dense_matrix() -> None:
    points, lines, beside = 9, 5, -0.7
    random = np.random.default_rng(3)
    diagonal = 1.5 + random.random((points, lines))
    right = random.standard_normal((points, lines))
    found = right.copy()
    Tridiagonal(diagonal, beside).solve(found)
    for line in range(lines):
        matrix = np.diag(diagonal[:, line]) + beside * (np.eye(points, k=1) + np.eye(points, k=-1))
        np.testing.assert_allclose(matrix @ found[:, line], right[:, line], rtol=0, atol=1e-13)


def test_lengths_with_a_large_prime_are_told() -> None:
    assert "101" in slow_length(202, "periodic")
    assert "208 points" in slow_length(202, "periodic")
    assert slow_length(200, "periodic") == ""
    assert slow_length(200, "dirichlet").startswith("lines of 200 points with dirichlet ends: 201")


def test_bad_lines() -> None:
    with pytest.raises(UserError, match=r"points of a line: got 0"):
        LineTransform(0, "periodic")
    with pytest.raises(UserError, match=r"ends of a line: got open; expected periodic"):
        LineTransform(8, "open")  # type: ignore[arg-type]
