"""Values that fields take from users' arrays: whole numbers exactly, nothing that a mask hides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import lapwing
import numpy as np
import pytest
from lapwing import UserError

SHAPE = (6, 4)
Give = Callable[[lapwing.Field, Any], None]


def scatter(field: lapwing.Field, values: Any) -> None:
    field.scatter(np.array(np.broadcast_to(values, SHAPE)))


def assign(field: lapwing.Field, values: Any) -> None:
    field[field.core.owned(0)] = values


def by_function(field: lapwing.Field, values: Any) -> None:
    field.set(lambda i, j: np.broadcast_to(values, SHAPE))


def fill(field: lapwing.Field, values: Any) -> None:
    field.fill(np.asarray(values).flat[0])


@pytest.fixture(scope="module")
def domain() -> Iterator[lapwing.Domain]:
    with lapwing.Domain(SHAPE) as domain:
        yield domain


WAYS: list[Give] = [scatter, assign, by_function, fill]
BEYOND = 2**53 + 1


@pytest.mark.parametrize("give", WAYS)
@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.int64(BEYOND), "float64"),
        (np.int64(-BEYOND), "float64"),
        (np.uint64(2**64 - 1), "float64"),
    ],
)
def test_whole_numbers_are_not_rounded(
    domain: lapwing.Domain, give: Give, values: Any, kind: str
) -> None:
    field = domain.field("a", dtype=kind, halo=0)
    with pytest.raises(UserError) as caught:
        give(field, values)
    assert f"got {values}" in str(caught.value)
    assert f"expected values that {kind} holds exactly" in str(caught.value)
    assert not field.owned.any()


@pytest.mark.parametrize("give", WAYS[1:])
@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.int64(2**24 + 1), "float32"),
        (np.int64(2**31), "int32"),
        (np.uint32(2**31), "int32"),
        (np.uint64(2**63), "int64"),
        (0.5, "int32"),
        (np.nan, "int64"),
        (-np.inf, "int32"),
        (2.0**31, "int32"),
        (2.0**63, "int64"),
    ],
)
def test_assignment_changes_no_whole_number(
    domain: lapwing.Domain, give: Give, values: Any, kind: str
) -> None:
    field = domain.field("a", dtype=kind, halo=0)
    with pytest.raises(UserError, match=f"got .*; expected values that {kind} holds exactly"):
        give(field, values)
    assert not field.owned.any()


@pytest.mark.parametrize("give", WAYS)
@pytest.mark.parametrize(
    "values", [np.int64(-(2**63)), np.int64(2**62 + 2**20), np.int64(2**53), np.uint64(2**63), True]
)
def test_whole_numbers_that_fit_are_taken(domain: lapwing.Domain, give: Give, values: Any) -> None:
    field = domain.field("a", halo=0)
    give(field, values)
    assert all(int(one) == int(values) for one in field.owned.flat)


@pytest.mark.parametrize("give", WAYS[1:])
@pytest.mark.parametrize(
    ("values", "kind"), [(-(2.0**31), "int32"), (3.0, "int64"), (np.int64(2**40), "float32")]
)
def test_other_types_are_taken_where_they_lose_nothing(
    domain: lapwing.Domain, give: Give, values: Any, kind: str
) -> None:
    field = domain.field("a", dtype=kind, halo=0)
    give(field, values)
    assert all(int(one) == int(values) for one in field.owned.flat)


def test_fractions_are_rounded_to_a_shorter_type(domain: lapwing.Domain) -> None:
    field = domain.field("a", dtype="float32", halo=0)
    assign(field, 0.1)
    assert (field.owned == np.float32(0.1)).all()


@pytest.mark.parametrize("give", WAYS[1:])
@pytest.mark.parametrize(("value", "fits"), [(1e300, False), (-3.5e38, False), (3.4e38, True)])
def test_finite_numbers_do_not_become_infinite(
    domain: lapwing.Domain, give: Give, value: float, fits: bool
) -> None:
    field = domain.field("a", dtype="float32", halo=0)
    values = np.array(np.broadcast_to(value, SHAPE))
    if fits:
        give(field, values)
        assert np.isfinite(field.owned).all()
        return
    values[0, 1] = np.inf  # stays what it is
    with pytest.raises(UserError, match=r"expected values up to 3.4028235e\+38, .* float32 holds"):
        give(field, values)
    assert not field.owned.any()


def test_infinities_are_taken_as_they_are(domain: lapwing.Domain) -> None:
    field = domain.field("a", dtype="float32", halo=0)
    values = np.zeros(SHAPE)
    values[1, 1], values[2, 2] = np.inf, np.nan
    assign(field, values)
    assert field.owned[1, 1] == np.inf
    assert np.isnan(field.owned[2, 2])
    values[3, 1] = 1e39
    with pytest.raises(UserError, match=r"got 1e\+39 at \[3, 1\]"):
        assign(field, values)


@pytest.mark.parametrize("give", WAYS[:2])
def test_the_first_wrong_number_is_named(domain: lapwing.Domain, give: Give) -> None:
    values = np.zeros(SHAPE, np.int64)
    values[3, 2] = values[5, 1] = BEYOND
    with pytest.raises(UserError, match=rf"got {BEYOND} at \[3, 2\]"):
        give(domain.field("a", halo=0), values)


@pytest.mark.parametrize("kind", ["float64", "int32"])
@pytest.mark.parametrize("give", [assign, lambda field, values: field.scatter(values)])
def test_what_a_mask_hides_is_no_value(domain: lapwing.Domain, give: Give, kind: str) -> None:
    hidden = np.zeros(SHAPE, bool)
    hidden[1] = True
    values: Any = np.ma.array(np.full(SHAPE, -127), mask=hidden, dtype="int32")
    field = domain.field("a", dtype=kind, halo=0)
    with pytest.raises(UserError, match=r"a masked array that hides 4 of 24 .* array.filled\(valu"):
        give(field, values)
    assert not field.owned.any()
    give(field, values.filled(3))
    give(field, np.ma.array(field.owned * 2))  # one that hides nothing
    assert sorted(set(field.owned.flat)) == [-254, 6]


def test_wrapped_arrays_hide_nothing(domain: lapwing.Domain) -> None:
    plain = np.ma.array(np.zeros((8, 6)))
    field = domain.wrap("a", plain)
    assert np.shares_memory(field.array(), plain.data)
    with pytest.raises(UserError, match="array of field a: got a masked array that hides 1 of 48"):
        domain.wrap("a", np.ma.masked_equal(np.eye(8, 6, 1)[::1] + np.arange(48).reshape(8, 6), 7))


@pytest.mark.parametrize(
    "values", [1j, "5", None, np.ma.masked, np.datetime64("2020-01-01"), 10**30, [[1.0], []]]
)
@pytest.mark.parametrize("give", [assign, lambda field, values: field.fill(values)])
def test_what_is_no_number_is_refused(domain: lapwing.Domain, give: Give, values: Any) -> None:
    field = domain.field("a", halo=0)
    with pytest.raises(UserError, match=r"values? of field a: got"):
        give(field, values)
    assert not field.owned.any()
