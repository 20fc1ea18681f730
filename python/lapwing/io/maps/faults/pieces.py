"""Files that hold a piece of a grid, written by one rank of a model. Such files are refused."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from lapwing.base.error import user_error

if TYPE_CHECKING:
    import xarray

Whole = dict[str, int]  # cells of the whole grid, by dimension of the file


def require_whole(dataset: xarray.Dataset, subject: str) -> None:
    """Refuse the file of one rank of NEMO, MITgcm (mnc), FMS (MOM6, SIS2) or CROCO.

    Local. Each says in attributes of its own how large the whole grid is, or how many files there
    are. UserError names the tool that joins them.
    """
    for tool, find in _JOINERS.items():
        if found := find(dataset):
            raise user_error(subject, found, "the file of the whole grid", f"join them by {tool}")


def _smaller(dataset: xarray.Dataset, whole: Whole) -> str:
    """Says which dimension has fewer cells than the whole grid, or nothing."""
    for name, n in whole.items():
        if dataset.sizes.get(name, n) < n:
            return f"a piece: {dataset.sizes[name]} of {n} cells along {name}"
    return ""


def _nemo(dataset: xarray.Dataset) -> str:
    total = _numbers(dataset.attrs, "DOMAIN_number_total")
    if not total or total[0] < 2:
        return ""
    sizes = _numbers(dataset.attrs, "DOMAIN_size_global")
    return _smaller(dataset, dict(zip("xy", sizes, strict=False)))


def _mnc(dataset: xarray.Dataset) -> str:
    if "MITgcm_mnc_ver" not in dataset.attrs:
        return ""
    sizes = {axis: _numbers(dataset.attrs, f"N{axis.lower()}") for axis in "XY"}
    return _smaller(dataset, {axis: numbers[0] for axis, numbers in sizes.items() if numbers})


def _fms(dataset: xarray.Dataset) -> str:
    whole: Whole = {}
    for name in dataset.dims:
        numbers = _numbers(_attributes(dataset, name), "domain_decomposition")
        if len(numbers) == 4:  # first and last cell of all, first and last cell of this file
            whole[str(name)] = numbers[1] - numbers[0] + 1
    return _smaller(dataset, whole)


def _croco(dataset: xarray.Dataset) -> str:
    numbers = _numbers(dataset.attrs, "partition")  # number of this file, of all, first cells
    if len(numbers) == 4 and numbers[1] > 1:
        return f"a piece: file {numbers[0] + 1} of {numbers[1]}"
    return ""


def _attributes(dataset: xarray.Dataset, name: Hashable) -> dict[Any, Any]:
    return dataset[name].attrs if name in dataset.variables else {}


def _numbers(attributes: dict[Any, Any], name: str) -> list[int]:
    """The whole numbers of an attribute; none if it is missing, or holds something else."""
    values = np.atleast_1d(np.asarray(attributes.get(name, [])))
    return [int(n) for n in values] if values.dtype.kind in "iu" else []


_JOINERS: dict[str, Callable[[xarray.Dataset], str]] = {
    "rebuild_nemo": _nemo,
    "gluemncbig": _mnc,
    "mppnccombine": _fms,
    "ncjoin": _croco,
}
