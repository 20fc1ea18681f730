"""The GETM program on its cluster, simulated, against its report: Tables 5-1, 7-2 and 7-4.

python lab/programs/simulated_getm.py [--machine getm-cluster] [--fitted 40x40]

Exchanges are literal: after every update, two cells wide, with corners. Of u_split_adv's tables one
call is compared with a fifth of a step of the tracer, which has five of them. Prints a row per size
of box in Markdown, and how far off the sizes are that were not fitted.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

from lapwing_lab.bench.getm.paper import FLAT_STEPS, SIZES, STEPS, TABLE_5_1, U_SPLIT_ADV
from lapwing_lab.bench.measure.markdown import print_errors, print_head, print_row
from lapwing_lab.simulate.simulate import Simulated, simulate
from lapwing_lab.simulate.work import SimulationRequest

RANKS = (16, 24, 36, 48, 60)  # of 240 x 240 cells in boxes of SIZES
CALLS = 4 * STEPS  # of u_split_adv in its tables
TRACER_EXCHANGES = 5  # of a step: u, v, w, v, u
LITERAL = ("exchanges.policy=literal",)


@dataclass(frozen=True)
class Compared:
    """Seconds of a step or a call on boxes of one size, simulated and in the report."""

    table: str
    box: str
    compute: float
    compute_reported: float
    halo: float
    halo_reported: float

    def off(self) -> tuple[float, float]:
        """Return the errors of compute and halo, as shares of the report's numbers."""
        return self.compute / self.compute_reported - 1, self.halo / self.halo_reported - 1


def main() -> None:
    """Print a row per table and size, then the errors."""
    parser = argparse.ArgumentParser(description="The simulated GETM cluster against its report.")
    parser.add_argument("--machine", default="getm-cluster")
    parser.add_argument("--fitted", default="40x40", help="the box to which the machine was fitted")
    options = parser.parse_args()
    numbers = ("compute, us", "report", "off", "halo, us", "report", "off")
    print_head("table", "box", *numbers)
    compared = []
    for one in all_compared(options.machine):
        print_row(*_cells(one))
        compared.append(one)
    checked = [one for one in compared if one.box != options.fitted]
    for name, part in (("compute", 0), ("halo", 1)):
        print_errors(f"{name}, without {options.fitted}", [one.off()[part] for one in checked])


def all_compared(machine: str) -> Iterator[Compared]:
    """Simulate all sizes of all tables, one after the other. Local."""
    for number, (box, ranks) in enumerate(zip(SIZES, RANKS, strict=True)):
        step = simulated("coast", box, ranks, machine, "blocking", 24)
        compute, halo = (TABLE_5_1[name][number] for name in ("Non-halo runtime", "Halo runtime"))
        yield Compared(
            "5-1",
            box,
            step.compute,
            compute / FLAT_STEPS,
            step.step - step.compute,
            halo / FLAT_STEPS,
        )
    for strategy in ("blocking", "edge-first:B"):
        table, rows = U_SPLIT_ADV[strategy]
        for number, (box, ranks) in enumerate(zip(SIZES, RANKS, strict=True)):
            step = simulated("tracer", box, ranks, machine, strategy, 10)
            compute = rows["Part A"][number] + rows["Part B"][number]
            halo = rows["update-halo"][number] + rows["wait-halo"][number]
            yield Compared(
                table,
                box,
                step.compute / TRACER_EXCHANGES,
                compute / CALLS,
                (step.step - step.compute) / TRACER_EXCHANGES,
                halo / CALLS,
            )


def simulated(
    work: str, box: str, ranks: int, machine: str, strategy: str, steps: int
) -> Simulated:
    """Simulate boxes of one size with literal exchanges. Local."""
    asked = SimulationRequest(
        f"{work}-{box}", machine, ranks, (strategy,), steps=steps, samples=1, sets=LITERAL,
        alone=False,
    )  # fmt: skip
    return next(one for one in simulate(asked).results if one.method == strategy)


def _cells(one: Compared) -> list[str]:
    cells = [one.table, one.box]
    pairs = ((one.compute, one.compute_reported), (one.halo, one.halo_reported))
    for (found, told), off in zip(pairs, one.off(), strict=True):
        cells += [f"{1e6 * found:.0f}", f"{1e6 * told:.0f}", f"{off:+.1%}"]
    return cells


if __name__ == "__main__":
    main()
