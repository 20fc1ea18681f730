"""The options of `lapwing bench overlap`."""

from dataclasses import dataclass

import lapwing
from lapwing.base.error import user_error

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request

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

DEFAULT_RANKS = 2


def method_names() -> list[str]:
    """All methods that there are, in the order of the table. Local."""
    # rims that are computed twice save latency, not bytes
    return [*HAND, *(name for name in lapwing.strategy_names() if not name.startswith("deep"))]


@dataclass(frozen=True, kw_only=True)
class OverlapRequest(Request):
    """Measure how much of the communication a step hides.

    Example:

    lapwing netlab run --rate 1gbit -- lapwing bench overlap
    """

    works: tuple[str, ...] = options.names(tuple(SIZES), tuple(SIZES), "Messages to a neighbour.")
    methods: tuple[str, ...] | None = options.names(
        method_names,
        None,
        f"Strategies, {PLAIN}, {CEILING}, {POLLED}, {BUFFERED}; the first two always.",
        show_default="all strategies",
    )
    transport: str = options.transport()
    chunk_bytes: int = options.count(0, 1 << 30, 0, "Messages of at most B bytes; 0: whole.")
    samples: int = options.samples(15)

    def __post_init__(self) -> None:
        if self.ranks < 2:
            raise user_error("--ranks", str(self.ranks), "2 or more", "one rank hides nothing")

    @property
    def chosen(self) -> tuple[str, ...]:
        """The methods to measure, with those that every ratio is to."""
        known = method_names()
        asked = [one for one in known if one not in HAND] if self.methods is None else self.methods
        return tuple(one for one in known if one in asked or one in USUAL)

    def full_name(self, work: str) -> str:
        """The name of a work with all in which this request is not the usual one."""
        name = work if self.ranks == DEFAULT_RANKS else f"{work}@{self.ranks}"
        return f"{name}@c{self.chunk_bytes}" if self.chunk_bytes else name
