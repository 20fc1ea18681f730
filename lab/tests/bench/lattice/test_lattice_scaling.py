"""The strong scaling by simulation: its cuts, the report's model, and a small one that runs."""

import math
import subprocess
import sys
from pathlib import Path

import pytest
from lapwing.base.error import UserError
from lapwing_lab.bench.lattice.scaling import (
    CUTS,
    blocks_of,
    memory_bandwidth,
    part_of,
    points,
    rounded_up,
    simulated,
    simulated_steps,
    step_seconds,
)
from lapwing_lab.machine.machine import load_machine

TABLES = Path(__file__).resolve().parents[3] / "programs" / "simulated_tables.py"


def test_cuts_are_as_equal_as_they_can_be() -> None:
    assert blocks_of(CUTS["(1,x,x)"], 480) == (1, 20, 24)
    assert blocks_of(CUTS["(x,1,x)"], 24) == (4, 1, 6)
    assert blocks_of(CUTS["(x,x,1)"], 648) == (24, 27, 1)
    assert blocks_of(CUTS["(x,x,x)"], 1512) == (9, 12, 14)


def test_what_grows_by_more_than_a_tenth_is_left_out() -> None:
    assert rounded_up(350, (9, 12, 14)) == (351, 360, 350)
    # 36 x 42 blocks make 360 x 378 cells, 11.1 % more
    assert list(points(350, (63,), 24)) == [("(x,x,x)", 63)]
    assert len(list(points(350, (1, 16), 24))) == 8


def test_the_model_is_the_formula_of_the_report() -> None:
    """Section 3.3 for the XE6, with cubes of 30^3 cells, written out."""
    machine = load_machine("lbm-xe6")
    assert memory_bandwidth(machine) == pytest.approx(51.9e9, rel=1e-4)
    between = 3 * 1.5e-6 + 5 * 8 * 30**2 * (4 * 24 + 2) / (10e9 / 2)
    within = 3 * 1e-6 + 5 * 8 * 30**2 * 2 * (24 - 1) / (25e9 / 2)
    computing = 3 * 19 * 8 * 24 * 30**3 / 51.9e9
    expected = between + within + computing
    assert expected == pytest.approx(6.539e-3, rel=1e-3)
    seconds = step_seconds((30, 30, 30), CUTS["(x,x,x)"], machine)
    assert seconds == pytest.approx(expected, rel=1e-4)


def test_faces_of_two_axes_are_counted_alike() -> None:
    """Boxes of 40 x 10 x 20 cells, whole along x: 46 faces of 40 x 20 stay in the node."""
    machine = load_machine("lbm-lima")
    between = 2 * 2e-6 + 40 * (2 * 800 + 48 * 400) / 3e9
    within = 2 * 1e-6 + 40 * 46 * 800 / 10e9
    computing = 456 * 24 * 8000 / 38.9e9
    seconds = step_seconds((40, 10, 20), CUTS["(1,x,x)"], machine)
    assert seconds == pytest.approx(between + within + computing, rel=1e-4)


def test_a_machine_without_costs_is_refused() -> None:
    with pytest.raises(UserError, match=r"compute\.lattice"):
        list(simulated("infiniband", 48, (1,)))


def test_a_slab_has_whole_nodes() -> None:
    assert part_of((9, 12, 14), 24) == (9, 12, 4)
    assert part_of((1, 24, 32), 24) == (1, 24, 3)
    assert part_of((24, 27, 1), 24) == (24, 3, 1)
    assert part_of((2, 3, 4), 24) == (2, 3, 4)


@pytest.mark.simgrid
@pytest.mark.timeout(900)  # the driver may have to be compiled
@pytest.mark.parametrize(("blocks", "box"), [((4, 6, 8), (8, 8, 8)), ((1, 12, 16), (24, 8, 6))])
def test_a_slab_takes_as_long_as_the_whole(
    blocks: tuple[int, int, int], box: tuple[int, int, int]
) -> None:
    part = part_of(blocks, 24)
    assert math.prod(part) < math.prod(blocks)
    whole, slab = (simulated_steps("lbm-xe6", box, some) for some in (blocks, part))
    for method, seconds in whole.items():
        assert slab[method] == pytest.approx(seconds, rel=0.03)


@pytest.mark.simgrid
@pytest.mark.timeout(900)  # the driver may have to be compiled
def test_a_small_cube_scales_as_the_model_says(tmp_path: Path) -> None:
    picture = tmp_path / "scaling.png"
    words = ["lattice", "lbm-xe6", "--cells", "48", "--nodes", "1", "--picture", str(picture)]
    done = subprocess.run(
        [sys.executable, TABLES, *words], capture_output=True, text=True, timeout=850
    )
    assert done.returncode == 0, done.stderr
    lines = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith("| 1 ")]
    assert [line[1] for line in lines] == list(CUTS)
    bound = 51.9e9 / 456 / 1e6  # MLUP/s without any message
    for line in lines:
        blocking, edge_first, cut, model = map(float, line[4:8])
        assert 0.7 * bound < model <= blocking <= edge_first <= cut < bound + 1
        # its messages leave no node and go at once; the model adds some that do
        assert blocking < 1.3 * model
        assert math.prod(map(int, line[3].split("x"))) == 48**3
    assert picture.read_bytes().startswith(b"\x89PNG")
