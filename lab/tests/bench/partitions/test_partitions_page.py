"""The page of partitions: tables and sentences that are made from kept results."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from lapwing_lab.bench.kept.pages.partitions import PAGE
from lapwing_lab.bench.kept.pages.partitions.steps import changes
from lapwing_lab.bench.kept.results import Kept, kept

PROGRAM = Path(__file__).parents[3] / "programs" / "partition_costs.py"
ROOT = PROGRAM.parents[2]


def row(work: str, method: str, seconds: float, **extra: float) -> dict[str, Any]:
    return {"work": work, "method": method, "samples": [seconds], "extra": extra}


def found(*invocations: Iterable[dict[str, Any]]) -> Kept:
    """Results of one or several invocations."""
    head = {
        "machine": {"processor": "a processor", "cores": 2, "usable_cores": 2},
        "versions": {"mpi": "MPICH Version:      5.0.2", "compiler": "g++ 12.2"},
    }
    reports = [{**head, "results": list(rows)} for rows in invocations]
    days = range(1, len(reports) + 1)
    when = [{"began": f"2026-12-0{day}T10:00:00", "load": 0.0} for day in days]
    return kept("it", reports, when)


def made(block: str, **results: Kept) -> list[str]:
    return PAGE.blocks[block](results).splitlines()


# ---- costs


def cut(work: str, method: str, cost: float, halo: float, **more: float) -> dict[str, Any]:
    counts = {"ranks_used": 6, "messages": 20, "max_messages": 5, "wet": 1234567}
    return row(
        work, method, 1.26, cost=cost, imbalance=1.0186, **counts, halo_on=0, halo_off=halo, **more
    )


def cuts(work: str) -> list[dict[str, Any]]:
    return [
        cut(work, "block", 2000, 1000, blocks_x=2, blocks_y=3, searched=14),
        cut(work, "block, node order", 2000, 500, blocks_x=2, blocks_y=3, searched=14),
        cut(work, "ksection", 1500, 1100, searched=1200, candidates=1192),
        cut(work, "ksection, nodes first", 1600, 400),
        cut(work, "metis", 1000, 1673839),
    ]


def test_costs_have_a_row_for_each_cut() -> None:
    lines = made("many", many=found(cuts("shelf@6")))
    assert lines[0].startswith("`it`, one invocation, 1 December 2026: a processor")
    assert lines[4] == "| 6 | 1.019 | 1,000 | 20 | 2,000 | 14 | 1.3 |"
    assert lines[6].endswith("| 1,500 | 1,200 (1,192) | 1.3 |")
    assert lines[8] == "| 6 | 1.019 | 1,673,839 | 20 | 1,000 |  | 1.3 |"


def test_the_section_is_compared_with_blocks_and_with_metis() -> None:
    lines = made("sea", sea=found(cuts("shelf@6")), shelf=found(cuts("shelf@6")))
    assert lines[6] == "| 6 | ksection | 1.019 | 1,100 | 20 | 5 | 1,500 | 20 |"
    lines = made("compared", sea=found(cuts("shelf@6")))
    assert lines[2] == "| 6 | -25 % | +50 % | +10 % | -100 % |"


def test_coasts_have_their_names_and_bounds() -> None:
    lines = made("coasts", coasts=found(cuts("arctic@6")))
    mask = "Canadian Arctic (60,80,-130,-60), 4"
    assert lines[4] == f"| {mask} | 1,234,567 | 6 | 1.019 | 1.019 | 5 | 5 | 1,500 | 1,000 |"


def test_what_leaves_a_node_is_told() -> None:
    whole = found([cut("shelf@30", "ksection", 1, 200)])
    said = " ".join(made("nodes", nodes=found(cuts("shelf@720")), **{"one-per-node": whole}))
    assert "-10 % fewer points leave a node" in said
    assert "60 % fewer with nodes first: 2.00 times the 200 halo points" in said


@pytest.mark.timeout(120)
def test_the_program_of_costs_writes_results(tmp_path: Path) -> None:
    pytest.importorskip("global_land_mask")
    file = tmp_path / "costs.json"
    command = [sys.executable, str(PROGRAM), "northsea", "gulf=-5,7,-8,12@6", "-n", "3,6"]
    command += ["--method", "ksection", "--ranks-per-node", "3", "--json", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    results = kept("it", [json.loads(file.read_text())], [{"began": "2026-12-01", "load": 0.0}])
    assert results.works() == ["northsea@3", "northsea@6", "gulf@3", "gulf@6"]
    assert results.methods("gulf@6") == ["ksection", "ksection, nodes first"]
    assert results.values("northsea@6", "ksection", "wet") == [74725]
    assert "northsea.nc: 390 x 300 points" in done.stdout


# ---- steps


def timed(work: str, method: str, over: float, cost: float = 1000) -> dict[str, Any]:
    extra = {"imbalance": 1.1, "boxes": 6, "cells": 12345, "cost": cost}
    extra |= {"step": 1e-3 * over, "step_over": over}
    extra |= {"skipping": 1e-3 * over, "skipping_over": over}
    ends = {f"{name}_{end}": value for name, value in extra.items() for end in ("least", "most")}
    return row(work, method, 1e-3 * over, **{**extra, **ends, "cost_most": cost + 10})


METHODS = {
    "wet blocks": 1.0,
    "ksection": 2.0,
    "ksection, tiles": 0.9,
    "metis blocks, cut": 1.2,
    "metis parts, cut": 0.8,
    "metis parts, volume": 0.8,
    "wet blocks, own costs": 0.97,
    "ksection, own costs": 1.5,
}


def predictions() -> Kept:
    names = [
        f"{pair}_{who}"
        for pair in ("cost_step", "cost_skipping", "own_step")
        for who in ("Pearson", "Spearman")
    ]
    rows = []
    for machine in ("hector-xt4", "infiniband"):
        for ranks in ("60", "120"):
            rows += [timed(f"{machine}@{ranks}", *one) for one in METHODS.items()]
        for ranks in ("60", "120", "all"):
            together = dict.fromkeys(names, -0.256) | {"cuts": 21}
            rows.append(row(f"{machine}@{ranks}", "together", 0.0, **together))
    return found(rows)


def test_predictions_have_a_row_for_each_cut_and_columns_of_each_machine() -> None:
    lines = made("predicted", predicted=predictions())
    steps = "2,000 | 2.00 | 2.00 | 2,000 | 2.00 | 2.00"
    assert f"| 60 | ksection | 1.100 | 6 | 12,345 | 1,000 (1,000-1,010) | {steps} |" in lines
    hidden = ("own costs", "together", "volume")
    assert not any(name in line for line in lines for name in hidden)
    lines = made("together", predicted=predictions())
    assert lines[2] == "| XT4 | 60 | 21 | -0.26, -0.26 | -0.26, -0.26 | -0.26, -0.26 |"
    assert len(lines) == 2 + 2 * 3


def test_predictions_are_read() -> None:
    said = "\n".join(made("predicted-reading", predicted=predictions()))
    assert "on 60 and 120 ranks:" in said
    assert "costs 0 % less than wet blocks, and takes 2.0 times as long" in said
    assert "blocks take 3 % and 3 % less (XT4), 3 % and 3 % less" in said
    assert "1 % in cost and 0 % in time on 120 ranks of the XT4" in said


def test_changes_in_words() -> None:
    assert changes([0.9]) == "10 % less"
    assert changes([1.1, 1.204, 1.3]) == "10 %, 20 % and 30 % more"
    assert changes([0.95, 1.28]) == "5 % less and 28 % more"


def test_real_steps_are_compared_with_wet_blocks() -> None:
    def once(faster: float) -> list[dict[str, Any]]:
        return [
            row("shelf", "wet blocks", 1e-3, cells=100, cost=9, speed_up=1.0),
            row("shelf", "ksection", 2e-3, cells=200, cost=8, speed_up=0.5),
            row("shelf", "ksection, tiles", 5e-4, cells=50, cost=8, speed_up=faster),
        ]

    steps = found(once(1.9), once(2.0), once(2.1))
    lines = made("steps", steps=steps)
    assert lines[2] == "| cut | `shelf`: most cells | speed-up over 1,000 us |"
    assert lines[6] == "| ksection, tiles | 50 | 2.00 (1.95-2.05) |"
    said = " ".join(made("steps-reading", steps=steps))
    assert "time correlate by 1.00 (Pearson)" in said
    assert "0.89 times the cost of wet blocks, 2.00 times the cells" in said


# ---- messages without land


def forms(*works: str) -> Kept:
    rows = [
        row(work, form, 5.6e-6, bytes=1e5 * share, speed_up=1 / share)
        for work in works
        for form, share in (("off", 1.0), ("clip", 0.8), ("patches", 0.5), ("lists", 0.5))
    ]
    return found(rows, rows)


def test_messages_without_land_have_bytes_times_and_speed_ups() -> None:
    fields = ("2d", "3x2d", "3d", "mixed")
    results = {
        "wet-p2p": forms(*fields, "northsea"),
        "wet-shared": forms(*fields, "northsea"),
        "wet-columns": forms(*fields),
        "wet-network": forms("3d", "northsea"),
    }
    assert made("wet-bytes", **results)[2] == "| `1x2` | 2d | 100,000 | 80 % | 50 % | 50 % |"
    lines = made("wet-exchanges", **results)
    assert lines[6] == "| `1x2` | p2p | 2d | 5.60 | 1.25 | 2.00 | 2.00 |"
    assert lines[-1] == "| `2x1` | p2p | 3d | 5.60 | 1.25 | 2.00 | 2.00 |"
    steps = made("wet-steps", **results)
    assert [line.split(" | ")[1:3] for line in steps[2:]] == [
        ["p2p", "northsea"],
        ["shared", "northsea"],
    ]
    assert made("wet-network", **results)[-1] == "| northsea | 5.60 | 1.25 | 2.00 | 2.00 |"
    (said,) = made("wet-reading", **results)
    assert said.endswith("1.25 with clip, 2.00 with patches, 2.00 with lists.")


# ---- the page


def test_blocks_without_results_stay_as_they_are() -> None:
    text = (ROOT / PAGE.document).read_text()
    assert PAGE.written(text, {}) == text
