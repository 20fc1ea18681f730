"""What `lapwing bench pack` is asked for."""

from dataclasses import dataclass

from lapwing_bench.measure.request import Ranks, Request


@dataclass(frozen=True, kw_only=True)
class PackRequest(Request):
    """Packing and unpacking compared with memcpy."""

    ranks: Ranks = 1
