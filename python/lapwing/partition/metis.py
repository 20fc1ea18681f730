"""METIS k-way, to compare with: parts of any shape, which no loop over a box can compute."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import outside_error
from lapwing.core.partition import CostModel

VERSION = "2025.2.2"
INSTALL = f"{sys.executable} -m pip install pymetis=={VERSION}"


def installed() -> bool:
    """Whether the package pymetis is there. Local."""
    return importlib.util.find_spec("pymetis") is not None and hasattr(_pymetis(), "CSRAdjacency")


def kway_owners(wet: NDArray[np.bool_], parts: int, model: CostModel) -> NDArray[np.int64]:
    """The part [nx, ny] of every wet cell, -1 where it is dry, as METIS k-way cuts them.

    Local. Cells are vertices, common faces of wet cells are edges; shares follow the model's
    speeds. Takes seconds for a million cells. OutsideError where pymetis is missing.
    """
    pymetis = _pymetis()
    rows = wet.T  # vertices in the order of memory, x fastest
    graph = pymetis.CSRAdjacency(*_graph(rows))
    shares = list(np.asarray(model.speeds) / np.sum(model.speeds)) if model.speeds else None
    _, found = pymetis.part_graph(parts, graph, tpwgts=shares, recursive=False)
    owners = np.full(rows.shape, -1, dtype=np.int64)
    owners[rows] = found
    return owners.T


def _graph(wet: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the neighbours of each wet cell [y, x] begin, and all of them behind one another."""
    vertices = np.cumsum(wet).reshape(wet.shape) - 1
    along_x, along_y = wet[:, :-1] & wet[:, 1:], wet[:-1, :] & wet[1:, :]
    low = np.concatenate([vertices[:, :-1][along_x], vertices[:-1, :][along_y]])
    high = np.concatenate([vertices[:, 1:][along_x], vertices[1:, :][along_y]])
    source, target = np.concatenate([low, high]), np.concatenate([high, low])
    degrees = np.bincount(source, minlength=int(wet.sum()))
    neighbors = target[np.argsort(source, kind="stable")]
    return np.concatenate([[0], np.cumsum(degrees)]), neighbors


def _pymetis() -> ModuleType:
    try:
        return importlib.import_module("pymetis")
    except ImportError as problem:
        raise outside_error(
            "package pymetis", str(problem), f"version {VERSION}, for --method metis", INSTALL
        ) from None
