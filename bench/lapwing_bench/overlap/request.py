"""What `lapwing bench overlap` was asked for, checked before anything is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lapwing.base.error import user_error

from lapwing_bench.measure.request import OptionParser, Style, names_in, number_in

# Cells of a rank along x, y and z, and the width of the halo; named by the message to a neighbour.
SIZES = {
    "26KB": (64, 40, 25, 2),
    "230KB": (128, 24, 112, 2),
    "460KB": (160, 24, 180, 2),
}

PLAIN, CEILING = "plain", "tcp-ceiling"
POLLED, BUFFERED = "plain-poll", "plain-ibsend"
HAND = (PLAIN, POLLED, BUFFERED, CEILING)
USUAL = (PLAIN, CEILING)  # and every strategy

DEFAULT_RANKS, DEFAULT_SAMPLES = 2, 15


@dataclass(frozen=True)
class OverlapRequest:
    """Works and methods to measure, how messages move, and where to write the samples."""

    works: tuple[str, ...]
    methods: tuple[str, ...]
    ranks: int
    transport: str  # of the strategies
    chunk_bytes: int  # of a message at most; 0: all of it
    samples: int  # of each method
    json: Path | None
    progress: Style

    def full_name(self, work: str) -> str:
        """The name of a work with all in which this request is not the usual one."""
        name = work if self.ranks == DEFAULT_RANKS else f"{work}@{self.ranks}"
        return f"{name}@c{self.chunk_bytes}" if self.chunk_bytes else name


def method_names() -> list[str]:
    """All methods that there are, in the order of the table. Local."""
    from lapwing import strategy_names  # here: listing benchmarks loads no extension

    # rims that are computed twice save latency, not bytes
    return [*HAND, *(name for name in strategy_names() if not name.startswith("deep"))]


def parse(arguments: Sequence[str], ranks: int) -> OverlapRequest:
    """The request in the options. Local; raises UserError."""
    parser = OptionParser("overlap")
    parser.add_argument("--works", default=",".join(SIZES))
    parser.add_argument("--methods")
    parser.add_argument("--transport", default="auto")
    parser.add_argument("--chunk-bytes", default="0")
    parser.add_argument("--samples", default=str(DEFAULT_SAMPLES))
    options = parser.parse_args(arguments)
    if ranks < 2:
        raise user_error("--ranks", str(ranks), "2 or more", "one rank has nothing to hide")
    return OverlapRequest(
        works=names_in("--works", options.works, tuple(SIZES)),
        methods=_methods(options.methods),
        ranks=ranks,
        transport=_transport(options.transport),
        chunk_bytes=number_in("--chunk-bytes", options.chunk_bytes, 0, 1 << 30),
        samples=number_in("--samples", options.samples, 2, 100_000),
        json=options.json,
        progress=options.progress,
    )


def _methods(text: str | None) -> tuple[str, ...]:
    known = method_names()
    if text is None:
        return tuple(name for name in known if name in USUAL or name not in HAND)
    asked = names_in("--methods", text, known)
    # every ratio is one to these two
    return tuple(name for name in known if name in asked or name in USUAL)


def _transport(text: str) -> str:
    from lapwing import transport_names

    return names_in("--transport", text, ["auto", *transport_names()])[0]
