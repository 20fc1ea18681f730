"""The tide at the open sides of a grid, from amplitudes and phases to boundary cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from lapwing.base.error import user_error
from lapwing.core.partition import Box
from lapwing.model import Geometry
from numpy.typing import NDArray

from lapwing_coast._kernels import Boundary, Constituent
from lapwing_coast.forcing.tide_file import TideRecord
from lapwing_coast.place.geometry import CoastGeometry
from lapwing_coast.place.metrics import Metrics
from lapwing_coast.settings import PhysicsSettings, SideSettings, TideSettings


@dataclass(frozen=True)
class Side:
    """A side of the grid as numbers."""

    normal: int  # axis across the side
    high: bool  # at the upper end of that axis
    right_is_low: bool  # the right-hand coast, seen from the side inwards, is at the low end


SIDES = {
    "north": Side(1, True, True),
    "south": Side(1, False, False),
    "west": Side(0, False, True),
    "east": Side(0, True, False),
}


def make_boundaries(
    tide: TideSettings,
    physics: PhysicsSettings,
    depth: NDArray[np.float64],
    metrics: Metrics,
    record: TideRecord | None = None,
) -> list[Boundary]:
    """Make the open boundaries of a grid with depths [nx, ny] in m; `record`: of tide.file.

    Local. UserError for a segment outside the grid or without a wet cell.
    """
    boundaries = []
    for name, side in SIDES.items():
        settings: SideSettings = getattr(tide, name)
        if settings.open:
            box = segment(name, settings, depth.shape)
            place = np.s_[box.lo[0] : box.hi[0], box.lo[1] : box.hi[1]]
            cells = depth[place].ravel()
            _require_wet(name, cells)
            if record is not None:
                boundaries.append(Boundary(cells=box, constituents=_from_file(record, box, depth)))
                continue
            lengths = metrics.spacing[1 - side.normal][place].ravel()  # m
            coriolis = metrics.coriolis[place].ravel()  # 1/s
            shape = _profile(side, settings, physics.gravity, cells, lengths, coriolis)
            tides = _constituents(tide.period, settings, shape)
            boundaries.append(Boundary(cells=box, constituents=tides))
    return boundaries


def tide_record(tide: TideSettings, geometry: Geometry) -> TideRecord | None:
    """Return the content of tide.file, None without one. Local.

    UserError if the case has a file and `geometry_of` of lapwing.model.case has not made the
    geometry.
    """
    if tide.file == Path():
        return None
    if not isinstance(geometry, CoastGeometry) or geometry.tide is None:
        raise user_error(
            "tide.file",
            f"{tide.file}, that was not read",
            "a geometry with the content of the file",
            "make the geometry by lapwing.model.case.geometry_of",
        )
    return geometry.tide


def _from_file(record: TideRecord, box: Box, depth: NDArray[np.float64]) -> list[Constituent]:
    """The constituents of a file in the cells of a side, 0 on land, x fastest."""
    columns = np.arange(box.lo[0], box.hi[0])
    rows = np.arange(box.lo[1], box.hi[1])
    i, j = np.tile(columns, len(rows)), np.repeat(rows, len(columns))
    wet = depth[i, j] > 0.0
    found = []
    for n, period in enumerate(record.periods):
        value = np.zeros(i.size, dtype=np.complex128)
        value[wet] = record.values(n, i[wet], j[wet])
        found.append(_constituent(period, value))
    return found


def drying_notes(
    tide: TideSettings,
    physics: PhysicsSettings,
    depth: NDArray[np.float64],
    boundaries: list[Boundary],
) -> list[str]:
    """Return a line for each open side whose tide may fall to where drying holds it. Local.

    `depth`: [nx, ny], m; `boundaries`: as `make_boundaries` made them of the same settings.
    """
    if not physics.drying:
        return []
    notes, names = [], [name for name in SIDES if getattr(tide, name).open]
    for name, boundary in zip(names, boundaries, strict=True):
        lo, hi = boundary.cells.lo, boundary.cells.hi
        there = depth[lo[0] : hi[0], lo[1] : hi[1]].ravel(order="F")  # m
        parts = [np.hypot(one.in_phase, one.quadrature) for one in boundary.constituents]  # m
        lowest = there - np.sum(parts, axis=0)  # m of water, when all constituents ebb together
        held = np.count_nonzero((there > 0) & (lowest < physics.least_depth))
        if held:
            notes.append(
                f"the tide may fall below the bottom in {held} of {np.count_nonzero(there)} cells "
                f"of tide.{name}; its level keeps {physics.least_depth:g} m of water there "
                "(physics.least_depth)"
            )
    return notes


def segment(name: str, settings: SideSettings, size: tuple[int, ...]) -> Box:
    """Return the cells of an open segment of the side `name` of a grid of `size`. Local."""
    side = SIDES[name]
    length = size[1 - side.normal]
    end = settings.end or length
    if not 0 <= settings.first < end <= length:
        raise user_error(
            f"tide.{name}.first and end",
            f"{settings.first} and {settings.end}",
            f"a range of the {length} cells of that side",
            "change them",
        )
    lo, hi = [0, 0, 0], [0, 0, 1]
    lo[side.normal] = size[side.normal] - 1 if side.high else 0
    hi[side.normal] = lo[side.normal] + 1
    lo[1 - side.normal], hi[1 - side.normal] = settings.first, end
    return Box((lo[0], lo[1], lo[2]), (hi[0], hi[1], hi[2]))


def _require_wet(name: str, depth: NDArray[np.float64]) -> None:
    if not (depth > 0).any():
        raise user_error(
            f"tide.{name}",
            "an open segment on land",
            "at least one wet cell in it",
            f"close it (open = false) or move first and end, among {depth.size} cells",
        )


def _profile(
    side: Side,
    settings: SideSettings,
    gravity: float,
    depth: NDArray[np.float64],
    lengths: NDArray[np.float64],
    coriolis: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the factor on the amplitudes of each cell: 1, or the factor of a Kelvin wave.

    The wave leans on the coast to its right where the Coriolis parameter is positive.
    """
    wet = np.flatnonzero(depth > 0)
    low = side.right_is_low == bool(coriolis[wet[0]] > 0.0)
    coast = wet[0 if low else -1]
    if settings.profile == "given" or coriolis[coast] == 0.0:
        return np.ones(depth.size)
    radius = math.sqrt(gravity * float(depth[coast])) / abs(float(coriolis[coast]))  # m
    if (lengths == lengths[0]).all():
        distance = (np.arange(depth.size) + 0.5) * float(lengths[0])  # m
    else:
        distance = np.cumsum(lengths) - 0.5 * lengths  # m
    return np.asarray(np.exp(-(distance if low else distance[::-1]) / radius))


def _constituents(
    periods: list[float], settings: SideSettings, shape: NDArray[np.float64]
) -> list[Constituent]:
    found = []
    for period, amplitude, phase in zip(periods, settings.amplitude, settings.phase, strict=True):
        points = np.asarray(amplitude) * np.exp(1j * np.radians(phase))  # m
        # Real and imaginary parts: a phase that passes 360 degrees interpolates like any other.
        place = np.linspace(0.0, len(points) - 1.0, shape.size)
        value = shape * np.interp(place, np.arange(len(points)), points)
        found.append(_constituent(period, value))
    return found


def _constituent(period: float, value: NDArray[np.complex128]) -> Constituent:
    return Constituent(
        angular_speed=2.0 * math.pi / period,
        in_phase=value.real.tolist(),
        quadrature=value.imag.tolist(),
    )
