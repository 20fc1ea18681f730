"""Bad cases: each is refused with what came, what was expected and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lapwing import Grid, UserError, block_partition
from lapwing.core.domain import Domain
from lapwing.core.partition import Box
from lapwing.model import StateError
from lapwing.model.case import load_case
from lapwing.run.request import Request, make_setup
from lapwing_lattice import _kernels, model
from lapwing_lattice.obstacle import sphere_packing

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


def test_more_memory_than_there_is() -> None:
    settings = load_case("lbm-350", {"lattice": model}, [f"grid.cells_{a}=6000" for a in "xyz"])
    geometry = model.geometry(settings.settings, settings.folder)
    domain = Domain(block_partition(Grid((6000, 6000, 6000), True), [1, 1, 1]))
    text = r"memory: got .* bytes available on this node; expected 7.2.*e\+13 bytes for the fields"
    with pytest.raises(UserError, match=text):
        model.create(domain, settings.settings, geometry, strategy="blocking", transport="p2p")
    domain.spare_halos = {"populations_1": 500}  # as deep halos are made; they count too
    with pytest.raises(UserError, match=r"expected 9.2\d\de\+13 bytes for the fields"):
        model.create(domain, settings.settings, geometry, strategy="blocking", transport="p2p")
    domain.close()


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
