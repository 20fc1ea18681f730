"""Seconds per cell of the stages of a case on this machine, as rows of a machine file.

python lab/programs/stage_costs.py CASE [60x60 ...] [--thin] [--set key=value ...]

CASE: a shipped one or a path, whose grid is made as large as each box; of the coast model also
`tracer`, the advection of one in 60 layers. One rank, whose box lies in its caches as far as it
fits; the least of many steps, as whatever else the machine does makes a step longer. With --thin
boxes a fourth as wide and as high are timed too, and tell what rows and calls take. `outside`
stages, along whole lines, are timed by `lapwing bench helmholtz`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from lapwing.base.error import OutsideError, UserError, user_error
from lapwing.core.domain import Domain, Field
from lapwing.model.case import Case, geometry_of, load_case
from lapwing.model.registry import installed_models
from lapwing.run.creation import create_run, step_of
from lapwing_coast import _kernels
from lapwing_lab.bench.measure.domains import on_domain
from lapwing_lab.bench.measure.options import shape_like
from scipy.optimize import nnls

LAYERS = 60
REPETITIONS = 50  # cycles that are measured one by one
EVENTS = 1 << 16
TRACER = "tracer"
THIN = 4  # boxes are this many times as thin
PARTS = ("cell", "row", "call")


@dataclass(frozen=True)
class Cost:
    """The costs of a stage on a box."""

    cell: float  # s, of each level
    levels: int  # of what it writes


def main() -> None:
    """Print a row of the table compute.MODEL per box."""
    parser = argparse.ArgumentParser(description="Costs of stages, as rows of a machine file.")
    parser.add_argument("case", metavar="CASE", help="a shipped case, a path, or tracer")
    parser.add_argument("boxes", nargs="*", default=["60x60"], metavar="XxY", help="cells")
    parser.add_argument("--thin", action="store_true", help="costs of rows and calls too")
    parser.add_argument("--set", action="append", default=[], dest="sets", metavar="KEY=VALUE")
    options = parser.parse_args()
    for text in options.boxes:
        x, y = shape_like("60x60")(text)
        model, whole = costs(options.case, (x, y), options.sets)
        print(f"[[compute.{model}]]\nbox = [{x}, {y}]")
        thin = []
        if options.thin:
            sizes = ((max(x // THIN, 1), y), (x, max(y // THIN, 1)))
            thin = [(size, costs(options.case, size, options.sets)[1]) for size in sizes]
        for stage, cost in whole.items():
            there = [(size, found[stage]) for size, found in thin if stage in found]
            print(f"{stage} = {as_told([((x, y), cost), *there])}")
        print(flush=True)


def costs(name: str, size: tuple[int, int], sets: list[str]) -> tuple[str, dict[str, Cost]]:
    """The model of a case, and what its stages cost on such a box. Collective."""
    if name == TRACER:
        return TRACER, on_domain(size, partial(tracer_costs, size=size))
    sized = (f"grid.cells_x={size[0]}", f"grid.cells_y={size[1]}", *sets)
    case = load_case(name, installed_models(), sized)
    _require_size(case, size)
    return case.model.name, on_domain(size, partial(case_costs, case=case))


def as_told(measured: list[tuple[tuple[int, int], Cost]]) -> str:
    """A stage in a machine file, from its cost on one box, or on thin ones too. Local."""
    if len(measured) < len(PARTS):
        return f'"{1e9 * measured[0][1].cell:.3g} ns"'
    rows_of = [
        (one.levels * x * y, one.levels * y, one.levels * x * y * one.cell)
        for (x, y), one in measured
    ]
    cells, rows, took = np.array(rows_of).T
    # relative to what was measured; none below nothing
    parts, _ = nnls(np.stack([cells, rows, np.ones_like(rows)], axis=1) / took[:, None], np.ones(3))
    told = ", ".join(
        f'{part} = "{1e9 * value:.3g} ns"' for part, value in zip(PARTS, parts, strict=True)
    )
    return f"{{ {told} }}"


def _require_size(case: Case, size: tuple[int, int]) -> None:
    """UserError where the grid is not of that size: a mask has its own. Local."""
    found = tuple(geometry_of(case).grid.size[:2])
    if found != size:
        remedy = "name a case of the same model without a mask, such as kelvin"
        got, expected = (f"{x} x {y} cells" for x, y in (found, size))
        raise user_error(f"grid of {case.name}", got, f"{expected}, as the box", remedy)


def case_costs(domain: Domain, case: Case) -> dict[str, Cost]:
    """Return the costs of a case's stages on this rank. Collective."""
    geometry = geometry_of(case)
    run = create_run(
        case.model, domain, case.settings, geometry, strategy="blocking", transport="auto"
    )
    return _least(step_of(run, case.name), run.advance)


def tracer_costs(domain: Domain, size: tuple[int, int]) -> dict[str, Cost]:
    """Return the costs of gyres that carry a tracer, as the mean of the axes. Collective."""
    settings = _kernels.TracerSettings()
    settings.levels = LAYERS
    depth = np.full(size, 60.0, order="F")  # m
    advection = _kernels.TracerAdvection(domain, settings, depth, "blocking", "auto")
    stream = 1e4 * np.outer(*(np.sin(np.pi * np.arange(n + 1) / n) for n in size))  # m3/s
    flow_x, flow_y = Field(domain, advection.flow_x), Field(domain, advection.flow_y)
    flow_x[domain.box] = -np.diff(stream, axis=1)[1:, :, None] / settings.spacing_y
    flow_y[domain.box] = np.diff(stream, axis=0)[:, 1:, None] / settings.spacing_x
    Field(domain, advection.tracer).set(lambda i, j, k: np.sin(0.7 * (i + 3 * j + 5 * k)))
    advection.set_flow()
    parts: dict[str, list[float]] = {}
    for stage, cost in _least(advection.step, advection.advance).items():
        parts.setdefault(stage.rpartition("_")[0], []).append(cost.cell)
    return {part: Cost(sum(axes) / len(axes), LAYERS) for part, axes in parts.items()}


def _least(step: Any, advance: Callable[[int], None]) -> dict[str, Cost]:
    """Return each stage's least time of a cycle, divided by the cells that it computed. Local."""
    levels = {
        name: max([1, *(spec.levels for spec in written)])
        for stages in step.report.stages
        for name, _, written in stages
    }
    least = dict.fromkeys(levels, np.inf)
    advance(2 * step.report.positions)
    for _ in range(REPETITIONS):
        step.draw_timeline(EVENTS)
        advance(step.report.positions)
        spent: dict[str, list[float]] = {name: [0.0, 0.0] for name in levels}
        for kind, name, begin, end, cells in step.report.timeline:
            if kind == "compute" and name in spent:
                spent[name][0] += end - begin
                spent[name][1] += cells * levels[name]
        for name, (seconds, cells) in spent.items():
            if cells > 0:
                least[name] = min(least[name], seconds / cells)
    step.draw_timeline(0)
    return {
        name: Cost(seconds, levels[name]) for name, seconds in least.items() if np.isfinite(seconds)
    }


if __name__ == "__main__":
    try:
        main()
    except (UserError, OutsideError) as problem:  # a sea cannot be made as large as a box, say
        sys.exit(str(problem))
