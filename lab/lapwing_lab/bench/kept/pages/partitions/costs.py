"""Tables of what cuts of seas cost, by `lab/programs/partition_costs.py`."""

from __future__ import annotations

from lapwing_lab.bench.kept import markdown
from lapwing_lab.bench.kept.page import Made, Measurement, Results
from lapwing_lab.bench.kept.results import Kept

NODE = 24  # ranks
NODES = 30
# what is compared on fragmented coasts, and how it is written
FORMS = {"imbalance": ".3f", "max_messages": ",.0f", "cost": ",.0f"}
# names of masks, what they are called, where they are, and the arc-minutes of a cell
COASTS = {
    "aegean": ("Aegean", "34,42,22,30", "1"),
    "arctic": ("Canadian Arctic", "60,80,-130,-60", "4"),
    "indonesia": ("Indonesia", "-11,8,94,142", "4"),
    "philippines": ("Philippines", "4,22,116,128", "2"),
}


def _costs(name: str, *arguments: str) -> Measurement:
    return Measurement(f"partitions-{name}", arguments, script="partition_costs.py", once=True)


_MANY = ("shelf", "-n", "7,16,24,97,4096,9973,16384", "--method", "ksection")
_COASTS = [f"{name}={bounds}@{minutes}" for name, (_, bounds, minutes) in COASTS.items()]

MEASUREMENTS = (
    _costs("shelf", "shelf", "-n", "60,120,512,720"),
    _costs("sea", "shelf", "-n", "60,120,512,720", "--connected"),
    _costs("coasts", *_COASTS, "-n", "360,1000", "--connected"),
    _costs("nodes", "shelf", "-n", str(NODE * NODES), "--ranks-per-node", str(NODE)),
    _costs("one-per-node", "shelf", "-n", str(NODES), "--method", "ksection"),
    _costs("many", *_MANY),
)


def number(kept: Kept, work: str, method: str, key: str) -> float:
    """A number of a cut, which is the same in every invocation. Local; KeyError: it has none."""
    found = kept.spread(work, method, key)
    if found is None:
        raise KeyError(f"{work}, {method}: {key}")
    return found.mid


def _count(kept: Kept, work: str, method: str, key: str) -> str:
    return f"{number(kept, work, method, key):,.0f}"


def _halo(kept: Kept, work: str, method: str) -> float:
    return sum(number(kept, work, method, key) for key in ("halo_on", "halo_off"))


def _label(kept: Kept, work: str, method: str) -> str:
    """The method, with how many blocks it has along x and y."""
    if not kept.values(work, method, "blocks_x"):
        return method
    name, comma, order = method.partition(",")
    blocks = (_count(kept, work, method, f"blocks_{axis}") for axis in "xy")
    return f"{name} {'x'.join(blocks)}{comma}{order}"


def _seconds(kept: Kept, work: str, method: str) -> str:
    return f"{number(kept, work, method, 'median'):.1f}"


def _searched(kept: Kept, work: str, method: str) -> str:
    if not kept.values(work, method, "searched"):
        return ""
    many = _count(kept, work, method, "searched")
    if not kept.values(work, method, "candidates"):
        return many
    return f"{many} ({_count(kept, work, method, 'candidates')})"


def _many(results: Results) -> str:
    """A row for each number of ranks of the k-section."""
    kept = results["many"]
    rows = [
        [
            work.partition("@")[2],
            f"{number(kept, work, method, 'imbalance'):.3f}",
            f"{_halo(kept, work, method):,.0f}",
            _count(kept, work, method, "messages"),
            _count(kept, work, method, "cost"),
            _searched(kept, work, method),
            _seconds(kept, work, method),
        ]
        for work in kept.works()
        for method in kept.methods(work)
    ]
    headings = ["ranks", "max/mean wet", "halo", "messages", "cost"]
    table = markdown.table([*headings, "searched (candidates)", "seconds"], rows)
    return f"{markdown.conditions(kept)}\n\n{table}"


def _sea(results: Results) -> str:
    """A row for each cut of the sea without lakes, with its messages on the sea with lakes."""
    kept, lakes = results["sea"], results["shelf"]
    rows = [
        [
            work.partition("@")[2],
            _label(kept, work, method),
            f"{number(kept, work, method, 'imbalance'):.3f}",
            f"{_halo(kept, work, method):,.0f}",
            *(_count(kept, work, method, key) for key in ("messages", "max_messages", "cost")),
            _count(lakes, work, method, "messages"),
        ]
        for work in kept.works()
        for method in kept.methods(work)
    ]
    headings = ["ranks", "method", "max/mean wet", "halo", "messages", "most of one rank", "cost"]
    headings.append("messages with lakes")
    return f"{markdown.conditions(kept)}\n\n{markdown.table(headings, rows)}"


def _compared(results: Results) -> str:
    """The k-section over blocks and over METIS, without lakes: cost and halo."""
    kept = results["sea"]
    rows = []
    for work in kept.works():
        cells = [work.partition("@")[2]]
        for numbers in (_cost, _halo):
            mine = numbers(kept, work, "ksection")
            others = (numbers(kept, work, other) for other in ("block", "metis"))
            cells += [f"{round(100 * (mine / other - 1)):+d} %" for other in others]
        rows.append(cells)
    over = ("over blocks", "over METIS")
    return markdown.table(["ranks", f"cost, {over[0]}", over[1], f"halo, {over[0]}", over[1]], rows)


def _cost(kept: Kept, work: str, method: str) -> float:
    return number(kept, work, method, "cost")


def _coasts(results: Results) -> str:
    """The k-section next to METIS on fragmented coasts."""
    kept = results["coasts"]
    rows = []
    for work in kept.works():
        name, _, ranks = work.partition("@")
        title, bounds, minutes = COASTS[name]
        cells = [f"{title} ({bounds}), {minutes}", _count(kept, work, "ksection", "wet"), ranks]
        for key, form in FORMS.items():
            cells += [
                format(number(kept, work, method, key), form) for method in ("ksection", "metis")
            ]
        rows.append(cells)
    headings = ["mask, arc-minutes", "wet", "ranks"]
    for heading in ("max/mean wet", "most messages", "cost"):
        headings += [heading, "METIS's"]
    return f"{markdown.conditions(kept)}\n\n{markdown.table(headings, rows)}"


def _nodes(results: Results) -> str:
    """Cuts for several ranks per node: what leaves it and what stays."""
    kept = results["nodes"]
    (work,) = kept.works()
    counts = ("halo_off", "halo_on", "messages", "cost")
    rows = [
        [
            _label(kept, work, method),
            f"{number(kept, work, method, 'imbalance'):.3f}",
            *(_count(kept, work, method, key) for key in counts),
            _seconds(kept, work, method),
        ]
        for method in kept.methods(work)
    ]
    headings = ["method", "max/mean wet", "halo off node", "halo on node", "messages", "cost"]
    table = markdown.table([*headings, "seconds"], rows)
    return f"{markdown.conditions(kept)}\n\n{table}\n\n{_leaving(results)}"


def _leaving(results: Results) -> str:
    """How much less leaves a node by the k-sections than by blocks row by row."""
    kept, whole = results["nodes"], results["one-per-node"]
    (work,), (of_nodes,) = kept.works(), whole.works()
    blocks, free, nodes = (
        number(kept, work, method, "halo_off")
        for method in ("block", "ksection", "ksection, nodes first")
    )
    least = _halo(whole, of_nodes, "ksection")
    return (
        f"{markdown.percents([1 - free / blocks])} fewer points leave a node than with blocks row "
        f"by row, {markdown.percents([1 - nodes / blocks])} fewer with nodes first: "
        f"{markdown.number(nodes / least)} times the {least:,.0f} halo points of a k-section into "
        f"{NODES} (the goal was 1.05), because a cell behind the corner of two ranks of a node "
        "travels to both."
    )


BLOCKS: dict[str, Made] = {
    "sea": _sea,
    "compared": _compared,
    "many": _many,
    "coasts": _coasts,
    "nodes": _nodes,
}
