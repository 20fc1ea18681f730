"""Every example runs as its first screen says, on any number of ranks with the same numbers."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from lapwing.core import mpi_runtime
from lapwing.core.names import strategy_names

ROOT = Path(__file__).parent.parent
PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
HEAT = ROOT / "examples" / "02_heat" / "heat.py"
TIDE = ROOT / "examples" / "10_own_model" / "tide.py"
SOUND = ROOT / "examples" / "06_overlap" / "sound.py"


def test_heat_is_the_same_on_any_number_of_ranks(run_on_ranks) -> None:
    printed = [run_on_ranks(n, HEAT.read_text()).stdout.strip() for n in (1, 2, 4)]
    heat, *others = [line.rpartition(", on")[0] for line in printed]
    # 400 pi is the integral of the initial bell; the scheme conserves it
    assert float(re.search(r"heat ([\d.]+)", heat)[1]) == pytest.approx(1256.637061, abs=1e-4)
    assert others == [heat, heat]


def test_the_readme_shows_the_heat_example_and_what_it_prints(run_on_ranks) -> None:
    text = (ROOT / "README.md").read_text()
    program = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    assert program == HEAT.read_text()
    command, printed = re.search(
        r"```console\n(?:\$ .*\n)*?\$ (\S.*?heat\.py)\n(.*?)\n", text, re.DOTALL
    ).groups()
    assert "mpiexec -n 2" in command
    assert run_on_ranks(2, program).stdout.strip() == printed


def test_sound_is_the_same_in_any_order_on_any_number_of_ranks(run_on_ranks) -> None:
    runs = [(1, "blocking"), *((2, s) for s in ("6s", "dataflow", "deep:4", "auto")), (4, "3s")]
    printed = [run_on_ranks(ranks, SOUND.read_text(), strategy).stdout for ranks, strategy in runs]
    loudest = {re.search(r"sound: loudest ([\d.]+),", text)[1] for text in printed}
    assert loudest == {"0.120518567"}
    for text in printed:
        for word in ("flow", "press", "halos", "us per step"):
            assert word in text
        assert "compute flow" in text or "auto took" in text or "auto measures" in text


@pytest.mark.ranks
def test_lapwing_verifies_the_sound_example(lapwing) -> None:
    answer = lapwing("verify", SOUND, "--ranks", 2, "--transport", "p2p", timeout=100)
    assert answer.code == 0, answer.out + answer.err
    assert "sound: 2 ranks against one" in answer.out
    rows = [line for line in answer.out.splitlines() if "  equal" in line]
    assert len(rows) == len(strategy_names())


@pytest.mark.ranks
def test_the_tide_runs_by_the_commands_in_its_head(lapwing, tmp_path) -> None:
    text = TIDE.read_text()
    assert len(text.splitlines()) <= 80
    shutil.copy(TIDE, tmp_path)
    commands = re.findall(r"^lapwing (.*)$", text, re.M)
    run, later, verify = (lapwing(*command.split(), timeout=100) for command in commands)
    assert later.code == 0, later.out + later.err
    with netCDF4.Dataset(tmp_path / "later" / "output.nc") as data:
        assert data["time"][-1] == 9 * 3600
    assert run.code == 0, run.out + run.err
    assert "time   360 steps of 1 min = 6:00 h" in run.out
    with netCDF4.Dataset(tmp_path / "sea" / "output.nc") as data:
        assert data["level"].shape == (7, 160, 120)
        assert (data["level"].units, data["x"].units) == ("m", "m")
        assert data["x"].standard_name == "projection_x_coordinate"
        # the open side is what the tide says, one step before
        side = np.sin(2 * np.pi * 60.0 * 359 / 44714.0)
        np.testing.assert_array_equal(data["level"][-1, :, 0], side)
        assert 0.01 < np.abs(data["level"][-1, :, 60]).max() < 2
        # no flow through the walls
        assert not np.ma.filled(data["u"][:, :, -1], 0.0).any()
        assert not np.ma.filled(data["v"][:, -1, :], 0.0).any()
    assert verify.code == 0, verify.out + verify.err
    assert "all that could be tried give the bits of one rank" in verify.out


def test_the_exchange_of_the_porting_guide_runs_on_two_ranks(run_on_ranks) -> None:
    guide = (ROOT / "docs" / "guide" / "porting.md").read_text()
    exchange, *_, by_hand = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    run_on_ranks(2, exchange + by_hand + "assert halos.plan.fields[1].name == 'v'\n")


def test_the_guide_shows_the_walls_of_the_tide() -> None:
    guide = (ROOT / "docs" / "guide" / "first-model.md").read_text()
    section = re.search(r"### Walls and open sides\n(.*?)\n## ", guide, re.DOTALL)[1]
    blocks = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    assert len(blocks) == 1
    assert textwrap.indent(blocks[0], 8 * " ") in TIDE.read_text()


def test_the_guide_shows_the_first_model() -> None:
    guide = (ROOT / "docs" / "guide" / "first-model.md").read_text()
    assert (ROOT / "examples" / "03_first_model" / "heat.cpp").read_text() in guide


def test_the_guide_shows_the_first_model_in_fortran() -> None:
    guide = (ROOT / "docs" / "guide" / "fortran.md").read_text()
    folder = ROOT / "examples" / "03_first_model" / "fortran"
    assert (folder / "heat.f90").read_text() in guide
    shown = re.search(r"```cmake\n(.*?)```", guide, re.DOTALL)[1]
    assert shown in (folder / "CMakeLists.txt").read_text()


@pytest.mark.ranks
@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.timeout(600)
def test_the_porting_guide_shows_what_the_port_of_the_shelf_counts(tmp_path) -> None:
    if not (shutil.which("gfortran") and shutil.which("cmake", path=PATH)):
        pytest.skip("no gfortran or cmake: `make system-packages`")
    example = shutil.copytree(ROOT / "examples" / "12_port", tmp_path / "port")
    build = ["cmake", "--build", "build", "--target", "shelf_before", "shelf_counted"]
    shell(example, "cmake", "-S", ".", "-B", "build", f"-Dlapwing_DIR={lapwing_folder()}")
    shell(example, *build)
    printed = {
        name: shell(example, "mpiexec", "-n", "2", f"build/shelf_{name}", "60", "40", "120")
        for name in ("before", "counted")
    }
    bits = {re.search("bits of .*", text)[0] for text in printed.values()}
    assert len(bits) == 1, printed
    shown = shell(example, "lapwing", "port", "port.json").splitlines()
    guide = (ROOT / "docs" / "guide" / "porting.md").read_text()
    told = re.search(r"```text\n(port\.json: .*?)```", guide, re.DOTALL)[1].splitlines()
    # how many of the calls change nothing depends on how a compiler rounds
    fixed = ("port.json", "start_halo", "all exchanges", "halos that were missing")
    assert [line for line in shown if line.startswith(fixed)] == [
        line for line in told if line.startswith(fixed)
    ]
    assert any("NEEDLESS" in line for line in shown)
    assert any("COMBINE with fx" in line for line in shown)


def lapwing_folder() -> str:
    return shell(ROOT, "lapwing", "--cmake-dir").strip()


def shell(folder: Path, *command: str) -> str:
    """What a command prints in a folder, with this environment's programs."""
    variables = mpi_runtime.launcher_environment() | {"PATH": PATH}
    done = subprocess.run(
        command, cwd=folder, env=variables, text=True, capture_output=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_residual_that_is_lost_in_one_cell_ends_the_loop_as_nan_on_all_ranks(
    run_on_ranks,
) -> None:
    """NumPy's max keeps NaN, as `raise_to` of C++ and Fortran does; std::max and max may not."""
    folder = ROOT / "examples" / "08_reduction_loop"
    program = (folder / "relax.py").read_text()
    assert "source.set(lambda i, j: 1.0 * " in program
    lost = program.replace("source.set(lambda i, j: 1.0 * ", "source.set(lambda i, j: np.nan * ")
    assert (
        run_on_ranks(3, lost + "print(change.value)\n").stdout.count("nan\n") == 4
    )  # and the heat
    assert "raise_to(change, " in (folder / "relax.cpp").read_text()
    assert "call change%raise_to(" in (folder / "relax.f90").read_text()
