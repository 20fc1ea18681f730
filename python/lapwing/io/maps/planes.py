"""Maps of two dimensions out of variables of more: one time and one level, or indices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import user_error
from lapwing.io.maps.choice import require_variable
from lapwing.io.maps.dataset import require_room, row_blocks, values_of
from lapwing.io.maps.meaning.expression import Term
from lapwing.io.maps.order.roles import direction_of_name
from lapwing.io.maps.request import MapSource

if TYPE_CHECKING:
    import xarray

Values = Mapping[Term, NDArray[Any]]


@dataclass(frozen=True)
class Planes:
    """Variables over the same two dimensions, or one of them, read together by blocks of rows."""

    dims: tuple[str, str]  # in the order of the file
    shape: tuple[int, int]
    variables: Mapping[Term, xarray.Variable]

    def blocks(self) -> Iterator[tuple[slice, Values]]:
        """Read all values, a block of rows at a time: [rows, columns], or one of them 1. Local."""
        for rows in row_blocks(self.shape, self._chunk_rows()):
            yield rows, {term: self._block(one, rows) for term, one in self.variables.items()}

    def cell(self, row: int, column: int) -> str:
        """Name a cell for messages: [lat, lon] = [3, 7]. Local."""
        return f"[{', '.join(self.dims)}] = [{row}, {column}]"

    def _block(self, variable: xarray.Variable, rows: slice) -> NDArray[Any]:
        along = {self.dims[0]: rows} if self.dims[0] in variable.dims else {}
        values: NDArray[Any] = values_of(variable.isel(along))
        if values.ndim == 2:
            return values if variable.dims == self.dims else values.T
        return values.reshape(-1, 1) if variable.dims == (self.dims[0],) else values.reshape(1, -1)

    def _chunk_rows(self) -> int:
        """The rows in a chunk of the file, at most all of them."""
        most = 1
        for variable in self.variables.values():
            chunks: Sequence[int] = variable.encoding.get("chunksizes") or ()
            if len(chunks) == variable.ndim and variable.dims[:1] == (self.dims[0],):
                most = max(most, int(chunks[0]))
        return max(1, min(most, self.shape[0]))


def planes(source: MapSource, terms: Sequence[Term], what: str) -> Planes:
    """Find the variables of terms, over the same two dimensions; `what` names the terms. Local.

    Reads no values. UserError for a name that the file lacks, values that are no numbers, other
    dimensions, indices outside, and a size that no memory holds.
    """
    found = {term: _plane(source, term, what) for term in terms}
    maps = {term: one for term, one in found.items() if one.ndim == 2}
    if not maps:
        term, one = next(iter(found.items()))
        raise _no_map(source, term, one)
    first, variable = next(iter(maps.items()))
    dims = (str(variable.dims[0]), str(variable.dims[1]))
    for term, one in found.items():
        if not set(one.dims) <= set(dims):
            raise user_error(
                source.subject,
                f"{term} over ({_listed(one)}) and {first} over ({_listed(variable)})",
                f"variables over the same dimensions in {what}",
                "use variables of the same cells",
            )
    shape = (variable.shape[0], variable.shape[1])
    require_room(source.path, source.about(str(first)), shape, 1)
    return Planes(dims, shape, found)


def _listed(variable: xarray.Variable) -> str:
    return ", ".join(f"{dim} {n}" for dim, n in variable.sizes.items())


def _plane(source: MapSource, term: Term, what: str) -> xarray.Variable:
    require_variable(source, term.name, what)
    variable = source.data[term.name].variable
    if variable.dtype.kind not in "biuf":
        kind = f"values of the type {variable.dtype}"
        raise user_error(source.about(term.name), kind, "numbers", "save the map as numbers")
    count = len(term.indices)
    if count != variable.ndim - 2:  # else there is an index for every dimension of one entry too
        variable = _without_single(variable, 2 + count)
    if count > max(0, variable.ndim - 2) or variable.ndim - count not in (1, 2):
        raise _no_map(source, term, variable)
    chunks = variable.encoding.get("chunksizes")
    for index in term.indices:
        variable = _one(source, term, variable, index)
    if chunks is not None:
        variable.encoding["chunksizes"] = tuple(chunks)[len(chunks) - variable.ndim :]
    return variable


def _without_single(variable: xarray.Variable, most: int) -> xarray.Variable:
    """Take dimensions of one entry away until `most` are left; x and y go last."""
    single = [dim for dim in variable.dims if variable.sizes[dim] == 1]
    single.sort(key=lambda dim: bool(direction_of_name(str(dim))))
    surplus = single[: max(0, variable.ndim - most)]
    kept = [n for n, dim in enumerate(variable.dims) if dim not in surplus]
    chunks = variable.encoding.get("chunksizes")
    flat = variable.isel(dict.fromkeys(surplus, 0))
    if chunks is not None and len(chunks) == variable.ndim:
        flat.encoding["chunksizes"] = tuple(chunks[n] for n in kept)
    return flat


def _one(source: MapSource, term: Term, variable: xarray.Variable, index: int) -> xarray.Variable:
    dim, n = variable.dims[0], variable.shape[0]
    if not -n <= index < n:
        expected = f"0 to {n - 1} along {dim}"
        raise user_error(source.about(str(term)), f"the index {index}", expected, "change it")
    return variable.isel({dim: index})


def _no_map(source: MapSource, term: Term, variable: xarray.Variable) -> Exception:
    option = source.request.option("wet", f"{term.name}[0] > 0")
    return user_error(
        source.about(str(term)),
        f"{term} of shape {tuple(variable.shape)} over ({', '.join(map(str, variable.dims))})",
        "2 dimensions (besides those of length 1)",
        f"name one level or time: {option}" if variable.ndim > 2 else "name a map",
    )


def first_cell(found: NDArray[np.bool_], rows: slice) -> tuple[int, int]:
    """The row and column of the first cell in a block that begins at `rows`. Local."""
    row, column = (int(n) for n in np.argwhere(found)[0])
    return rows.start + row, column
