"""The tables of docs/measurements/reports.md, simulated again: `make simulate-tables`, or

python lab/programs/simulated_tables.py [WORK ...] [MACHINE ...]

with works out of coast, tracer and lattice and shipped machines; all of both by default. Lattice is
a strong scaling: --cells N of a cube instead of 350, --nodes 1,2,4, --picture FILE.png.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from lapwing.base.error import OutsideError, UserError
from lapwing_lab.bench.lattice import scaling as lattice_scaling
from lapwing_lab.bench.lattice.scaling import Scaled, draw_scaling, row_of
from lapwing_lab.bench.measure.markdown import print_head, print_row
from lapwing_lab.bench.measure.options import several
from lapwing_lab.machine.machine import load_machine, machine_names
from lapwing_lab.simulate.simulate import Simulated, Simulation, simulate
from lapwing_lab.simulate.work import SimulationRequest

BOXES = (("60x60", 16), ("40x40", 36), ("40x24", 60))  # of a rank, and how many ranks
LATE = ("blocking", "3s", "5s", "6s", "edge-first", "dataflow", "dataflow:4")
DEEP = tuple(f"deep:{k}{more}" for k in (1, 2, 4, 8) for more in ("", "+dataflow:4"))
# In three dimensions rims cost more than messages; and a step is computed for real, of which the
# trial of `auto` takes hundreds.
METHODS = {
    "coast": (*LATE, *DEEP, "auto"),
    "tracer": ("blocking", "6s", "edge-first", "dataflow", "dataflow:4"),
}
LATTICE = "lattice"  # strong scaling, another table
WORKS = (*METHODS, LATTICE)
STEPS = {"coast": 24, "tracer": 2}


def main(words: list[str]) -> None:
    """Print a table per work and machine that has costs for it."""
    options = _options(words)
    works = [word for word in options.words if word in WORKS] or list(WORKS)
    machines = [word for word in options.words if word not in WORKS] or machine_names()
    scalings: dict[str, Sequence[Scaled]] = {}
    for work in works:
        for machine in machines:
            if work not in load_machine(machine).compute:
                continue
            print(f"\n{work} on {machine}\n")
            if work == LATTICE:
                scalings[machine] = print_scaling(machine, options.cells, options.nodes)
            else:
                print_table(work, [_simulated(work, machine, *box) for box in BOXES])
    if options.picture and scalings:
        draw_scaling(options.picture, scalings)


def _options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Tables of docs/measurements/reports.md.")
    parser.add_argument("words", nargs="*", metavar="WORK|MACHINE")
    parser.add_argument("--cells", type=int, default=lattice_scaling.CELLS)
    parser.add_argument("--nodes", type=several(int), default=lattice_scaling.NODES)
    parser.add_argument("--picture", type=Path)
    return parser.parse_args(words)


def print_scaling(machine: str, cells: int, nodes: Sequence[int]) -> list[Scaled]:
    """Print the strong scaling as Markdown while it is simulated, and return it. Local."""
    print_head(*lattice_scaling.HEADS)
    points = []
    for point in lattice_scaling.simulated(machine, cells, nodes):
        print_row(*row_of(point))
        points.append(point)
    return points


def _simulated(work: str, machine: str, box: str, ranks: int) -> Simulation:
    request = SimulationRequest(f"{work}-{box}", machine, ranks, METHODS[work], steps=STEPS[work])
    simulation = simulate(request)
    if other := simulation.disagreeing():
        sys.exit(f"{request.case} on {machine}: other bits by {', '.join(other)}")
    return simulation


def print_table(work: str, columns: list[Simulation]) -> None:
    """Print Markdown: a row per method, a column per box. Local."""
    heads = [f"{ranks} x {box}" for box, ranks in BOXES]
    rows = [["compute", *(_number(column.compute) for column in columns)]]
    rows.append(["alone (blocking)", *(_number(_of(one, "blocking").alone) for one in columns)])
    for method in ("plain", *METHODS[work]):
        rows.append([method, *(_cell(one, _of(one, method)) for one in columns)])
    pairs = [(one, _best(one)) for one in columns]
    rows.append(["best, over longer", *(f"{one.over_longer(least):.3f}" for one, least in pairs)])
    for method, digits in (("blocking", 2), ("auto", 3)):
        if method not in METHODS[work]:
            continue
        ratios = [_of(one, method).step / least.step for one, least in pairs]
        rows.append([f"{method} / best", *(f"{ratio:.{digits}f}" for ratio in ratios)])
    print_head("method", *heads)
    for row in rows:
        print_row(*row)


def _of(simulation: Simulation, method: str) -> Simulated:
    return next(one for one in simulation.measured() if one.method == method)


def _best(simulation: Simulation) -> Simulated:
    strategies = [one for one in simulation.measured() if one.method not in ("plain", "auto")]
    return min(strategies, key=lambda one: one.step)


def _cell(simulation: Simulation, result: Simulated) -> str:
    text = _number(result.step)
    if result.choice:
        return f"{text}: {result.choice.removeprefix('auto took ').partition(':')[0]}"
    share = simulation.hidden(result)
    tells = share > 0.005 and 4 * simulation.compute > result.alone  # else there is little to hide
    return f"{text} ({100 * share:.0f} %)" if tells else text


def _number(seconds: float) -> str:
    """Microseconds, three digits at least."""
    us = 1e6 * seconds
    return f"{us:.0f}" if us >= 999.5 else f"{us:.3g}"


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (UserError, OutsideError) as problem:
        sys.exit(str(problem))
