"""Bad cases: each is refused with what came, what was expected and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lapwing import UserError
from lapwing.core.domain import Domain
from lapwing.core.partition import Box
from lapwing.model import StateError
from lapwing.model.case import load_case
from lapwing.run.request import Request, make_setup
from lapwing_lattice import _kernels, model
from lapwing_lattice.obstacle import sphere_packing
from model_runs import RunOnRanks

MakeFluid = Callable[..., Any]  # see fluid.py


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("flow.tau=0.5 flow.reynolds=0", r"flow.tau: got 0.5; expected more than 0.5"),
        (
            "flow.tau=0.1 flow.reynolds=0",
            r"flow.tau: got 0.1; .*viscosity is above 0; choose a larger tau",
        ),
        ("flow.reynolds=-1", r"flow.reynolds: got -1"),
        ("flow.speed=0.2", r"flow.speed: got a Mach number of 0.346; expected at most 0.3"),
        ("initial.speed=0.3", r"initial.speed: got a Mach number of 0.52; .*slower flow"),
        ("sides.y_high.velocity=[0.1,0.2,0]", r"sides.y_high.velocity: got a Mach number"),
        ("sides.y_high.velocity=[0.1]", r"sides.y_high.velocity: got 1 numbers; expected 3"),
        ("sides.y_high.kind=periodic", r"y_low and sides.y_high: got 'wall' and 'periodic'"),
        ("sides.x_low.density=0", r"sides.x_low.density: got 0; expected more than 0"),
        ("sides.z_high.velocity=[0,nan,0]", r"sides.z_high.velocity: got a Mach number of nan"),
        (
            "sides.z_low.velocity=[0,0.1,0]",
            r"sides.z_low.velocity: got \[0.0, 0.1, 0.0\] with the kind 'wall'; .*none with",
        ),
        ("sides.y_high.kind=wall", r"sides.y_high.velocity: got \[0.1, .* with the kind 'wall'"),
        (
            "sides.y_high.density=1.01",
            r"sides.y_high.density: got 1.01 with the kind 'velocity'; .*\"pressure\", 1 with",
        ),
        ("lattice.magic=0", r"lattice.magic: got 0"),
        ("lattice.kernel=esoteric", r"'two-lattice' or 'in-place'"),
        ("grid.cells_z=0", r"grid.cells_z: got 0"),
        ("obstacle.solid=1", r"obstacle.solid: got 1"),
        ("obstacle.shape=mask", r"obstacle.file: got None with the shape 'mask'"),
        ("nx=3", r"did you mean 'grid.cells_x'\?"),
    ],
)
def test_bad_setting(setting: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        load_case("cavity-small", {"lattice": model}, setting.split())


def test_mask_of_another_shape(make_fluid: MakeFluid, tmp_path: Path) -> None:
    np.save(tmp_path / "mask.npy", np.zeros((13, 11, 8)))
    sets = ("obstacle.shape=mask", f"obstacle.file={tmp_path / 'mask.npy'}")
    text = r"obstacle mask mask.npy: got the shape \(13, 11, 8\); expected \(13, 11, 9\)"
    with pytest.raises(UserError, match=text):
        make_fluid("cavity-small", *sets)
    np.save(tmp_path / "mask.npy", np.ones((13, 11, 9)))
    with pytest.raises(UserError, match="obstacle: got no fluid cell"):
        make_fluid("cavity-small", *sets)


def test_the_kernels_refuse_by_themselves() -> None:
    domain = Domain((8, 8, 8))
    for name, value, message in (
        ("tau", 0.5, r"tau: got 0.5.*; expected more than 0.5"),
        ("tau_minus", float("nan"), "tau of what is odd"),
        ("force", [0.0, float("inf"), 0.0], "force: got inf"),
    ):
        settings = _kernels.LatticeSettings()
        setattr(settings, name, value)
        with pytest.raises(UserError, match=message):
            _kernels.LatticeModel(domain, settings, "blocking", "p2p")
    settings = _kernels.LatticeSettings()
    settings.set_solid(np.zeros(511, np.uint8))
    with pytest.raises(UserError, match="obstacle mask: got 511 cells; expected 512"):
        _kernels.LatticeModel(domain, settings, "blocking", "p2p")
    sides = [_kernels.Side() for _ in range(6)]
    sides[3] = _kernels.Side(kind="velocity", velocity=[0.2, 0.0, 0.0])
    settings = _kernels.LatticeSettings(sides=sides)
    with pytest.raises(UserError, match=r"Mach number at a side of the grid: got 0.346"):
        _kernels.LatticeModel(domain, settings, "blocking", "p2p")
    domain.close()


def test_too_many_blocks() -> None:
    """Blocks without a cell are refused before there are ranks."""
    text = "blocks along x: got 14; expected 1 to 13, the cells along that axis; use fewer ranks or"
    with pytest.raises(UserError, match=text):
        make_setup(Request("cavity-small", blocks=(14, 1, 1), leaves_results=False), 14)
    with pytest.raises(UserError, match=r"run.blocks: got .*2 blocks; expected 4, one per rank"):
        make_setup(Request("cavity-small", sets=("blocks=[1,1,2]",), leaves_results=False), 4)
    plan = make_setup(Request("cavity-small", sets=("blocks=[1,2,2]",), leaves_results=False), 4)
    assert plan.blocks == (1, 2, 2)
    assert plan.cut == "1 x 2 x 2 blocks"


TOO_LARGE = """
import sys
from lapwing import UserError, block_partition
from lapwing.core.domain import Domain
from lapwing.model.case import load_case
from lapwing_lattice import model

case = load_case("lbm-350", {"lattice": model}, [f"grid.cells_{a}=6000" for a in "xyz"])
geometry = model.geometry(case.settings, case.folder)
domain = Domain(block_partition(geometry.grid, [1, 1, 2]))
try:
    model.create(domain, case.settings, geometry, strategy=sys.argv[1], transport="p2p")
except UserError as error:
    sys.stdout.write(f"refused {error}\\n")
domain.close()
"""


def test_more_memory_than_there_is(run_on_ranks: RunOnRanks) -> None:
    """Refused before any is taken; the halos of `deep` count too."""
    text = (
        r"refused .*memory: got \d+ bytes available on this node; expected (\d+) bytes for the "
        r"fields of its 2 ranks; use more nodes, fewer cells, narrower types or a strategy with "
        r"narrower halos"
    )
    needed = {}
    for strategy in ("blocking", "deep:50"):
        found = re.findall(text, run_on_ranks(2, TOO_LARGE, strategy, timeout=60).stdout)
        assert len(found) == 2
        assert found[0] == found[1]
        needed[strategy] = float(found[0])
    values = 2 * 19 + 4  # of a cell, 8 bytes each
    assert needed["blocking"] == pytest.approx(8 * values * 6000.0**3, rel=0.003)
    assert needed["deep:50"] == pytest.approx(1.068 * needed["blocking"], rel=0.01)


def test_too_fast_on_the_way(make_fluid: MakeFluid) -> None:
    """A force that the lattice does not bear: the run ends with the cell and the number."""
    fluid = make_fluid("poiseuille", "flow.force_x=2e-3", "grid.cells_x=3", "grid.cells_z=2")
    fluid.run.check_state()
    fluid.run.advance(150)
    text = r"Mach number = 0\.\d+ at step 150, cell \(0, \d+, 0\), rank 0; expected at most 0.3"
    with pytest.raises(StateError, match=text):
        fluid.run.check_state()


def test_not_finite(make_fluid: MakeFluid) -> None:
    fluid = make_fluid("cavity-small")
    fluid.run.state["populations_0"][Box((3, 4, 5), (4, 5, 6))] = np.nan
    fluid.run.advance(1)
    with pytest.raises(StateError, match=r"density = nan at step 1, cell \(\d, \d, \d\), rank 0"):
        fluid.run.check_state()


def test_packing_is_the_same_everywhere() -> None:
    """Spheres neither overlap nor depend on anything but the seed."""
    size, closed = (40, 30, 20), (True, True, True)
    one = sphere_packing(size, 4.0, 0.2, 3, closed)
    assert np.array_equal(one, sphere_packing(size, 4.0, 0.2, 3, closed))
    assert not np.array_equal(one, sphere_packing(size, 4.0, 0.2, 4, closed))
    assert one.mean() == pytest.approx(0.2, abs=0.02)
