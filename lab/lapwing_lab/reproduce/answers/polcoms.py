"""Answers to the report on partitions of POLCOMS: cuts of real seas, and tides priced on them."""

from __future__ import annotations

from collections.abc import Callable

from lapwing_lab.reproduce.answer import Answer, Answers, Curves
from lapwing_lab.reproduce.experiment import Candidates, Numbers, Predicted, Searched
from lapwing_lab.reproduce.kept import Kept
from lapwing_lab.reproduce.register import Row

SMALL, LARGE = "guinea", "shelf"  # the seas: as the report's small domain, and its larger one
BEST, NODES_FIRST = "ksection", "ksection, nodes first"
DEFAULT, ORDERED = "block", "block, node order"
CORES = (8, 12, 16, 24, 32, 36, 48, 64)
NODES = {4: 48, 6: 48, 12: 48, 24: 48}  # cores of a node, and of the job


def cut(kept: Kept, ranks: int, per_node: int = 1, region: str = SMALL) -> Numbers:
    """All cuts of a region. Local."""
    return kept(Searched(region, ranks, per_node))


def candidates(kept: Kept, row: Row) -> Answer:
    """The number of distinct partitions by the number of cores."""
    found = {ranks: cut(kept, ranks)["ksection candidates"] for ranks in CORES}
    told = ", ".join(f"{ranks}: {value:.0f}" for ranks, value in found.items())
    rises = found[64] > found[16] > found[8]
    line = {"k-section": list(found.values())}
    curves = Curves("cores", "distinct partitions", CORES, line)
    return Answer(holds=rises, text=f"{told}.", curves=curves)


def threes(kept: Kept, row: Row) -> Answer:
    """A factor of three gives more partitions than the nearest power of two."""
    pairs = ((12, 8), (24, 16), (48, 32))
    found = {
        three: cut(kept, three)["ksection candidates"] / cut(kept, two)["ksection candidates"]
        for three, two in pairs
    }
    told = ", ".join(f"{three} over {two} {found[three]:.1f}" for three, two in pairs)
    return Answer(holds=min(found.values()) > 1, text=f"Times as many candidates: {told}.")


def default_cut(kept: Kept, row: Row) -> Answer:
    """The default cut is good for nodes of four cores, and not for six or twelve."""
    over = {}
    for per_node, ranks in NODES.items():
        one = cut(kept, ranks, per_node)
        best = min(value for name, value in one.items() if name.endswith(" cost"))
        over[per_node] = one[f"{DEFAULT} cost"] / best
    told = ", ".join(f"{per_node}: {value:.2f}" for per_node, value in over.items())
    text = f"Cost of plain blocks over the best cut, by cores of a node: {told}."
    curves = Curves(
        "cores of a node", "cost over that of the best", list(over), {"blocks": list(over.values())}
    )
    return Answer(holds=over[4] < 1.1 < min(over[6], over[12]), text=text, curves=curves)


def differ(kept: Kept, row: Row) -> Answer:
    """Orders of cuts make different partitions: the cost of those of 24 processors."""
    one = cut(kept, 24)
    costs = [value for name, value in one.items() if name.endswith(" cost")]
    text = (
        f"{one['ksection candidates']:.0f} candidates; the worst method costs "
        f"{max(costs) / min(costs):.2f} times the cheapest."
    )
    return Answer(holds=one["ksection candidates"] > 1, text=text)


def locality(per_node: int) -> Callable[[Kept, Row], Answer]:
    """The share of the halo that leaves a node: of blocks and of a cut that knows nodes."""

    def answer(kept: Kept, row: Row) -> Answer:
        one = cut(kept, 48, per_node)
        off = {name: _off(one, name) for name in (DEFAULT, NODES_FIRST)}
        text = (
            f"{off[DEFAULT]:.0%} of the halo of blocks leaves a node, {off[NODES_FIRST]:.0%} then."
        )
        return Answer(holds=off[NODES_FIRST] < off[DEFAULT], text=text)

    return answer


def _off(one: Numbers, name: str) -> float:
    """The share of the halo of a cut that leaves a node. Local."""
    off = one[f"{name} halo_off"]
    return off / (off + one[f"{name} halo_on"])


def node_order(kept: Kept, row: Row) -> Answer:
    """The same blocks with the ranks of a node next to each other: what the slowest rank costs."""
    one = cut(kept, 48, 12)
    ratio = one[f"{ORDERED} cost"] / one[f"{DEFAULT} cost"]
    text = (
        f"The same blocks by nodes: {_off(one, ORDERED):.0%} instead of {_off(one, DEFAULT):.0%} "
        f"of the halo leaves a node, and the slowest rank costs {ratio:.2f} times as much."
    )
    return Answer(holds=ratio > 0.95, text=text)


def nodes_pay(kept: Kept, row: Row) -> Answer:
    """The k-section by a cost that knows nodes, against blocks that do not."""
    one = cut(kept, 48, 12)
    ratio = one[f"{DEFAULT} cost"] / one[f"{BEST} cost"]
    first = one[f"{NODES_FIRST} cost"] / one[f"{BEST} cost"]
    text = (
        f"The k-section by that cost leaves {_off(one, BEST):.0%} of its halo outside a node, "
        f"blocks {_off(one, DEFAULT):.0%}, whose slowest rank costs {ratio:.2f} times as much; "
        f"cutting by nodes first costs {first:.2f} times as much as the k-section."
    )
    return Answer(holds=ratio > 1.1, text=text)


def balanced(kept: Kept, row: Row) -> Answer:
    """Subdomains have similar numbers of wet points."""
    found = [cut(kept, ranks)["ksection imbalance"] for ranks in CORES]
    text = (
        f"The most over the mean: {min(found):.3f} to {max(found):.3f} on {CORES[0]} to 64 ranks."
    )
    curves = Curves("cores", "most wet cells over the mean", CORES, {"k-section": found})
    return Answer(holds=max(found) < 1.1, text=text, curves=curves)


def negligible(kept: Kept, row: Row) -> Answer:
    """The search takes a negligible time."""
    found = [cut(kept, ranks)["ksection seconds"] for ranks in CORES]
    text = f"{min(found):.2f} to {max(found):.2f} s on one thread, against hours of a run."
    curves = Curves("cores", "search, s on one thread", CORES, {"k-section": found})
    return Answer(holds=max(found) < 60, text=text, curves=curves)


def every_candidate(kept: Kept, row: Row) -> Answer:
    """Of all candidates the cheapest exchanges about as fast as any, on the report's machines."""
    told, found = [], []
    for ranks in (24, 36):
        for machine in ("hector-xt4", "rosa-xt5"):
            one = kept(Candidates(SMALL, ranks, machine))
            found.append(one["cheapest"] / one["fastest"])
            told.append(
                f"{machine}, {ranks} cores: r = {one['r']:.2f} over {one['candidates']:.0f}, "
                f"{1e6 * one['fastest']:.0f} to {1e6 * one['slowest']:.0f} us, the cheapest "
                f"{1e6 * one['cheapest']:.0f} us, {one['faster']:.0f} are faster"
            )
    return Answer(holds=max(found) < 1.1, text=f"Predicted: {'; '.join(told)}.")


def exchanges_vary(kept: Kept, row: Row) -> Answer:
    """Exchange times of partitions differ: blocks from square to slabs on the XT5."""
    found = {}
    for ranks, shapes in (
        (48, ((6, 8), (4, 12), (2, 24), (1, 48))),
        (96, ((8, 12), (4, 24), (2, 48))),
    ):
        for x, y in shapes:
            one = Predicted("kelvin", "rosa-xt5", ranks, "blocking", _SIZE, (x, y, 1))
            numbers = kept(one)
            found[ranks, x, y] = numbers["step"] - numbers["compute"]
    worst = max(found[48, *shape] for shape in ((6, 8), (4, 12), (2, 24), (1, 48))) / min(
        value for key, value in found.items() if key[0] == 48
    )
    text = f"At 48 cores the slowest blocks exchange for {worst:.2f} times as long as the fastest."
    return Answer(holds=worst > 1.2, text=text)


_SIZE = ("grid.cells_x=480", "grid.cells_y=480")


def factor(kept: Kept, row: Row) -> Answer:
    """What the best cut costs against plain blocks, on nodes of 12 cores as Rosa's."""
    gains = []
    for ranks in (24, 48, 96):
        one = cut(kept, ranks, 12)
        best = min(value for name, value in one.items() if name.endswith(" cost"))
        gains.append(one[f"{DEFAULT} cost"] / best)
    mean = sum(gains) / len(gains)
    text = (
        f"The cost of the slowest rank is {min(gains):.2f} to {max(gains):.2f} times as small, "
        f"{mean:.2f} +- {(max(gains) - min(gains)) / 2:.2f}, half the range of 24, 48 and 96 "
        "ranks, with kernels that skip land as theirs do."
    )
    return Answer({"factor": gains}, holds=min(gains) >= 1, text=text)


ANSWERS: Answers = {
    "candidates": candidates,
    "threes": threes,
    "default cut": default_cut,
    "differ": differ,
    "locality": locality(12),
    "node order": node_order,
    "nodes pay": nodes_pay,
    "balanced": balanced,
    "negligible": negligible,
    "exchanges vary": exchanges_vary,
    "every candidate": every_candidate,
    "factor": factor,
}
