"""A model without physics for tests of the driver: every cell counts steps its own way.

Registered through an entry point in a folder that only the tests put on PYTHONPATH. Its table
[trouble] makes things go wrong on purpose.
"""

import os
import resource
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import netCDF4
import numpy as np
from lapwing.base.number_check import require_cells
from lapwing.core.domain import Domain, Exchange, Field
from lapwing.core.partition import Box, Grid
from lapwing.model import Axis, Duration, Geometry, StateError, Variable


@dataclass(frozen=True)
class GridSettings:
    nx: int = 12
    ny: int = 10
    halo: int = 1  # cells
    land: bool = True  # a dry block in a corner
    all_dry: bool = False


@dataclass(frozen=True)
class Trouble:
    nan_step: int = 0  # a NaN appears at this step
    raise_step: int = 0  # an exception at this step ...
    raise_rank: int = 0  # ... on this rank
    die_step: int = 0  # the last rank vanishes without a word
    slow: float = 0.0  # s per step


@dataclass(frozen=True)
class Settings:
    grid: GridSettings = field(default_factory=GridSettings)
    trouble: Trouble = field(default_factory=Trouble)
    step: Duration = 60.0
    pace: float = 0.25
    extra: Path = Path()  # a file that the model does not open


def fail_to_close(self: Any) -> None:
    raise RuntimeError("NetCDF: HDF error")


if "TINY_FULL_AT_CLOSE" in os.environ:
    # stands in for a disk that fills up with the last bytes
    vars(netCDF4)["Dataset"] = type("Dataset", (netCDF4.Dataset,), {"close": fail_to_close})


class Limited(netCDF4.Dataset):
    """Files of this process may have only a limited size once one is begun, as on a full disk."""

    def __init__(self, path: Any, mode: Any, **more: Any) -> None:
        super().__init__(path, mode, **more)
        if mode == "w":
            limit = int(os.environ["TINY_FILE_LIMIT"])
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))


if "TINY_FILE_LIMIT" in os.environ:
    vars(netCDF4)["Dataset"] = Limited


def no_pictures(plan: Any, run: Any, pictures: Any, gathered: Any) -> None:
    for name in (*(picture.name for picture in pictures), "partition"):
        (plan.out / f"{name}.png").touch()


if "TINY_NO_PICTURES" in os.environ and "lapwing.run.run" in sys.modules:
    # to load matplotlib and to draw takes as long as all the rest of a short run
    vars(sys.modules["lapwing.run.run"])["draw_pictures"] = no_pictures


class TinyRun:
    def __init__(self, domain: Domain, settings: Settings, transport: str = "auto") -> None:
        self.domain, self.settings, self.dt = domain, settings, settings.step
        self.step_number = 0
        halo = settings.grid.halo
        self.level = domain.field("level", halo=halo)
        self.flow = domain.field("flow", halo=halo, location="xface")
        self.bottom = domain.field("bottom", levels=2, location="corner", dtype=np.float32)
        self.bottom.fill(7.0)
        self.exchange = Exchange([self.level, self.flow], transport=transport)
        times: Any = SimpleNamespace(halo_start=0.1, halo_wait=0.2, compute=[0.3], calls=[30])
        volume = SimpleNamespace(exchanges=1.0, messages=2.0, bytes=1234.0)
        report = SimpleNamespace(
            threads=1, times=times, volume=volume, stage_names=["count"], strategy="blocking"
        )
        self.step: Any = SimpleNamespace(report=report, reset_times=lambda: None)

    @property
    def variables(self) -> dict[str, Variable]:
        return {
            "level": Variable(self.level, "m", "level of the tiny sea"),
            "flow": Variable(self.flow, "m s-1", "flow through x faces"),
            "bottom": Variable(self.bottom, "m", "depth of the tiny sea", fixed=True),
        }

    @property
    def state(self) -> dict[str, Field]:
        return {"level": self.level, "flow": self.flow}

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            self.one_step()
            self.step_number += 1
        self.swap()

    def swap(self) -> None:
        self.exchange.run()

    def one_step(self) -> None:
        trouble, now = self.settings.trouble, self.step_number + 1
        # through the environment, as the settings are part of what a restart file belongs to
        if os.environ.get("TINY_KILL") == str(now):
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(trouble.slow + float(os.environ.get("TINY_PAUSE", "0")))
        if trouble.raise_step == now and trouble.raise_rank == self.domain.rank:
            raise KeyError("a bug in the tiny model")
        if trouble.die_step == now and self.domain.rank == self.domain.ranks - 1:
            os._exit(9)
        # the order of the two halves alternates, as in a real model
        halves = [self.raise_level, self.turn_flow]
        for half in halves if self.step_number % 2 == 0 else halves[::-1]:
            half()
        cell = Box((3, 4, 0), (4, 5, 1))
        if trouble.nan_step == now and self.domain.box.contains(cell):
            self.level[cell][...] = np.nan

    def raise_level(self) -> None:
        box = self.domain.box
        i = np.arange(box.lo[0], box.hi[0])[:, None]
        j = np.arange(box.lo[1], box.hi[1])[None, :]
        self.level[box] = self.level[box] + np.sin(0.1 + self.flow[box] + i * 0.3 - j * 0.7)

    def turn_flow(self) -> None:
        box = self.domain.box
        self.flow[box] = np.cos(self.flow[box] * 1.1 + self.settings.pace * self.level[box])

    def resume(self, step_number: int) -> None:
        self.step_number = step_number

    def check_state(self) -> None:
        mine = ""
        box = self.domain.box
        if len(bad := np.argwhere(~np.isfinite(self.level[box]))):
            index = tuple(int(n) + lo for n, lo in zip(bad[0], box.lo, strict=False))
            mine = (
                f"level is NaN at {index} after step {self.step_number} on rank {self.domain.rank}"
            )
        texts = [text for text in self.domain.mpi.allgather(mine) if text]
        if texts:
            raise StateError(texts[0])


class TinyModel:
    name = "tiny"
    title = "counts steps"
    settings = Settings

    @property
    def cases(self) -> dict[str, Path]:
        return {path.stem: path for path in Path(__file__).parent.glob("tiny*.toml")}

    def geometry(self, settings: Settings, folder: Path) -> Geometry:
        nx, ny = settings.grid.nx, settings.grid.ny
        require_cells("grid", (nx, ny))
        wet = np.full((nx, ny), not settings.grid.all_dry)
        if settings.grid.land:
            wet[: nx // 3, : ny // 3] = False
        x = Axis(
            1000.0 * np.arange(float(nx)),
            "m",
            "distance to the west wall",
            "projection_x_coordinate",
        )
        y = Axis(
            1000.0 * np.arange(float(ny)),
            "m",
            "distance to the south wall",
            "projection_y_coordinate",
        )
        return Geometry(Grid((nx, ny)), wet, x, y)

    def create(
        self,
        domain: Domain,
        settings: Settings,
        geometry: Geometry,
        *,
        strategy: str,
        transport: str,
    ) -> TinyRun:
        return TinyRun(domain, settings, transport)


def fault_at(owner: Any, name: str, kind: str, after: int) -> None:
    """Hit this rank by a fault when it calls a function for the n-th time."""
    before, calls = getattr(owner, name), iter(range(1, 10**9))

    def hit(*positional: Any, **named: Any) -> Any:
        mark = Path(os.environ["TINY_FAULT_MARK"])
        if next(calls) == after and not mark.exists():
            mark.write_text(str(os.getpid()))
            if kind == "SIGXFSZ":
                die_in_the_next_file()
            else:
                os.kill(os.getpid(), getattr(signal, kind))
        return before(*positional, **named)

    setattr(owner, name, hit)


def die_in_the_next_file() -> None:
    """Let the system kill this process when it writes beyond the first bytes of a file."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


def moments() -> dict[str, tuple[Any, str]]:
    """The function that each moment of a run is a call of."""
    from lapwing.io import restart
    from lapwing.io.record_file import RecordFile
    from lapwing.io.store.record_store import RecordStore
    from lapwing.io.store.restart_store import RestartStore

    return {
        "compute": (TinyRun, "one_step"),
        "exchange": (TinyRun, "swap"),
        "reduction": (TinyRun, "check_state"),
        "output": (RecordFile, "_put"),
        "store": (RecordStore, "__init__"),
        "record": (RecordStore, "append"),
        "state": (RestartStore, "write"),
        "restart": (vars(restart)["_HashingFile"], "write"),
    }


if "TINY_FAULT" in os.environ:  # MOMENT:SIGNAL:CALL:RANK
    at, which, call, rank = os.environ["TINY_FAULT"].split(":")
    if os.environ.get("PMI_RANK", os.environ.get("OMPI_COMM_WORLD_RANK", "0")) == rank:
        fault_at(*moments()[at], which, int(call))


def slow_disk(seconds: float) -> None:
    """Records take long, as with many variables."""
    from lapwing.io.record_file import RecordFile

    put = RecordFile._put

    def slowly(self: RecordFile, record: Any) -> None:
        for _ in range(8):
            time.sleep(seconds / 8)
            self.between()
        put(self, record)

    RecordFile._put = slowly  # type: ignore[method-assign]


if "TINY_SLOW_DISK" in os.environ:
    slow_disk(float(os.environ["TINY_SLOW_DISK"]))

model = TinyModel()
