"""Code in the documentation runs: Python blocks on one rank, C++ and Fortran through the compiler.

A block that is part of an example has been run there (test_gallery.py, test_examples.py). One that
needs what its page does not show is preceded by the lines that stand here for it.
"""

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from lapwing.core import mpi_runtime

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "models").glob("*/README.md")]
)


def unindented(code: str) -> str:
    return "\n".join(line.strip() for line in code.strip("\n").splitlines())


EXAMPLES = [
    unindented(file.read_text())
    for file in (ROOT / "examples").rglob("*")
    if file.suffix in (".py", ".cpp", ".f90", ".c") or file.name == "CMakeLists.txt"
]

# Lines before a block that has these words.
BEFORE = {
    "class Heat:": "import lapwing\n",
    "there = Transpose(t, t_rows, groups=4)": (
        "def transform(values): values *= 1\n\nuntransform = transform\n"
    ),
    "from lapwing.core.solvers.helmholtz": (
        "p, q = (domain.field(name, levels=2) for name in 'pq')\n"
        "t = domain.field('t2', levels=2)\nshift, dx, dy, strength = [1.0, 2.0], 1.0, 1.0, 0.5\n"
    ),
    "@njit": "import lapwing, numpy\ndomain = lapwing.Domain((8, 8))\n"
    "heat, new = domain.field('heat'), domain.field('new')\n",
    "def tide(box, level):": "def set_side(values, time): pass\n\ndt = 1.0\n",
    "const Partition twod = twod_partition(domain.partition(), 64)": (
        "void transform(View<double>, const Box&);\nvoid f(Domain& domain, AnyField& t) {\n"
    ),
    "lapwing::Restart restart(domain": (
        "void f(Domain& domain, const std::shared_ptr<AnyField>& level, "
        "std::shared_ptr<AnyField> velocity, bool goes_on, double dt, Index step) {\n"
    ),
    "lapwing::DeviceExchange halos(domain": (
        "void launch_interior(StreamHandle);\nvoid launch_rims(StreamHandle);\n"
        "void f(Domain& domain, std::vector<FieldSpec> specs, Block block, StreamHandle stream) {\n"
    ),
    "lapwing_lattice::LatticeModel lattice(": (
        "#include <lapwing_lattice/lattice.hpp>\n"
        "void f(lapwing::Domain& domain, const lapwing_lattice::LatticeSettings& settings) {\n"
    ),
    "lapwing_weather::WeatherModel weather(": (
        "#include <lapwing_weather/weather.hpp>\n"
        "void f(lapwing::Domain& domain, const lapwing_weather::WeatherSettings& settings) {\n"
    ),
}


def blocks(language: str) -> list[tuple[Path, str]]:
    """The blocks of a language that are no part of an example, in the order of the pages."""
    return [
        (page, block[2])
        for page in PAGES
        for block in FENCE.finditer(page.read_text())
        if block[1] == language and not shown_elsewhere(block[2])
    ]


def shown_elsewhere(code: str) -> bool:
    """True if each paragraph stands in an example, whatever its indentation."""
    paragraphs = [unindented(part) for part in code.split("\n\n")]
    return all(any(part in text for text in EXAMPLES) for part in paragraphs)


def test_the_program_of_the_guide_is_the_example_to_the_letter() -> None:
    """So that the gallery's test runs what the page shows; only the first comments differ."""

    def program(text: str) -> str:
        return text[text.index("#include") :]

    page = (ROOT / "docs" / "guide" / "first-model.md").read_text()
    (shown,) = (program(block[2]) for block in FENCE.finditer(page) if "int main(" in block[2])
    assert shown == program((ROOT / "examples" / "03_first_model/heat.cpp").read_text())


def test_first_examples_stay_short() -> None:
    """The guide calls them whole programs of 30 and of 80 lines."""
    for example, most in {"03_first_model/heat.cpp": 30, "04_tide/tide.cpp": 80}.items():
        assert len((ROOT / "examples" / example).read_text().splitlines()) <= most


# What commands make that pages show above their blocks, or a short run in its place.
MADE = {
    "shelf.nc": "mask --region shelf --out shelf.nc",
    "out/short/output.nc": "run kelvin --set duration=40s --set output.every=20s --out out/short",
    "out/store/output.zarr": (
        "run kelvin --set duration=40s --set output.every=20s --set output.format=zarr "
        "--out out/store"
    ),
}

# What pages use and users need not have: `make numba`, `make jax`, `make pyclaw`.
OPTIONAL = ("numba", "jax", "clawpack", "nvtx")


def lacks(code: str, name: str) -> bool:
    """True if the code needs a module that is not installed."""
    used = re.search(rf"^\s*(import|from) {name}\b", code, re.M)
    return used is not None and importlib.util.find_spec(name) is None


def preceded(code: str) -> str:
    found = [before for words, before in BEFORE.items() if words in code]
    return (found[0] if found else "") + code


PYTHON = {page: [code for p, code in blocks("python") if p == page] for page, _ in blocks("python")}


@pytest.mark.parametrize("page", PYTHON, ids=lambda page: page.name)
def test_python_in_pages_runs(
    page: Path, run_on_ranks: Callable[..., object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = {name for block in PYTHON[page] for name in OPTIONAL if lacks(block, name)}
    run = [block for block in PYTHON[page] if not any(lacks(block, name) for name in OPTIONAL)]
    code = "\n".join(map(preceded, run))
    if "shelf.nc" in code:
        pytest.importorskip("global_land_mask")
    lapwing = Path(sys.executable).parent / "lapwing"
    for command in (words for file, words in MADE.items() if file in code):
        subprocess.run([lapwing, *command.split()], cwd=tmp_path, check=True, timeout=100)
    monkeypatch.chdir(tmp_path)
    Path("page.py").write_text(code)  # Numba caches what it compiles next to its file
    run_on_ranks(1, "import runpy; runpy.run_path('page.py', run_name='__main__')", timeout=100)
    if lacking:
        pytest.skip(f"blocks that need {', '.join(sorted(lacking))}, which is not installed")


def compiled(command: list[str], folder: Path) -> None:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=110, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.compiler
@pytest.mark.parametrize(("page", "code"), blocks("cpp"), ids=lambda value: Path(value).name[:20])
def test_cpp_in_pages_compiles(page: Path, code: str, tmp_path: Path) -> None:
    wrapper = mpi_runtime.mpiexec_path().parent / "mpicxx"
    if not wrapper.exists():
        pytest.skip(f"no {wrapper}")
    includes, rest = re.match(r"((?:#include [^\n]*\n|\n)*)(.*)", code, re.S).groups()
    text = "#include <lapwing/lapwing.hpp>\nusing namespace lapwing;\n" + includes
    text += preceded(rest) + ("}\n" if preceded(rest) != rest else "")
    (tmp_path / "block.cpp").write_text(text)
    paths = [f"-I{path}" for path in [ROOT / "cpp/include", *ROOT.glob("models/*/include")]]
    compiled([str(wrapper), "-std=c++20", "-fsyntax-only", *paths, "block.cpp"], tmp_path)


# what a model has around the lines that the pages show
AROUND = """
module mpi_f08
  type MPI_Comm
    integer :: MPI_VAL = 0
  end type
  type(MPI_Comm) :: MPI_COMM_WORLD
end module
module surroundings
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing
  integer :: nx, ny, i_first, j_first, i_last, j_last, imax, jmax, kmax
  real(real64) :: shift(64), strength, dx, dy
  type(lapwing_reduction) :: cfl, reach
  type(lapwing_domain) :: columns
  type(lapwing_field) :: u1, u2, u3, old_field, new_field, a_field, b_field
  type sea
    real(real64) :: share = 0.1_real64
  end type
contains
@KERNELS@
  subroutine transform(i1, i2, j1, j2, k1, k2)
    integer, intent(in) :: i1, i2, j1, j2, k1, k2
  end subroutine
  subroutine leap(box, views)
    type(lapwing_box), intent(in) :: box
    type(lapwing_views), intent(in) :: views
  end subroutine
end module
"""
KERNELS = ("fastest", "find_reach", "advect")
KERNEL = """  subroutine {}(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
  end subroutine
"""
DECLARED = """
  type(lapwing_domain) :: domain
  type(lapwing_step) :: step
  type(lapwing_field) :: u_field, p_field, t_field, level, velocity
  type(lapwing_records) :: records
  type(lapwing_restart) :: restart
  real(real64) :: dt
  integer :: n, first
  logical :: goes_on
"""


@pytest.fixture(scope="module")
def fortran_modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("gfortran"):
        pytest.skip("no gfortran: `make system-packages`")
    folder = tmp_path_factory.mktemp("modules")
    listed = (ROOT / "cmake" / "lapwingFortran.cmake").read_text()
    for name in re.findall(r"\b(lapwing\w*\.[fF]90)\b", listed):
        compiled(["gfortran", "-cpp", "-fsyntax-only", str(ROOT / "fortran/src" / name)], folder)
    kernels = "".join(map(KERNEL.format, KERNELS))
    (folder / "around.f90").write_text(AROUND.replace("@KERNELS@\n", kernels))
    compiled(["gfortran", "-fsyntax-only", "around.f90"], folder)
    return folder


@pytest.mark.compiler
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("page", "code"), blocks("fortran"), ids=lambda value: Path(value).name[:20]
)
def test_fortran_in_pages_compiles(page: Path, code: str, fortran_modules: Path) -> None:
    lines = code.splitlines(keepends=True)
    used = [line for line in lines if line.startswith("use ")]
    declared = [line for line in lines if re.match(r"(type|real|integer|logical).*::", line)]
    rest = [line for line in lines if line not in used + declared]
    own = DECLARED
    for line in declared:  # of the page, not of this file
        for name in re.findall(r"(\w+)(?:\([^)]*\))?(?=,|\s*$)", line.partition("::")[2]):
            own = re.sub(rf"\b{name}\b", f"{name}_of_test", own)
    program = [
        "program block\n",
        *used,
        "use surroundings\nimplicit none\n",
        own,
        *declared,
        *rest,
        "end program\n",
    ]
    (fortran_modules / "block.f90").write_text("".join(program))
    compiled(["gfortran", "-fsyntax-only", "block.f90"], fortran_modules)


def test_cmake_in_pages_is_part_of_an_example() -> None:
    assert blocks("cmake") == []


@pytest.mark.compiler
def test_shell_in_pages_is_shell() -> None:
    found = blocks("sh")
    for page, code in found:
        done = subprocess.run(
            ["bash", "-n", "-c", code], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{page.name}: {done.stderr}\n{code}"
    assert len(found) > 40
