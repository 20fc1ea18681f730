"""A request to run a case, and the setup of the run that rank 0 makes of it for all ranks."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from lapwing.base.agreement import made_at_root
from lapwing.base.atomic_file import check_folder
from lapwing.base.error import user_error
from lapwing.base.progress import Style
from lapwing.core import _core
from lapwing.core.names import check_strategy, check_transport
from lapwing.core.partition import (
    CostModel,
    KSection,
    Mask,
    Partition,
    balanced_partition,
    best_blocks,
    block_partition,
    read_costs,
)
from lapwing.io.points import Point, find_points
from lapwing.io.records.restarts import check_restart, newest_restart
from lapwing.io.restart import Fingerprint, fingerprint
from lapwing.io.result_files import restart_name
from lapwing.model.case import Case, geometry_of, load_case, with_options
from lapwing.model.model import Geometry
from lapwing.model.registry import installed_models
from lapwing.run.balance.moments import check_rebalance
from lapwing.run.servers.crew import check_kept_files, check_servers
from lapwing.run.tuned import Advice, advice_for, run_of, tuned_path

if TYPE_CHECKING:
    from mpi4py.MPI import Comm


# keys of a case that a tuned file answers; one set on the command line is a choice of the user's
_ANSWERED = ("run.strategy", "run.transport", "run.partition", "run.blocks")


@dataclass(frozen=True)
class Request:
    """The options of `lapwing run`, or of another command that runs a case."""

    case: str  # shipped name or path
    ranks: int | None = None  # None: as many as mpiexec started, or as many as blocks, or 1
    blocks: tuple[int, ...] | None = None  # along x, y (and z)
    strategy: str | None = None
    transport: str | None = None
    threads: int | None = None  # threads of each rank
    sets: tuple[str, ...] = ()
    out: Path | None = None  # None: out/CASE
    restart: Path | None = None
    resume: bool = False  # from the newest restart file in the folder `out`
    io_ranks: int = 0
    leaves_results: bool = True  # False: there will be no folder
    progress: Style = "auto"
    debug: bool = False
    tuned: bool = False  # True to follow a tuned file of the case
    check: bool = False  # True to check stages for undeclared reads and writes; many times slower

    def choice(self) -> str:
        """The part of a tuned file's answer that the command line gives; "" for nothing. Local."""
        if self.strategy not in (None, "auto"):
            return "--strategy"
        if self.transport is not None:
            return "--transport"
        if self.blocks is not None:
            return "--blocks"
        keys = [one.partition("=")[0].strip() for one in self.sets]
        known = {name for full in _ANSWERED for name in (full, full.removeprefix("run."))}
        return next((f"--set {key}" for key in keys if key in known), "")


@dataclass(frozen=True)
class Setup:
    """A request that was found right: the case and how its grid is cut. The same on every rank."""

    case: Case
    geometry: Geometry
    partition: Partition
    blocks: tuple[int, int, int] | None  # None: not cut into blocks
    out: Path
    belongs: Fingerprint
    costs: Mapping[str, Any] = field(default_factory=dict)  # costs of a k-section
    points: tuple[Point, ...] = ()  # whose columns are written
    restart: Path | None = None  # the file to go on from
    notes: tuple[str, ...] = ()  # on what was found wrong and passed over
    tuned: str = ""  # readable account of the use of a tuned file of the case

    @property
    def cut(self) -> str:
        """Describe how the grid is cut."""
        if self.blocks is None:
            return "k-section"
        shown = self.blocks if self.geometry.grid.size[2] > 1 else self.blocks[:2]
        return f"{' x '.join(map(str, shown))} blocks"


def parse_blocks(text: str) -> tuple[int, ...]:
    """Blocks along x, y (and z) from a text. Local; UserError unless like "4x2" or "1x2x2"."""
    if not re.fullmatch(r"[1-9]\d*(x[1-9]\d*){1,2}", text):
        expected = 'blocks along x, y and, where there is one to cut, z, like "4x2" or "1x2x2"'
        raise user_error("--blocks", repr(text), expected, "change it")
    return tuple(int(part) for part in text.split("x"))


def require_block_per_rank(name: str, blocks: Sequence[int], ranks: int) -> None:
    """Raise UserError unless there are as many blocks as ranks of the model. Local."""
    if blocks and math.prod(blocks) != ranks:
        raise user_error(
            name,
            f"{'x'.join(map(str, blocks))} = {math.prod(blocks)} blocks",
            f"{ranks}, one per rank of the model",
            f"change {name} or --ranks",
        )


def ranks_of(request: Request, started: int | None) -> int:
    """The number of ranks to use; `started` is how many a launcher has started, if one has.

    Output servers are among them. Local. UserError when --ranks, --blocks, --io-ranks and the
    launcher disagree.
    """
    servers = max(0, request.io_ranks)
    product = math.prod(request.blocks) + servers if request.blocks else None
    ranks = request.ranks or started or product or 1 + servers
    if started is not None and ranks != started:
        raise user_error(
            "--ranks",
            str(ranks),
            f"{started}, the ranks that mpiexec has started",
            "leave --ranks out under mpiexec, or leave mpiexec out",
        )
    check_servers(request.io_ranks, ranks)
    require_block_per_rank("--blocks", request.blocks or (), ranks - servers)
    return ranks


def make_setup(request: Request, ranks: int, nodes: int = 1) -> Setup:
    """Load the case and cut its grid for `ranks` ranks, servers included; writes nothing.

    Local. `nodes`: on which the ranks run. UserError for everything that cannot run, except for
    what only the model on its ranks can find (a grid smaller than a halo, a time step beyond its
    limit).
    """
    case, geometry = _case_and_place(request)
    out = request.out if request.out is not None else Path("out") / case.name
    if request.leaves_results:
        check_folder(out)
    belongs, of_model = fingerprint(case, geometry), ranks - request.io_ranks
    advice = Advice(case)
    if request.tuned:
        mine = run_of(case, geometry, belongs, of_model, nodes)
        advice = advice_for(case, mine, tuned_path(request.case, case), request.choice())
    case = advice.case
    partition, blocks = _cut(case, geometry, advice.blocks or request.blocks, of_model)
    restart, notes = request.restart, list[str]()
    if request.resume:
        restart, notes = newest_restart(out / restart_name(case.output.format), belongs)
    elif restart is not None:
        check_restart(restart, belongs)
    return Setup(
        case=case,
        geometry=geometry,
        partition=partition,
        blocks=blocks,
        out=out,
        belongs=belongs,
        costs=read_costs("run.costs", case.run.costs),
        points=tuple(find_points(case.output.points, geometry)),
        restart=restart,
        notes=tuple(notes),
        tuned=advice.words,
    )


def _case_and_place(request: Request) -> tuple[Case, Geometry]:
    """The case with the options of the command line, and its geometry, both checked. Local."""
    case = load_case(request.case, installed_models(), request.sets)
    case = with_options(case, request.strategy, request.transport, request.threads)
    check_kept_files(request.io_ranks, bool(case.output.points), case.output.format)
    check_rebalance(case, request.io_ranks)
    strategy = check_strategy("run.strategy or --strategy", case.run.strategy)
    transport = check_transport("run.transport or --transport", case.run.transport)
    case = with_options(case, strategy, transport)
    geometry = geometry_of(case)
    if not np.asarray(geometry.wet).any():
        raise user_error(
            "mask", "no wet cell", "at least one", "fix the mask, or choose another region"
        )
    if case.output.points and geometry.grid.size[2] > 1:
        raise user_error(
            "output.points",
            f"{len(case.output.points)} points on a grid with a z axis",
            "none there, as columns may be cut",
            "leave them out",
        )
    return case, geometry


def _cut(
    case: Case, geometry: Geometry, blocks: tuple[int, ...] | None, ranks: int
) -> tuple[Partition, tuple[int, int, int] | None]:
    """The partition that the case or --blocks asks for, and its blocks if it has them. Local."""
    if blocks is None and case.run.blocks:
        blocks = tuple(case.run.blocks)
        require_block_per_rank("run.blocks", blocks, ranks)
    if case.run.partition == "ksection":
        if blocks is not None:
            raise user_error(
                "--blocks",
                "x".join(map(str, blocks)),
                "no blocks with run.partition = 'ksection'",
                "leave one of them out",
            )
        # errors show with any candidate; the ranks search for the best together
        return KSection(geometry.grid, Mask(geometry.wet), ranks).partition(0), None
    x, y, z = [*(blocks or best_blocks(geometry.grid, ranks)), 1, 1][:3]
    return block_partition(geometry.grid, (x, y, z)), (x, y, z)


def agree_on_setup(request: Request, comm: Comm) -> Setup:
    """The setup of a request, with the best partition. Collective."""
    return searched_setup(setup_of_root(request, comm), comm)


def setup_of_root(request: Request, comm: Comm) -> Setup:
    """Let rank 0 make the setup and send it to all ranks, servers among them. Collective.

    It alone reads the files of the case. All ranks raise what it finds wrong.
    """
    ranks, nodes = ranks_of(request, comm.size), nodes_of(comm)
    return made_at_root(comm, lambda: make_setup(request, ranks, nodes), "the set-up of the case")


def nodes_of(comm: Comm) -> int:
    """The number of nodes that hold the ranks. Collective."""
    return -(-int(comm.size) // _core.ranks_per_node(comm))


def searched_setup(setup: Setup, comm: Comm) -> Setup:
    """The setup with the best partition for the ranks of the model, `comm`, and their nodes.

    Collective: a k-section is searched by all ranks, each trying other candidates. Where stages
    leave land out, it balances the cells that they compute, and blocks that cost less replace it.
    """
    if setup.blocks is not None:
        return setup
    speeds = measured_speeds(comm) if setup.case.run.speeds == "measured" else []
    model = CostModel(**setup.costs, ranks_per_node=_core.ranks_per_node(comm), speeds=speeds)
    grid, wet = setup.geometry.grid, setup.geometry.wet

    def search(mask: _core.Mask) -> Partition:
        found = _core.find_partition_together(comm, grid, mask, model, 1, False, True, True)
        return found.partition

    if not setup.case.run.skip_land:
        return replace(setup, partition=search(Mask(wet)))
    partition = balanced_partition(grid, wet, int(comm.size), model, search)
    return replace(setup, partition=partition)


_SWEEPS = 15  # their median counts
_CELLS = 512  # along each side: 2 MB, as a subdomain of a model


def measured_speeds(comm: Comm) -> list[float]:
    """Measure the speed of every rank at a five-point sweep, relative to their mean.

    Collective; all ranks work at once, as they do in a model. Two measurements differ by some
    per cent, so keep the list if runs are to be cut alike. Takes some milliseconds.
    """
    field = np.ones((_CELLS, _CELLS))
    result = np.empty((_CELLS - 2, _CELLS - 2))
    samples = []
    comm.Barrier()
    for _ in range(_SWEEPS):
        start = perf_counter()
        np.add(field[1:-1, :-2], field[1:-1, 2:], out=result)
        result += field[:-2, 1:-1]
        result += field[2:, 1:-1]
        result *= 0.25
        samples.append(perf_counter() - start)
    speeds = [1.0 / seconds for seconds in comm.allgather(float(np.median(samples)))]
    mean = sum(speeds) / len(speeds)
    return [speed / mean for speed in speeds]
