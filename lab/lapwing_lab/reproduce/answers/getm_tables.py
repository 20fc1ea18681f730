"""Tables of the report on GETM, priced on its cluster, on boxes of its eight shapes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import curve_fit

from lapwing_lab.machine.charges import stage_charges
from lapwing_lab.machine.machine import load_machine
from lapwing_lab.reproduce.answer import Answer
from lapwing_lab.reproduce.experiment import Numbers, Predicted
from lapwing_lab.reproduce.kept import Kept
from lapwing_lab.reproduce.register import Row

MACHINE, SLOWER, FASTER = "getm-cluster", "getm-cluster-100mbit", "getm-cluster-infiniband"
LITERAL = ("exchanges.policy=literal",)
# the subdomains of the report, as it cuts 240 x 240 cells
BLOCKS = {
    "60x60": (4, 4), "60x40": (4, 6), "40x60": (6, 4), "40x40": (6, 6),
    "40x30": (6, 8), "30x40": (8, 6), "40x24": (6, 10), "24x40": (10, 6),
}  # fmt: skip
FLAT_STEPS, STEPS = 43_200, 864  # 10 days of 20 s; 2 days of 200 s
CALLS = 4 * STEPS  # of u_split_adv
LAYERS = 60
PARTS = 5  # of a tracer's step: u, v, w, v, u
VERSIONS = {"": "blocking", "A": "edge-first", "B": "edge-first:B"}


def ranks_of(box: str) -> int:
    """The number of subdomains of a shape. Local."""
    return math.prod(BLOCKS[box])


def flat(kept: Kept, box: str, strategy: str, machine: str = MACHINE) -> Numbers:
    """The step of the 2D run with GETM's exchanges. Local."""
    return kept(Predicted(f"coast-{box}", machine, ranks_of(box), strategy, LITERAL))


def call(kept: Kept, box: str, version: str, machine: str = MACHINE) -> Numbers:
    """The step of a tracer with GETM's exchanges: five calls like u_split_adv. Local."""
    strategy = VERSIONS[version]
    return kept(Predicted(f"tracer-{box}", machine, ranks_of(box), strategy, LITERAL))


def layered(
    kept: Kept, box: str, blocks: tuple[int, int] | None = None, machine: str = MACHINE
) -> Numbers:
    """The macro step of the whole 3D run, without hiding. Local."""
    cut, sides = blocks or BLOCKS[box], map(int, box.split("x"))
    cells = [
        f"grid.cells_{axis}={side * n}" for axis, side, n in zip("xy", sides, cut, strict=True)
    ]
    sets = (*cells, f"layers.levels={LAYERS}", *LITERAL)
    return kept(Predicted("kelvin3d", machine, math.prod(cut), "blocking", sets, (*cut, 1)))


def computed(work: str, box: str) -> dict[str, float]:
    """Seconds of each stage on a box, undivided, by the machine file. Local."""
    x, y = map(int, box.split("x"))
    levels = LAYERS if work == "tracer" else 1
    flat_stages = ("momentum_x", "momentum_y", "continuity")
    stages = flat_stages if work == "coast" else ("interface_x", "update_x")
    charges = stage_charges(load_machine(MACHINE), work, (x, y), stages)
    return {
        name: levels * (x * y * cost["cell"] + y * cost["row"]) + cost["call"]
        for name, cost in charges.items()
    }


def messages_over_most(box: str) -> float:
    """Messages of the mean rank over those of the rank with most, 8: timers are means. Local."""
    x, y = BLOCKS[box]
    return ((3 * x - 2) * (3 * y - 2) - x * y) / (x * y) / 8


def started(found: Numbers, box: str) -> float:
    """Seconds of a step in which the mean rank packs and sends messages. Local.

    The processor's time for messages without receiving and unpacking, by the machine file.
    """
    machine = load_machine(MACHINE)
    cost, packing = machine.message_costs(None).links["network"], machine.packing
    sent = found["messages"] * cost.send + found["bytes"] * (cost.send_byte + packing.byte)
    got = found["messages"] * cost.receive + found["bytes"] * (cost.receive_byte + packing.byte)
    return messages_over_most(box) * found["processor"] * sent / (sent + got)


# ---- series of tables, by their names: of a shape

Series = Callable[[Kept, str], float]


def flat_series(strategy: str) -> dict[str, Series]:
    """Seconds of the 2D run by the names of its timers. Local."""

    def halo(kept: Kept, box: str) -> float:
        found = flat(kept, box, strategy)
        return FLAT_STEPS * (found["step"] - found["compute"])

    def start(kept: Kept, box: str) -> float:
        return FLAT_STEPS * started(flat(kept, box, strategy), box)

    def stage(*names: str) -> Series:
        return lambda kept, box: FLAT_STEPS * sum(computed("coast", box)[name] for name in names)

    momentum = stage("momentum_x", "momentum_y")
    return {
        "sum": lambda kept, box: FLAT_STEPS * flat(kept, box, strategy)["step"],
        "sum halo": halo,
        "sum rest": lambda kept, box: FLAT_STEPS * flat(kept, box, strategy)["compute"],
        "start_halo": start,
        "wait_halo": lambda kept, box: halo(kept, box) - start(kept, box),
        # of three exchanges two are of momentum
        "momentum": lambda kept, box: momentum(kept, box) + 2 / 3 * halo(kept, box),
        "momentum halo": lambda kept, box: 2 / 3 * halo(kept, box),
        "momentum rest": momentum,
        "sealevel": lambda kept, box: stage("continuity")(kept, box) + halo(kept, box) / 3,
        "sealevel halo": lambda kept, box: halo(kept, box) / 3,
        "sealevel rest": stage("continuity"),
    }


def call_series(version: str) -> dict[str, Series]:
    """Seconds of u_split_adv by the names of its timers. Local."""

    def part(of: str) -> Series:
        return lambda kept, box: CALLS / PARTS * call(kept, box, version)[of]

    def halo(kept: Kept, box: str) -> float:
        return part("step")(kept, box) - part("compute")(kept, box)

    def start(kept: Kept, box: str) -> float:
        return CALLS / PARTS * started(call(kept, box, version), box)

    return {
        "total": part("step"),
        "halo": halo,
        "update-halo": start,
        "wait-halo": lambda kept, box: halo(kept, box) - start(kept, box),
        "A and B": part("compute"),
        "Part A": lambda kept, box: CALLS * computed("tracer", box)["interface_x"],
        "Part B": lambda kept, box: CALLS * computed("tracer", box)["update_x"],
    }


def whole_series(version: str) -> dict[str, Series]:
    """Seconds of the 3D run with zones in u_split_adv alone, its calls as they are alone."""

    def more(kept: Kept, box: str, part: str) -> float:
        if not version:
            return 0.0
        halves = call(kept, box, version), call(kept, box, "")
        of = [one["step"] - one["compute"] if part == "halo" else one[part] for one in halves]
        return CALLS / PARTS * (of[0] - of[1])

    def total(kept: Kept, box: str) -> float:
        return STEPS * layered(kept, box)["step"] + more(kept, box, "step")

    def rest(kept: Kept, box: str) -> float:
        return STEPS * layered(kept, box)["compute"] + more(kept, box, "compute")

    return {
        "sum": total,
        "sum rest": rest,
        "sum halo": lambda kept, box: total(kept, box) - rest(kept, box),
    }


def table_of(series: dict[str, Series]) -> Callable[[Kept, Row], Answer]:
    """An answer with the series that a row names, for its columns."""

    def answer(kept: Kept, row: Row) -> Answer:
        return Answer(
            {name: [series[name](kept, box) for box in row.columns] for name in row.series}
        )

    return answer


# ---- what follows from tables


def amdahl(ranks: list[int], seconds: list[float]) -> float:
    """The parallel fraction that fits speed-ups over the first best, as the report fits. Local."""
    n, speed_up = np.array(ranks) / ranks[0], seconds[0] / np.array(seconds)
    (fraction,), _ = curve_fit(lambda x, p: 1 / (1 - p + p / x), n, speed_up, p0=[0.8])
    return float(fraction)


def fraction_of(series: dict[str, Series]) -> Callable[[Kept, Row], Answer]:
    """An answer with the parallel fraction of whole runs. Local."""

    def answer(kept: Kept, row: Row) -> Answer:
        boxes = list(BLOCKS)
        ranks = [ranks_of(box) for box in boxes]
        found = amdahl(ranks, [series["sum"](kept, box) for box in boxes])
        (name,) = row.series
        near = abs(found / row.series[name][0] - 1)
        text = f"Eight shapes fit a parallel fraction of {found:.2f}."
        return Answer({name: [found]}, holds=near <= 0.05, text=text)

    return answer


def curve_of(series: dict[str, Series]) -> Callable[[Kept, Row], Answer]:
    """A figure of whole runs: falls with every increase of the number of ranks, less than ideal."""

    def answer(kept: Kept, row: Row) -> Answer:
        boxes = list(BLOCKS)
        found = [series["sum"](kept, box) for box in boxes]
        by_ranks = {ranks_of(box): value for box, value in zip(boxes, found, strict=True)}
        falls = sorted(by_ranks.values(), reverse=True) == list(by_ranks.values())
        ideal = found[0] * 16 / 60
        text = (
            f"{found[0]:.0f} s on 16 to {found[-1]:.0f} s on 60 ranks; linear would be "
            f"{ideal:.0f} s."
        )
        return Answer(holds=falls and found[-1] > 1.02 * ideal, text=text)

    return answer
