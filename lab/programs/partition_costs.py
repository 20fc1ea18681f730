"""Costs of cuts of seas, as results that a page of docs/measurements is made from.

python lab/programs/partition_costs.py SEA... -n 60,120 [--method all] [--ranks-per-node 1]
    [--connected] [--json FILE]

SEA is the name of a region of `lapwing mask`, or NAME=S,N,W,E@MINUTES. Each is written as a mask
and cut by `lapwing partition`, whose table is printed; the file has a work SEA@RANKS for each. With
--connected waters that touch no side are left out, as `lapwing mask --connected` does.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lapwing.base.error import OutsideError, UserError
from lapwing.commands.partition import PartitionRequest, partition_mask
from lapwing.core.versions import write_report
from lapwing.partition.methods import METHODS, METIS_VERSION
from lapwing.partition.regions import find_region, write_region

COUNTS = ("ranks_used", "halo_on", "halo_off", "messages", "max_messages", "searched", "candidates")


@dataclass(frozen=True)
class SeaName:
    """A region of the earth and what a table calls it."""

    name: str
    region: str
    minutes: float | None  # size of a cell, arc-minutes; None: the region's own

    @classmethod
    def read(cls, text: str) -> SeaName:
        """From REGION or NAME=S,N,W,E@MINUTES. Local; ValueError where the minutes are none."""
        name, _, place = text.partition("=")
        region, _, minutes = (place or name).partition("@")
        return cls(name, region, float(minutes) if minutes else None)


def entries(sea: SeaName, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Cut a sea, print the table, and return the results. Local; up to minutes."""
    with tempfile.TemporaryDirectory(prefix="lapwing-partitions-") as folder:
        mask, file = Path(folder, f"{sea.name}.nc"), Path(folder, "entries.json")
        connected = True if options.connected else None  # None: the region's own
        write_region(find_region(sea.region, sea.minutes, connected), mask)
        asked = PartitionRequest(
            mask=mask,
            ranks=options.n,
            method=options.method,
            ranks_per_node=options.ranks_per_node,
            json=file,
        )
        partition_mask(asked)
        found = json.loads(file.read_text())
    return [_result(sea, found["mask"], entry) for entry in found["entries"]]


def _result(sea: SeaName, mask: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "work": f"{sea.name}@{entry['ranks']}",
        "method": entry["method"],
        "samples": [entry["seconds"]],
        "extra": dict(_numbers(mask, entry)),
    }


def _numbers(mask: Mapping[str, Any], entry: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    yield "wet", mask["wet"]
    if mask["waters"] is not None:
        yield "waters", mask["waters"]
    yield from zip(("nx", "ny"), mask["size"], strict=True)
    yield "imbalance", entry["imbalance"]
    yield "cost", round(entry["cost"])  # one is the work on a wet point
    for name in COUNTS:
        if entry[name] is not None:
            yield name, entry[name]
    if entry["blocks"] is not None:
        yield from zip(("blocks_x", "blocks_y"), entry["blocks"], strict=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Costs of cuts of seas.")
    parser.add_argument("seas", nargs="+", type=SeaName.read, metavar="SEA")
    parser.add_argument("-n", required=True, metavar="RANKS", help="like 60,120")
    parser.add_argument("--method", default="all", choices=("all", *METHODS))
    parser.add_argument("--ranks-per-node", type=int, default=1)
    parser.add_argument("--connected", action="store_true", help="without lakes")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args()


def main() -> None:
    """Print a table for each sea, and write the file."""
    options = _options()
    results = [one for sea in options.seas for one in entries(sea, options)]
    if options.json is not None:
        versions = {"pymetis": METIS_VERSION}
        write_report(options.json, "lapwing-bench-1", {"results": results}, versions)


if __name__ == "__main__":
    try:
        main()
    except (UserError, OutsideError) as problem:
        sys.exit(str(problem))
