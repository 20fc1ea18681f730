"""Reads what a file says about the north fold of its grid, and says what to set.

Sources: NEMO 3.6 to 4.0 `domain.F90` (variable `jperio`) and 4.2 (attributes `NFold`, `NFtype`);
FMS `make_hgrid` and MOM (attribute `y_boundary_type`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import xarray

_OF_JPERIO = {3: "T", 4: "T", 5: "F", 6: "F"}


def fold_notes(data: xarray.Dataset) -> tuple[str, ...]:
    """The line that a run prints where a file says that its grid is folded, or none. Local."""
    fold, why = _described(data)
    if not fold:
        return ()
    twice = " without the columns and rows that the file holds twice" if why[0] == "j" else ""
    return (f'tripolar grid ({why}): in a model set north_fold="{fold}" and periodic x{twice}',)


def _described(data: xarray.Dataset) -> tuple[str, str]:
    """The kind of fold, or nothing, and where the file says so."""
    kind = str(data.attrs.get("NFtype", "")).strip().upper()
    if kind in ("T", "F") and int(np.ravel(data.attrs.get("NFold", 1))[0]) != 0:
        return kind, f"NFtype is {kind}"
    if "jperio" in data.variables and data["jperio"].size == 1:
        number = int(np.ravel(data["jperio"].values)[0])
        if number in _OF_JPERIO:
            return _OF_JPERIO[number], f"jperio is {number}"
    if str(data.attrs.get("y_boundary_type", "")).strip() == "fold_north_edge":
        return "F", "y_boundary_type is fold_north_edge"
    return "", ""
