"""Masks in the forms that NetCDF readers give them: what is hidden or unknown is dry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray
from lapwing import UserError
from lapwing.core.fields import wet_cells as module
from lapwing.core.fields.wet_cells import wet_cells

SEA = np.array([[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0]], dtype=bool)
HIDDEN = np.where(SEA, 1, -127)


@pytest.mark.parametrize(
    "mask",
    [
        SEA.tolist(),
        SEA.astype("u1"),
        SEA.astype(">i4"),
        SEA.astype("f2"),
        np.asfortranarray(SEA, dtype="f4")[::-1][::-1],
        np.where(SEA, 1.0, np.nan),
        np.ma.array(HIDDEN, mask=~SEA),
        np.ma.array(np.ones(SEA.shape, dtype=bool), mask=~SEA),
        np.ma.array(np.where(SEA, 1.0, 9.96921e36), mask=~SEA),
        np.ma.array(SEA),
        xarray.DataArray(np.where(SEA, 1.0, np.nan), dims=("x", "y")),
    ],
)
@pytest.mark.parametrize("slab", [1, 5, 2**20])
def test_what_is_hidden_or_unknown_is_dry(
    mask: Any, slab: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SLAB", slab)
    wet = wet_cells("mask", mask)
    assert type(wet) is np.ndarray
    assert wet.dtype == np.bool_
    assert np.array_equal(wet, SEA)


def test_true_and_false_are_not_copied() -> None:
    for plain in (SEA, SEA.T, np.ma.array(SEA)):
        assert np.shares_memory(wet_cells("mask", plain), plain)
    assert wet_cells("mask", np.asfortranarray(SEA, dtype="i4")).flags.f_contiguous
    assert wet_cells("mask", np.empty((0, 3))).shape == (0, 3)
    assert wet_cells("mask", 1).all()


@pytest.mark.parametrize(
    ("value", "kind"),
    [(0.97, "f8"), (30.0, "f4"), (-127, "i1"), (2, "u1"), (np.inf, "f8"), (9.96921e36, "f4")],
)
@pytest.mark.parametrize("slab", [1, 2**20])
def test_numbers_that_are_no_answer_are_refused(
    value: float, kind: str, slab: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SLAB", slab)
    mask = SEA.astype(kind)
    mask[1, 2] = value
    shown = mask[1, 2]
    for given in (mask, np.asfortranarray(mask), np.ma.array(mask, mask=np.eye(3, 4, dtype=bool))):
        with pytest.raises(UserError) as caught:
            wet_cells("mask", given)
        assert str(caught.value).startswith(f"mask: got {shown} in cell [1, 2]; expected true or 1")
        assert str(caught.value).endswith("pass a comparison, for example depth > 0")


@pytest.mark.parametrize("mask", [[["sea"]], [[1], [1, 0]], [[None]], np.ones((2, 2), complex)])
def test_what_is_no_number_is_refused(mask: Any) -> None:
    with pytest.raises(UserError, match="expected true and false, or 0 and 1; pass a comparison"):
        wet_cells("mask", mask)
