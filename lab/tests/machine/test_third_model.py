"""A model that is none of the shipped ones is simulated as it is, by what its own folder says."""

import re
from pathlib import Path

import pytest
from lapwing_lab.simulate.simulate import Simulation, simulate
from lapwing_lab.simulate.work import SimulationRequest, make_work

ROOT = Path(__file__).resolve().parents[3]
HEAT = ROOT / "python" / "tests" / "support" / "heat"
MACHINES = ROOT / "lab" / "lapwing_lab" / "machine" / "machines"


@pytest.fixture
def heat(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An installed model `heat`, and a machine file that knows what its stages cost."""
    installed = tmp_path / "heat_model-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: heat-model\nVersion: 1\n")
    (installed / "entry_points.txt").write_text("[lapwing.models]\nheat = heat_model:model\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(HEAT)
    text = (MACHINES / "getm-cluster.toml").read_text()
    machine = tmp_path / "warm.toml"
    machine.write_text(text + "\n[[compute.heat]]\nbox = [8, 8]\nspread = 2e-7\ntake = 1e-7\n")
    return machine


def asked(machine: Path, case: str) -> Simulation:
    names = ("blocking", "dataflow")
    return simulate(SimulationRequest(case, str(machine), 4, names, steps=4, samples=1))


def test_it_is_found_by_its_entry_point(heat: Path, tmp_path: Path) -> None:
    work = make_work(SimulationRequest("heat-8x8", str(heat), 4))
    assert (work.grid, work.blocks, work.stages) == ((16, 16), (2, 2), ("spread", "take"))
    case = tmp_path / "warm-corner.toml"
    case.write_text('model = "heat"\nstrength = 0.2\n')
    work = make_work(SimulationRequest(str(case), str(heat), 4))
    assert work.document["heat"] == {"strength": 0.2, "start": "corner"}
    assert work.document["grid"] == {"size": [24, 20, 1], "periodic": [False, False, False]}


def test_the_simulator_names_no_model() -> None:
    named = re.compile(r"coast|tracer|lattice|weather|heat")
    files = [
        path
        for folder in ("lab/simulate", "lab/lapwing_lab/simulate")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".cpp", ".hpp", ".txt")
    ]
    assert len(files) > 15
    for path in files:
        assert not named.search(path.read_text()), path


@pytest.mark.simgrid
@pytest.mark.timeout(900)  # the driver has to be compiled
def test_it_is_simulated(heat: Path, tmp_path: Path) -> None:
    simulation = asked(heat, "heat-8x8")
    assert not simulation.disagreeing()
    assert [result.method for result in simulation.results] == ["plain", "blocking", "dataflow"]
    for result in simulation.results:
        assert result.compute == pytest.approx(64 * 3e-7, rel=1e-6)
    case = tmp_path / "hot.toml"
    case.write_text('model = "heat"\nstrength = 0.2\n')
    corner = asked(heat, str(case))
    case.write_text('model = "heat"\nstrength = 0.21\n')
    stronger = asked(heat, str(case))
    checksums = {one.results[0].checksum for one in (simulation, corner, stronger)}
    assert len(checksums) == 3  # each setting arrives
