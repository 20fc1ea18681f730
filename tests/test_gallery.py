"""The gallery: each example runs by the command in its own head, and prints what that says."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from lapwing.core import mpi_runtime

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
HEAD = re.compile(r"^(?:// |! |# )?(.+)$", re.M)
LONGEST = 80  # lines of a program, besides comments and empty lines
RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]


def head(file: Path) -> list[str]:
    """The lines of the comment that a program begins with."""
    text = file.read_text()
    comment = re.match(r'"""(.*?)"""|((?:(?://|!|#) ?.*\n)+)', text, re.S)
    return HEAD.findall(comment[1] or comment[2]) if comment else []


def prints(file: Path) -> str:
    """What the program prints, as its head says; empty: it does not."""
    said = [line for line in head(file) if line.startswith("prints: ")]
    return said[0].removeprefix("prints: ") if said else ""


def commands(file: Path) -> list[str]:
    return [line for line in head(file) if line.startswith(("mpiexec ", "cmake "))]


def name_of(file: Path) -> str:
    return str(file.relative_to(EXAMPLES))


SOURCES = sorted(
    f for f in EXAMPLES.glob("[0-9][0-9]_*/**/*") if f.suffix in (".py", ".cpp", ".c", ".f90")
)
PRINTING = [file for file in SOURCES if prints(file)]
IN_PYTHON = [file for file in PRINTING if file.suffix == ".py"]
COMPILED = [file for file in PRINTING if file.suffix != ".py"]


def test_the_gallery_is_one_sequence_with_an_index() -> None:
    folders = sorted(folder.name for folder in EXAMPLES.iterdir() if folder.name[0].isdigit())
    assert [int(name[:2]) for name in folders] == list(range(1, len(folders) + 1))
    index = (EXAMPLES / "README.md").read_text()
    assert re.findall(r"^\| \[(\d\d_\w+)\]", index, re.M) == folders
    assert (len(IN_PYTHON), len(COMPILED)) >= (7, 10)


@pytest.mark.parametrize("file", SOURCES, ids=name_of)
def test_examples_are_short(file: Path) -> None:
    if "12_port" in file.parts:  # a model, ported
        return
    comments = ("#", "//", "!")
    code = re.sub(r'^""".*?"""', "", file.read_text(), flags=re.S)
    lines = [line.strip() for line in code.splitlines()]
    assert sum(bool(line) and not line.startswith(comments) for line in lines) < LONGEST


def test_languages_print_the_same() -> None:
    for folder in {file.parent for file in PRINTING}:
        assert len({prints(file) for file in PRINTING if file.parent == folder}) == 1, folder


@pytest.mark.parametrize("file", IN_PYTHON, ids=name_of)
def test_python_prints_what_its_head_says(file: Path, run_on_ranks: RunOnRanks) -> None:
    (command,) = commands(file)
    start, count, ranks, python, name, *arguments = shlex.split(command)
    assert (start, count, python, name) == ("mpiexec", "-n", "python", file.name)
    for number in (int(ranks), 3):
        printed = run_on_ranks(number, file.read_text(), *arguments).stdout
        expected = prints(file).replace(f"on {ranks} ranks", f"on {number} ranks")
        assert expected in printed.splitlines(), printed


@pytest.fixture(scope="module")
def copy_of_examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shutil.copytree(EXAMPLES, tmp_path_factory.mktemp("gallery") / "examples")


def shell(command: str, folder: Path) -> str:
    """What a line of a head prints in its folder, with this environment's programs."""
    variables = mpi_runtime.launcher_environment() | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        "CMAKE_BUILD_PARALLEL_LEVEL": str(len(os.sched_getaffinity(0))),
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=variables,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout


def marked(file: Path) -> object:
    first = file.parent.name == "01_exchange"  # stands for all in `make test`
    return pytest.param(file, id=name_of(file), marks=[] if first else pytest.mark.slow)


@pytest.mark.ranks
@pytest.mark.any_mpi
@pytest.mark.compiler
@pytest.mark.timeout(600)
@pytest.mark.parametrize("file", [marked(file) for file in COMPILED])
def test_compiled_prints_what_its_head_says(file: Path, copy_of_examples: Path) -> None:
    if not shutil.which("cmake", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}"):
        pytest.skip("no cmake")
    if file.suffix == ".f90" and not shutil.which("gfortran"):
        pytest.skip("no gfortran: `make system-packages`")
    folder = copy_of_examples / file.parent.relative_to(EXAMPLES)
    build, run = commands(file)
    shell(build, folder)
    assert prints(file) in shell(run, folder).splitlines()
    assert prints(file) in shell(run.replace("-n 2", "-n 3"), folder).splitlines()


@pytest.mark.ranks
@pytest.mark.any_mpi
@pytest.mark.timeout(300)
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    book = nbformat.read(EXAMPLES / "13_notebook" / "lapwing.ipynb", as_version=4)
    client = nbclient.NotebookClient(book, timeout=200, kernel_name="python3")
    client.execute(cwd=str(tmp_path))
    shown = [o for cell in book.cells for o in cell.get("outputs", [])]
    assert sum("image/png" in output.get("data", {}) for output in shown) == 3
