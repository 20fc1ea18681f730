"""Basins with tracers on one rank, which several tests share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from lapwing.core import mpi_runtime
from lapwing.core.domain import Domain, Field
from lapwing_coast import _kernels
from numpy.typing import NDArray

Array = NDArray[np.float64]

SIZE = (23, 17, 6)
SPLITS = ("half_steps", "whole_steps", "horizontal_together")
TVD = ("upstream", "superbee", "muscl", "p2_pdm")  # make no new extreme
_PROGRAMS = Path(__file__).parent / "programs"


def gyres(size: tuple[int, int, int], strength: float = 60e3) -> tuple[Array, Array]:
    """Flow through x and y faces, m2/s: gyres that weaken with depth, and an overturning in x."""
    nx, ny, levels = size
    i, j, k = np.meshgrid(*(np.arange(float(n)) for n in size), indexing="ij")

    def stream(i: Array, j: Array) -> Array:
        return np.asarray(np.sin(np.pi * (i + 1) / nx) * np.sin(2 * np.pi * (j + 1) / ny))

    amplitude = strength / 2000.0 * (1 + np.cos(np.pi * k / levels)) / 2
    over = np.where(2 * k < levels, 1.0, -1.0) * np.sin(2 * np.pi * (i + 1) / nx)
    x = (stream(i, j - 1) - stream(i, j)) * amplitude + over
    y = (stream(i, j) - stream(i - 1, j)) * amplitude
    x[-1], y[:, -1] = 0.0, 0.0
    return x, y


class Basin:
    """Tracers on one rank, with their owned cells at hand; `sets` go into the settings."""

    def __init__(
        self, size: tuple[int, int, int], periodic: bool, depth: Array, **sets: Any
    ) -> None:
        self.domain = Domain(size[:2], periodic=(periodic, False))
        settings = _kernels.TracerSettings(levels=size[2], **sets)
        self.advection = _kernels.TracerAdvection(
            self.domain, settings, np.asfortranarray(depth), "blocking", "auto"
        )
        names = ("tracer", "flow_x", "flow_y", "flow_z", "thickness", "thickness_after")
        self.fields = {n: Field(self.domain, getattr(self.advection, n)) for n in names}
        self.tracers = [Field(self.domain, field) for field in self.advection.tracers]

    def put(self, name: str, values: Array | float) -> None:
        """Set the owned cells of a field."""
        self.fields[name][self.domain.box] = values

    def get(self, name: str) -> Array:
        """The owned cells of a field, a copy."""
        return np.array(self.fields[name][self.domain.box])

    def flow(self, strength: float = 60e3) -> None:
        """Let the gyres flow; the faces of land close by themselves."""
        for name, values in zip(("flow_x", "flow_y"), gyres(SIZE, strength), strict=True):
            self.put(name, values)
        self.advection.set_flow()


MakeBasin = Callable[..., Basin]


def basins_of_a_test() -> Iterator[MakeBasin]:
    """Makes basins, and removes them after the test."""
    basins: list[Basin] = []

    def make(
        levels_fastest: bool = False,
        scheme: str = "p2_pdm",
        depth: Array | None = None,
        *,
        size: tuple[int, int, int] = SIZE,
        periodic: bool = False,
        **sets: Any,
    ) -> Basin:
        bottom = np.full(size[:2], 60.0) if depth is None else depth
        sets |= {"levels_fastest": levels_fastest, "scheme": scheme}
        basins.append(Basin(size, periodic, bottom, **sets))
        return basins[-1]

    yield make
    for basin in basins:
        basin.domain.close()


def run_program(program: str, ranks: int, *arguments: object) -> None:
    """Run a program of this folder under MPI."""
    job = subprocess.run(
        [
            *mpi_runtime.launcher_command(ranks),
            sys.executable,
            str(_PROGRAMS / program),
            *map(str, arguments),
        ],
        env=mpi_runtime.launcher_environment(),
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert job.returncode == 0, job.stdout + job.stderr
