"""The options of `lapwing bench pack`."""

from dataclasses import dataclass

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request


@dataclass(frozen=True, kw_only=True)
class PackRequest(Request):
    """Packing and unpacking compared with memcpy."""

    ranks: int = options.ranks(1)
