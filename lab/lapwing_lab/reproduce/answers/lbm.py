"""Answers to the coarray report: its lattice on its machines, priced, and its own model."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from lapwing_lab.bench.lattice.scaling import (
    CELLS,
    CUTS,
    MOST_GROWTH,
    blocks_of,
    memory_bandwidth,
    rounded_up,
    step_seconds,
)
from lapwing_lab.machine.machine import load_machine
from lapwing_lab.reproduce.answer import Answer, Answers, Curves
from lapwing_lab.reproduce.experiment import Predicted
from lapwing_lab.reproduce.kept import Kept
from lapwing_lab.reproduce.register import Row

XE6, LIMA = "lbm-xe6", "lbm-lima"
NODES = (1, 2, 4, 8, 16, 20, 27, 32, 48, 63)  # of figures 8 and 9
PER_NODE = 24
SLAB = "(1,1,x)"
AXES = CUTS | {SLAB: (False, False, True)}
AS_IT_IS = "dataflow:4"
_SAME_MEMORY = 0.1  # how far a kernel at all cores may be from its bytes


def grids(cut: str, nodes: int) -> tuple[tuple[int, int, int], tuple[int, int, int]] | None:
    """Blocks and cells of a run; None where rounding up grows the cube by a tenth. Local."""
    blocks = blocks_of(AXES[cut], nodes * PER_NODE)
    cells = rounded_up(CELLS, blocks)
    if math.prod(cells) > MOST_GROWTH * CELLS**3:
        return None
    return blocks, cells


def rate(
    kept: Kept, machine: str, cut: str, nodes: int, strategy: str = "blocking"
) -> float | None:
    """Predicted million updates per second of a run; None where the report has no such run."""
    found = grids(cut, nodes)
    if found is None:
        return None
    blocks, cells = found
    sets = tuple(f"grid.cells_{axis}={n}" for axis, n in zip("xyz", cells, strict=True))
    one = Predicted("lbm-350", machine, nodes * PER_NODE, strategy, sets, blocks)
    return math.prod(cells) / kept(one)["step"] / 1e6


def modelled(machine: str, cut: str, nodes: int) -> float | None:
    """Million updates per second by the report's model. Local."""
    found = grids(cut, nodes)
    if found is None:
        return None
    blocks, cells = found
    box = [n / b for n, b in zip(cells, blocks, strict=True)]
    return math.prod(cells) / step_seconds(box, AXES[cut], load_machine(machine)) / 1e6


def curve(machine: str) -> Callable[[Kept, Row], Answer]:
    """Figures 8a and 9a: rates of two cuts next to the report's model."""

    def answer(kept: Kept, row: Row) -> Answer:
        cuts = ("(1,x,x)", "(x,x,x)")
        mine = {cut: [_per_node(rate(kept, machine, cut, n), n) for n in NODES] for cut in cuts}
        model = {cut: [_per_node(modelled(machine, cut, n), n) for n in NODES] for cut in cuts}
        off = [
            here / there - 1
            for cut in cuts
            for here, there in zip(mine[cut], model[cut], strict=True)
            if not math.isnan(here) and not math.isnan(there)
        ]
        up = "million updates/s of a node"
        curves = Curves("nodes of 24 ranks", up, NODES, mine, model)
        text = (
            f"Predicted rates of {len(off)} runs are {min(off):+.1%} to {max(off):+.1%} from the "
            "report's model; its measured curves have no numbers."
        )
        return Answer(holds=max(map(abs, off)) < 0.2, text=text, curves=curves)

    return answer


def _per_node(rate: float | None, nodes: int) -> float:
    return math.nan if rate is None else rate / nodes


def _both(kept: Kept, machine: str, one: str, other: str, least: int = 1) -> dict[int, float]:
    """Rate of one cut over another by the number of nodes, where both are run."""
    found = {}
    for nodes in NODES:
        pair = rate(kept, machine, one, nodes), rate(kept, machine, other, nodes)
        if nodes >= least and pair[0] is not None and pair[1] is not None:
            found[nodes] = pair[0] / pair[1]
    return found


def compare(
    machine: str, one: str, other: str, low: float, high: float, least: int = 1
) -> Callable[[Kept, Row], Answer]:
    """The ratio of two cuts lies between two numbers on all nodes."""

    def answer(kept: Kept, row: Row) -> Answer:
        found = _both(kept, machine, one, other, least)
        values = list(found.values())
        text = f"{one} is {min(values):.2f} to {max(values):.2f} times as fast as {other}."
        return Answer(holds=low <= min(values) and max(values) <= high, text=text)

    return answer


def slabs(kept: Kept, row: Row) -> Answer:
    """Cut along one axis alone the cube scales very poorly."""
    found = rate(kept, XE6, SLAB, 4), rate(kept, XE6, "(1,x,x)", 4)
    largest = max(n for n in NODES if grids(SLAB, n) is not None)
    assert found[0] is not None
    assert found[1] is not None
    ratio = found[0] / found[1]
    text = f"{ratio:.2f} of the speed of (1,x,x) on 4 nodes; beyond {largest} slabs are too thin."
    return Answer(holds=ratio < 0.9 or largest < 63, text=text)


def nodes_20_and_27(kept: Kept, row: Row) -> Answer:
    """The model follows the runs on 20 and 27 nodes."""
    off = []
    for nodes in (20, 27):
        mine, theirs = rate(kept, XE6, "(1,x,x)", nodes), modelled(XE6, "(1,x,x)", nodes)
        if mine is not None and theirs is not None:
            off.append(mine / theirs - 1)
    text = ", ".join(f"{one:+.1%}" for one in off)
    return Answer(holds=bool(off) and max(map(abs, off)) < 0.2, text=f"From the model: {text}.")


def message_size(kept: Kept, row: Row) -> Answer:
    """A message at 30 nodes: 5 populations of a face of the box, kB."""
    found = 5 * 8 * CELLS**2 / math.sqrt(PER_NODE * 30) / 1e3
    return Answer({"kB": [found]}, text=f"{found:.0f} kB; the plan of a face has 5 populations.")


def weak(kept: Kept, row: Row) -> Answer:
    """Weak scaling of boxes of 96^3: communication does not grow with the nodes."""
    found = {}
    for nodes in (2, 8, 32):
        blocks = blocks_of(CUTS["(1,x,x)"], nodes * PER_NODE)
        cells = [96 * n for n in blocks]
        sets = tuple(f"grid.cells_{axis}={n}" for axis, n in zip("xyz", cells, strict=True))
        one = Predicted("lbm-350", LIMA, nodes * PER_NODE, "blocking", sets, blocks)
        found[nodes] = kept(one)["step"]
    spread = max(found.values()) / min(found.values()) - 1
    text = f"Steps on 2, 8 and 32 nodes differ by {spread:.1%}."
    return Answer(holds=spread < 0.05, text=text)


def missing_factor(kept: Kept, row: Row) -> Answer:
    """Section 3.3 divides the traffic of one process by the bandwidth of a whole node."""
    machine = load_machine(XE6)
    one = 456 * 110**3 / memory_bandwidth(machine)
    printed, most = PER_NODE * 110**3 / one / 1e6, memory_bandwidth(machine) / 456 / 1e6  # MLUP/s
    text = (
        f"As printed a step of 110^3 cells takes {1e3 * one:.1f} ms and a node of {PER_NODE} "
        f"reaches {printed:.0f} MLUP/s; its memory allows {most:.0f}."
    )
    return Answer(holds=printed <= most, text=text)


def placement(kept: Kept, row: Row) -> Answer:
    """Figure 6: where nodes lie on the torus decides how long messages take."""
    blocks = (1, 16, 24)
    cells = (350, 352, 360)
    sets = tuple(f"grid.cells_{axis}={n}" for axis, n in zip("xyz", cells, strict=True))
    switch = Predicted("lbm-350", XE6, 384, "blocking", sets, blocks)
    torus = replace(switch, machine="lbm-xe6-torus")
    ratio = kept(torus)["step"] / kept(switch)["step"]
    text = f"On a torus of 16 nodes a step takes {ratio:.3f} times as long as on one switch."
    return Answer(holds=ratio > 1.0, text=text)


def factor(kept: Kept, row: Row) -> Answer:
    """lapwing's best strategy over the report's way, which hides nothing, by the same kernel."""
    gains = []
    for machine in (XE6, LIMA):
        for nodes in (8, 32, 63):
            one = [rate(kept, machine, "(1,x,x)", nodes, how) for how in ("blocking", AS_IT_IS)]
            if one[0] is not None and one[1] is not None:
                gains.append(one[1] / one[0])
    mean = sum(gains) / len(gains)
    half = (max(gains) - min(gains)) / 2
    text = (
        f"{min(gains):.2f} to {max(gains):.2f} times as fast, {mean:.2f} +- {half:.2f}, half the "
        "range of these runs: predicted, and no measured rate of the report was compared."
    )
    return Answer({"factor": gains}, holds=min(gains) > 1, text=text)


ANSWERS: Answers = {
    "XE6 curve": curve(XE6),
    "Lima curve": curve(LIMA),
    "two axes as three": compare(XE6, "(1,x,x)", "(x,x,x)", 0.9, 1.1),
    "fast axis is slower": compare(XE6, "(1,x,x)", "(x,x,1)", 1.02, 2.0, 8),
    "best on Lima": compare(LIMA, "(1,x,x)", "(x,x,x)", 1.0, 2.0, 8),
    "slabs": slabs,
    "20 and 27": nodes_20_and_27,
    "message size": message_size,
    "weak": weak,
    "missing factor": missing_factor,
    "placement": placement,
    "factor": factor,
}
