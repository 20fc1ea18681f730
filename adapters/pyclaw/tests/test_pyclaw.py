"""PyClaw on lapwing's ranks: its 2D examples with the bits of one process, and its own tests."""

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

Array = NDArray[np.float64]
Results = dict[str, Array]
Run = Callable[..., Any]

HERE = Path(__file__).parent
PROGRAM = (HERE / "problems.py").read_text()
SECONDS = 110

pytest.importorskip("clawpack", reason="PyClaw is not installed: `make pyclaw`")
pytestmark = [pytest.mark.timeout(2 * SECONDS), pytest.mark.any_mpi]

# the regression data of PyClaw's tests, which its package leaves out: `make pyclaw` puts them there
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lapwing"
EXPECTED = CACHE / f"clawpack-{version('clawpack')}-{sys.implementation.cache_tag}" / "examples"

PROBLEMS = (
    "acoustics",
    "acoustics_sharpclaw",
    "acoustics_interface",
    "advection",
    "quadrants",
    "shock_bubble",
    "dam_break",
    "sill",
)


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """serial(problem): what PyClaw itself leaves on one process, computed once."""
    folder = tmp_path_factory.mktemp("serial")

    def run(problem: str) -> Results:
        path = folder / f"{problem}.npz"
        if not path.exists():
            command = [sys.executable, "-c", PROGRAM, problem, str(path), "serial"]
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=SECONDS
            )
            assert done.returncode == 0, done.stdout + done.stderr
        return dict(np.load(path))

    return run


@pytest.fixture(scope="module")
def on_ranks(run_on_ranks: Run, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """on_ranks(ranks, problem): the result on that many ranks, computed once."""
    folder = tmp_path_factory.mktemp("ranks")

    def run(ranks: int, problem: str) -> Results:
        path = folder / f"{problem}-{ranks}.npz"
        if not path.exists():
            with pytest.MonkeyPatch.context() as place:
                place.chdir(folder)  # where PyClaw leaves its log
                run_on_ranks(ranks, PROGRAM, problem, str(path), timeout=SECONDS)
        return dict(np.load(path))

    return run


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_a_problem_has_the_bits_of_one_process(
    ranks: int, problem: str, serial: Run, on_ranks: Run
) -> None:
    one, many = serial(problem), on_ranks(ranks, problem)
    assert one.keys() == many.keys()
    assert len(one) >= 8  # two frames and six numbers
    for name, values in one.items():
        assert np.array_equal(values.view(np.int64), many[name].view(np.int64)), name


def expected(path: str) -> Path:
    """Regression data of PyClaw's tests."""
    if not (EXPECTED / path).exists():
        pytest.skip("no regression data of PyClaw's tests: `make pyclaw`")
    return EXPECTED / path


def last_frame(results: Results) -> Array:
    """The last solution."""
    return results[f"arr_{len(results['times']) - 1}"]


def by_name(path: str, name: str) -> Any:
    """One of several solutions in a file."""
    return np.load(expected(path), allow_pickle=True).item()[name]


def relative_difference(values: Array, wanted: Array) -> float:
    return float(np.linalg.norm(values - wanted) / np.linalg.norm(wanted))


def l1_difference(values: Array, wanted: Array, delta: Array) -> float:
    return float(np.prod(delta) * np.sum(np.abs(values.reshape(-1) - wanted)))


def test_acoustics_pass_their_own_test(on_ranks: Run) -> None:
    wanted = np.loadtxt(expected("acoustics_2d_homogeneous/verify_classic.txt"))
    pressure = last_frame(on_ranks(3, "acoustics"))[0]
    assert relative_difference(pressure, wanted) < 1e-3


def test_acoustics_by_sharpclaw_pass_their_own_test(on_ranks: Run) -> None:
    wanted = np.loadtxt(expected("acoustics_2d_homogeneous/verify_sharpclaw.txt"))
    pressure = last_frame(on_ranks(3, "acoustics_sharpclaw"))[0]
    assert relative_difference(pressure, wanted) < 1e-3


def test_acoustics_of_two_materials_pass_their_own_test(on_ranks: Run) -> None:
    wanted = np.loadtxt(expected("acoustics_2d_variable/pressure_classic.txt"))
    pressure = last_frame(on_ranks(4, "acoustics_interface"))[0]
    assert np.max(np.abs(pressure.reshape(-1) - wanted.reshape(-1))) < 1e-1


@pytest.mark.parametrize(
    ("problem", "path", "name", "tolerance"),
    [
        ("advection", "advection_2d/expected_sols.npy", "classic_unsplit_trans_cor", 1e-6),
        ("quadrants", "euler_2d/expected_sols.npy", "quadrants_roe", 1e-6),
        ("shock_bubble", "euler_2d/expected_sols.npy", "shock_bubble_interaction", 1e-6),
        ("dam_break", "shallow_2d/expected_sols.npy", "radialdambreak_classic_roe", 1e-5),
        ("sill", "shallow_2d/expected_sols.npy", "sill", 1e-6),
    ],
)
def test_a_problem_passes_its_own_test(
    problem: str, path: str, name: str, tolerance: float, on_ranks: Run
) -> None:
    wanted = by_name(path, name)
    results = on_ranks(3, problem)
    assert l1_difference(last_frame(results)[0], wanted, results["delta"]) < tolerance


FILES = """
import sys
sys.argv[0] = "problems.py"
from pathlib import Path
sys.path.insert(0, {folder!r})
import numpy as np
import lapwing_pyclaw as pyclaw
from problems import controller

claw = controller("acoustics_interface", outdir="out")
claw.output_format = "ascii"
claw.num_output_times, claw.write_aux_init, claw.tfinal = 2, True, 0.1


def density(state):
    state.F[0] = state.q[0]


claw.solution.state.mF = 1
claw.compute_F = density
claw.run()

again = pyclaw.Solution(2, path="out", read_aux=False)
assert np.allclose(again.state.q, claw.solution.state.q, rtol=1e-7, atol=1e-12)
whole, part = again.on_one_rank(), pyclaw.Solution(0, path="out", read_aux=True)
assert (whole is None) == (again.patch.cut.domain.rank > 0)
assert np.allclose(part.state.aux, claw.solution.state.aux)
try:
    claw.solution.write(3, path="/dev/null/nowhere")
except Exception as error:
    print(type(error).__name__)
"""


def test_output_is_that_of_one_process(
    run_on_ranks: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = {}
    for ranks in (1, 3):
        folder = tmp_path / str(ranks)
        folder.mkdir()
        monkeypatch.chdir(folder)
        answer = run_on_ranks(ranks, FILES.format(folder=str(HERE)))
        assert answer.stdout.count("OutsideError") == ranks
        written[ranks] = {path.name: path.read_bytes() for path in (folder / "out").iterdir()}
    assert written[1] == written[3]
    assert {"fort.q0000", "fort.a0000", "fort.t0002", "fort.q0002", "F.txt"} <= written[1].keys()


GAUGES = """
import numpy as np
import lapwing_pyclaw as pyclaw

x, y = pyclaw.Dimension(0.0, 3.0, 30, name="x"), pyclaw.Dimension(-1.0, 1.0, 21, name="y")
patch = pyclaw.Patch([x, y])
domain = pyclaw.Domain(patch)
grid, whole = domain.grid, pyclaw.geometry.Grid([x, y])
box = patch.cut.domain.box
here = tuple(slice(lo, hi) for lo, hi in zip(box.lo[:2], box.hi[:2]))
for mine, all_of_them in zip(grid.p_centers, whole.p_centers):
    assert np.array_equal(mine, all_of_them[here])
wider = tuple(slice(cells.start, cells.stop + 4) for cells in here)
for mine, all_of_them in zip(grid.c_centers_with_ghost(2), whole.c_centers_with_ghost(2)):
    assert np.array_equal(mine, all_of_them[wider])
assert grid.delta == whole.delta
grid.add_gauges([(0.05, 0.0), (1.55, 0.3), (2.99, -0.9)])
for i, j in grid.gauges:
    print("gauge", i + box.lo[0], j + box.lo[1])
"""


def test_coordinates_and_gauges_are_those_of_the_whole(
    run_on_ranks: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [
        sorted(line for line in run_on_ranks(ranks, GAUGES).stdout.splitlines() if "gauge" in line)
        for ranks in (1, 4)
    ]
    assert lines[0] == lines[1] == ["gauge 0 10", "gauge 15 13", "gauge 29 1"]


def test_what_cannot_be_is_told_on_all_ranks(
    run_on_ranks: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program = """
import lapwing_pyclaw as pyclaw
from clawpack import riemann



def too_many_ranks():
    pyclaw.Domain([0.0], [1.0], [2])


def split_in_three():
    solver = pyclaw.ClawSolver3D(riemann.vc_acoustics_3D)
    solver.all_bcs = solver.aux_bc_lower[0] = pyclaw.BC.extrap
    domain = pyclaw.Domain([0.0] * 3, [1.0] * 3, [6] * 3)
    solver.setup(pyclaw.Solution(pyclaw.State(domain, 4, 2), domain))


for wrong in (too_many_ranks, split_in_three):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, error)
"""
    told = run_on_ranks(3, program).stdout
    assert told.count("UserError") == 6
    assert told.count("dimensional_split of ClawSolver3D: got True") == 3
