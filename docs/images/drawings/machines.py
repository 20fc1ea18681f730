"""Machines: what a message takes by a machine file, emulated nodes, and simulated steps."""

from __future__ import annotations

import numpy as np
from lapwing.base.hosts import Hosts
from lapwing_lab.machine.costs import MessageCost
from lapwing_lab.machine.machine import load_machine
from lapwing_lab.machine.shape import Link
from lapwing_lab.netlab import links
from lapwing_lab.netlab.request import FRONT, NETWORK, NetlabRequest, NetworkOptions, parse
from lapwing_lab.predict.entry import Entry, PredictionRequest
from lapwing_lab.predict.predict import predict as predicted
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from drawings.style import BLUE, GREEN, INK, OWN, PALETTE, SAND, WIDE, key, rounded, write
from drawings.tables import number, table_under

# ---- machine-files: a message by its size


SIZES = tuple(8**n for n in range(1, 8))  # bytes that are marked
UNITS = ((1024**2, "MiB"), (1024, "KiB"), (1, "B"))


def machine_files() -> Figure:
    """What the time of a message consists of, by the numbers of a machine file that comes along."""
    machine = load_machine("getm-cluster")
    link, cost = machine.link("network"), machine.message_costs(None).links["network"]
    sizes = np.geomspace(SIZES[0], SIZES[-1], 200)
    shares = 100 * _parts(link, cost, sizes) / _parts(link, cost, sizes).sum(axis=0)
    figure = Figure(figsize=(WIDE, 3.9))
    axes = figure.add_axes((0.1, 0.13, 0.88, 0.72))
    axes.stackplot(sizes, shares, colors=(OWN, "#64b5f6", PALETTE[1], "#ffb74d"))
    axes.axvline(cost.eager_limit, color=INK, linewidth=1, linestyle="--")
    per_byte = 1e9 * sum(_per_byte(cost))
    for x, y, side, words in (
        (11, 40, "left", f"latency\n{1e6 * link.latency:.0f} us"),
        (11, 90, "left", f"send, receive: {1e6 * sum(cost.own_time(0)):.1f} us"),
        (1.7e6, 27, "right", f"bandwidth\n{link.bandwidth / 1e6:.0f} MB/s"),
        (1.7e6, 75, "right", f"send_byte,\nreceive_byte:\n{per_byte:.1f} ns/byte"),
        (cost.eager_limit * 0.85, 90, "right", f"eager_limit\n{_in_words(cost.eager_limit)}"),
    ):
        write(axes, (x, y), words, ha=side, ma="left")
    _size_axes(axes, [_duration(_parts(link, cost, n).sum()) for n in np.array(SIZES)])
    return figure


def _per_byte(cost: MessageCost) -> tuple[float, float]:
    """Seconds of the processor per byte, to send and to receive."""
    empty, full = cost.own_time(0), cost.own_time(1)
    return full[0] - empty[0], full[1] - empty[1]


def _parts(link: Link, cost: MessageCost, size: np.ndarray) -> np.ndarray:
    """Seconds of latency, bandwidth, calls, and the processor's bytes, for messages of a size."""
    one = np.ones_like(size, dtype=float)
    per_byte = sum(_per_byte(cost))
    calls = sum(cost.own_time(0))
    return np.array([link.latency * one, size / link.bandwidth, calls * one, size * per_byte])


def _size_axes(axes: Axes, totals: list[str]) -> None:
    """Sizes below, and what messages of these sizes take above."""
    axes.set(xscale="log", xlim=(SIZES[0], SIZES[-1]), ylim=(0, 100))
    axes.set(xlabel="length of the message", ylabel="share of its time, %")
    axes.set_xticks(SIZES, [_in_words(size) for size in SIZES])
    axes.minorticks_off()
    above = axes.secondary_xaxis("top")
    above.set_xscale("log")
    above.set_xticks(SIZES, totals)
    above.minorticks_off()
    above.set_xlabel("time of the message", labelpad=7)


def _duration(seconds: float) -> str:
    return f"{1e3 * seconds:.1f} ms" if seconds > 1e-3 else f"{1e6 * seconds:.0f} us"


def _in_words(size: float) -> str:
    """Bytes with a unit."""
    unit, name = next(pair for pair in UNITS if size >= pair[0])
    return f"{size / unit:.0f} {name}"


# ---- netlab: nodes, and what shapes their links


def netlab() -> Figure:
    """Four emulated nodes, by the commands that build them, and the ranks on each."""
    command = ["lapwing", "run", "kelvin", "--ranks", "8"]
    request = parse(NetworkOptions(4, "200mbit", "60us"), command, pid=0)
    hosts = Hosts(tuple(map(request.address, range(4))), "", NETWORK, FRONT)
    figure = Figure(figsize=(WIDE, 3.5))
    axes = figure.add_axes((0, 0, 1, 1))
    places = hosts.launcher_options("MPICH", 8)[-1].split(",")
    for node, place in enumerate(places):
        address, slots = place.split(":")
        first = node * int(slots)
        ranks = ", ".join(str(first + n) for n in range(int(slots)))
        lines = f"{address}\nranks {ranks}"
        _box(axes, (1.5 * node, 0), (1.3, 1.0), f"node {node}", lines, BLUE)
        _link(axes, request, node)
    _box(axes, (0, 2.5), (5.8, 0.45), "", "a bridge in the kernel joins the links", SAND)
    axes.plot([2.9, 2.9], [2.95, 3.35], color=INK)
    front = f"this machine, where mpiexec starts: {FRONT}"
    _box(axes, (0.6, 3.35), (4.6, 0.45), "", front, GREEN)
    axes.set(xlim=(-0.1, 5.9), ylim=(-0.1, 3.95))
    axes.axis("off")
    return figure


def _box(
    axes: Axes,
    place: tuple[float, float],
    size: tuple[float, float],
    title: str,
    text: str,
    colour: str,
) -> None:
    x, y = rounded(axes, place, size, colour)
    if title:
        write(axes, (x, y + 0.3), title, weight="bold")
    write(axes, (x, y - (0.15 if title else 0)), text)


def _link(axes: Axes, request: NetlabRequest, node: int) -> None:
    """The link of a node, with what shapes it at either end."""
    x = 1.5 * node + 0.65
    axes.plot([x, x], [1.03, 2.47], color=INK, linewidth=1.5)
    up = [word for line in links.device_commands(request, node, netem=True) for word in line]
    down = [word for line in links.port_commands(request, node) for word in line]
    rate = [float(words[words.index("rate") + 1].removesuffix("bit")) for words in (up, down)]
    delay = up[up.index("delay") + 1].removesuffix("us")
    look = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
    write(axes, (x, 2.12), f"down {rate[1] / 1e6:.0f} Mbit/s", fontsize=9, bbox=look)
    words = f"up {rate[0] / 1e6:.0f} Mbit/s,\n{delay} us delay"
    write(axes, (x, 1.5), words, fontsize=9, bbox=look)


# ---- predict: steps by the number of ranks

RANKS = (16, 64, 256, 1024)
PREDICTED = ("blocking", "dataflow", "deep:1+dataflow:4")


def predict() -> Figure:
    """Predicted steps of the tide by numbers of ranks, and the computing in them."""
    request = PredictionRequest("kelvin", "infiniband", RANKS, PREDICTED)
    entries = predicted(request).entries
    figure = Figure(figsize=(WIDE, 3.9))
    axes = figure.add_axes((0.1, 0.15, 0.86, 0.74))
    width = 0.8 / len(PREDICTED)
    for column, strategy in enumerate(PREDICTED):
        mine = [entry for entry in entries if entry.strategy == strategy]
        for place, entry in enumerate(mine):
            at, step, compute = place + (column - 1) * width, 1e6 * entry.step, 1e6 * entry.compute
            axes.bar(at, compute, color=OWN, width=0.92 * width)
            axes.bar(at, step - compute, bottom=compute, color=PALETTE[column], width=0.92 * width)
            axes.text(at, step + 0.2, f"{step:.1f}", ha="center", va="bottom", color=INK)
    axes.set_xticks(range(len(RANKS)), [f"{ranks} ranks" for ranks in RANKS])
    axes.tick_params(axis="x", length=0)
    axes.set(ylabel="predicted time of a step, us")
    axes.spines[["top", "right"]].set_visible(False)
    colours = [(PALETTE[n], f"{one}: beyond it") for n, one in enumerate(PREDICTED)]
    key(axes, [(OWN, "computing"), *colours], loc="upper right", ncols=1)
    return figure


# ---- predict: three networks

PLACES = (
    ("office", 64, "office\n64"),
    ("infiniband-today", 1024, "InfiniBand\n1024"),
    ("infiniband-today", 16384, "InfiniBand\n16,384"),
)
WORKS = (
    ("coast-60x60", "a tide, 60x60 cells per rank", 1e6, "us", ("blocking", "dataflow", "deep:4")),
    ("tracer-40x24", "a tracer, 40x24x60 per rank", 1e3, "ms", ("blocking", "dataflow")),
)
PARTS = ((OWN, "computing"), (PALETTE[1], "processor's part of messages"), ("#ffb74d", "waiting"))


def networks() -> Figure:
    """Predicted steps of two works on three networks, with and without hiding messages."""
    figure = Figure(figsize=(WIDE, 4.3))
    for column, (case, title, scale, unit, strategies) in enumerate(WORKS):
        axes = figure.add_axes((0.08 + 0.5 * column, 0.35, 0.42, 0.47))
        width = 0.84 / len(strategies)
        for place, (machine, ranks, _) in enumerate(PLACES):
            request = PredictionRequest(case, machine, (ranks,), strategies)
            for nth, entry in enumerate(predicted(request).entries):
                _bar(axes, place + (nth - (len(strategies) - 1) / 2) * width, width, scale, entry)
        axes.set_xticks(range(len(PLACES)), [f"\n\n\n\n{words}" for _, _, words in PLACES])
        axes.tick_params(axis="x", length=0)
        axes.set_ylabel(f"predicted time of a step, {unit}")
        axes.set_title(title, fontsize=10, loc="left", pad=10)
        axes.set_xlabel("network, number of ranks")
        axes.spines[["top", "right"]].set_visible(False)
    whole = figure.add_axes((0, 0, 1, 1), frame_on=False, xticks=[], yticks=[])
    key(whole, list(PARTS), loc="upper center", ncols=3)
    return figure


def _bar(axes: Axes, at: float, width: float, scale: float, entry: Entry) -> None:
    """What a step consists of, one on the other."""
    waiting = max(0.0, entry.step - entry.compute - entry.processor)
    below = 0.0
    for part, (colour, _) in zip((entry.compute, entry.processor, waiting), PARTS, strict=True):
        axes.bar(at, scale * part, bottom=below, color=colour, width=0.92 * width)
        below += scale * part
    axes.text(at, below, f"{below:.3g}", ha="center", va="bottom", color=INK, fontsize=7)
    under = axes.get_xaxis_transform()
    axes.text(
        at, -0.02, entry.strategy, ha="center", va="top", rotation=90, fontsize=8, transform=under
    )


# ---- simulate: simulated steps, and what is hidden of messages

SECTION = "Simulated clusters"
COLUMN = "GETM, 16 x 60x60"
METHODS = ("plain", "blocking", "edge-first", "dataflow:4", "deep:4+dataflow:4", "auto")


def simulate() -> Figure:
    """Simulated steps of one case by all methods, from the table of the measurements."""
    rows = table_under("measurements/reports.md", SECTION, COLUMN)
    values = {row["method"]: row[COLUMN] for row in rows}
    compute = number(values["compute"])
    figure = Figure(figsize=(WIDE, 3.2))
    axes = figure.add_axes((0.27, 0.25, 0.68, 0.65))
    for height, method in enumerate(reversed(METHODS)):
        step = number(values[method])
        axes.barh(height, compute, color=OWN, height=0.7)
        axes.barh(height, step - compute, left=compute, color=PALETTE[1], height=0.7)
        axes.text(12, height, f"{step:.0f}", va="center", color=INK)
    axes.set_yticks(range(len(METHODS)), reversed(METHODS))
    axes.tick_params(axis="y", length=0)
    axes.axvline(compute, color=INK, linewidth=1, linestyle="--")
    axes.text(compute, len(METHODS) - 0.35, "all hidden", ha="center", va="bottom", color=INK)
    most = max(number(values[method]) for method in METHODS)
    axes.set(xlabel="simulated time of a step, us", xlim=(0, 1.05 * most))
    axes.spines[["top", "right", "left"]].set_visible(False)
    meaning = [(OWN, "computing, as charged"), (PALETTE[1], "messages, waits and rims")]
    key(axes, meaning, bbox_to_anchor=(0.35, -0.19), loc="upper center", ncols=2)
    return figure


DRAWINGS = {
    "guide/machine-files": machine_files,
    "guide/netlab": netlab,
    "guide/predict": predict,
    "guide/predict-networks": networks,
    "guide/simulate": simulate,
}
