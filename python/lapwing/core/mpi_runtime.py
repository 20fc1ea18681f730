"""The choice of the MPI library, and the check that there is only one.

Three parties must agree on the MPI library: lapwing's extension (fixed when it was built), mpi4py
(chooses when it is imported) and mpiexec (whatever the user types). If they do not, programs abort
in MPI_Init, or run as many copies that each believe to be alone. Everything here happens before the
first MPI call, so that it can end in a message instead.

A program calls `start` once before it uses lapwing.core._core; `lapwing run` uses
`launcher_command` and `launcher_environment`; `lapwing doctor` prints `findings`.
"""

import os
import re
import shutil
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Literal

from lapwing.base import builds
from lapwing.base.agreement import end_job, exit_code
from lapwing.base.error import OutsideError
from lapwing.base.finding import Finding
from lapwing.base.hosts import hosts_given
from lapwing.core import _build_info
from lapwing.core.mpi_library import MPILibrary, launcher_family

ThreadLevel = Literal["single", "funneled", "serialized", "multiple"]

# The variables in which launchers say the number of ranks, and whose libraries they can start.
# MPICH's hydra speaks PMI, Open MPI's prterun speaks PMIx; srun speaks either, so it names no
# family.
_WORLD_SIZE_VARIABLES: dict[str, str] = {
    "OMPI_COMM_WORLD_SIZE": "Open MPI",
    "PMI_SIZE": "MPICH",
    "SLURM_STEP_NUM_TASKS": "",
}

# The variables in which they tell a process its rank.
_RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID")

# The variables that a launcher sets for its ranks; a new launcher must not inherit them.
_LAUNCHER_PREFIXES = ("PMI_", "PMIX_", "PRTE_", "OMPI_COMM_WORLD_", "HYDI_", "MPI_LOCAL")

# Resource managers whose number of slots is real and must not be exceeded
_RESOURCE_MANAGERS = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID")


class MPISetupError(OutsideError):
    """The MPI of this process cannot work; the message says why, and the remedy."""

    def __init__(self, problem: str, *, got: str, expected: str, remedy: str) -> None:
        """Compose the message. Local."""
        super().__init__(f"{problem}: got {got}, expected {expected}; {remedy}")


# ---- the MPI that lapwing was built with


def built_with() -> MPILibrary:
    """Return the MPI that lapwing was compiled against.

    Local; loads nothing.
    """
    return MPILibrary.from_text(_build_info.MPI_LIBRARY_VERSION)


def library_path() -> Path:
    """Find the library file of the MPI that lapwing was built with.

    Local. Returns: an existing file. Errors: MPISetupError where it is gone.
    """
    for path in _library_files():
        if path.exists():
            return path
    searched = ", ".join(str(path.parent) for path in _library_files())
    raise MPISetupError(
        "MPI library missing",
        got=f"no {_build_info.MPI_LIBRARY} in {searched}",
        expected=str(built_with()),
        remedy=_installation_remedy(),
    )


def mpiexec_path() -> Path:
    """Find the launcher of the MPI that lapwing was built with.

    Local. Returns: an executable file. Errors: MPISetupError where it is gone; another MPI's
    mpiexec on PATH is no substitute.
    """
    candidates = _launcher_files()
    there = [path for path in candidates if os.access(path, os.X_OK)]
    for path in there:
        if launcher_family(path) in ("", built_with().family):
            return path
    raise MPISetupError(
        "mpiexec of another MPI" if there else "mpiexec missing",
        got=f"{there[-1]} of {launcher_family(there[-1])}"
        if there
        else f"nothing to execute at {candidates[-1]}",
        expected=f"the launcher of {built_with()}",
        remedy=_installation_remedy(),
    )


def _launcher_files() -> list[Path]:
    """Return where the launcher may be, first under the name that no other MPI has. Local.

    Wheels of two MPIs in one environment share the name mpiexec: the one that came last has it, and
    takes it along when it is uninstalled.
    """
    if _build_info.MPIEXEC:
        return [Path(_build_info.MPIEXEC)]
    own = "mpiexec.openmpi" if built_with().family == "Open MPI" else "mpiexec.hydra"
    # in a distributed build a system's library may be a folder deeper
    prefixes = library_path().parents[1 : 2 if builds.chosen() is None else 3]
    return [prefix / "bin" / name for prefix in prefixes for name in (own, "mpiexec")]


def _library_files() -> list[Path]:
    """Return where the library may be, in the order of the extension's run path. Local."""
    if build := builds.chosen():
        wanted = _build_info.MPI_LIBRARY
        return builds.libraries(build.kind) or [p / wanted for p in builds.search_folders()]
    beside_package = Path(_build_info.__file__).resolve().parents[4]
    of_wheel = [beside_package, beside_package.parent / "lib", Path(sys.prefix, "lib")]
    recorded = _build_info.MPI_DIRECTORY
    folders = [Path(recorded)] if recorded else dict.fromkeys(of_wheel)
    return [folder / _build_info.MPI_LIBRARY for folder in folders]


def _installation_remedy() -> str:
    """The remedy where a file of the MPI is gone. Local."""
    if build := builds.chosen():
        return (
            f"install one with `{sys.executable} -m pip install --force-reinstall --no-deps "
            f"{build.kind}`, or load your site's"
        )
    if _build_info.MPI_WHEEL:
        wheel = f"{_build_info.MPI_WHEEL}=={built_with().version}"
        how = "--force-reinstall --no-deps"  # pip thinks that it is there, after another MPI left
        return f"install it with `{sys.executable} -m pip install {how} {wheel}`"
    return (
        "install that MPI again, or build lapwing with the one that is there (`make clean build`)"
    )


# ---- starting MPI in this process


def start(thread_level: ThreadLevel = "funneled") -> ModuleType:
    """Load and initialise the one MPI of this process, and return the module mpi4py.MPI.

    Collective over the world if MPI is not initialised yet, else local. `thread_level`: the level
    requested from MPI; mpi4py's own default, multiple, doubles the latency of small messages. MPI
    is finalised when Python ends. Calling again, or after the program imported mpi4py.MPI itself,
    only checks. With several ranks, an uncaught exception on one of them ends
    the job from then on, see `_end_the_job`. Errors: MPISetupError, raised on every rank alike, if
    the launcher, mpi4py and lapwing do not share one MPI.
    """
    global _hook_before
    check_launcher()
    mpi = _import_mpi4py(library_path())
    _check_one_library(MPILibrary.from_text(mpi.Get_library_version()), _extension_library())
    if not mpi.Is_initialized():
        if os.environ.get("LAPWING_PROGRESS_THREAD") == "1":
            thread_level = "multiple"  # the thread of a domain calls MPI too
        mpi.Init_thread(getattr(mpi, f"THREAD_{thread_level.upper()}"))
        from lapwing.core import _core  # was loaded above

        mpi.COMM_WORLD.Barrier()
        _core.unlink_shared_files()
    _check_world_size(mpi.COMM_WORLD.Get_size())
    interactive = hasattr(sys, "ps1") or bool(sys.flags.interactive)  # and goes on after exceptions
    if mpi.COMM_WORLD.Get_size() > 1 and not interactive and _hook_before is None:
        _hook_before, sys.excepthook = sys.excepthook, _end_the_job
    return mpi


# ---- uncaught exceptions

_ExceptHook = Callable[[type[BaseException], BaseException, TracebackType | None], object]

_hook_before: _ExceptHook | None = None  # the hook that `_end_the_job` replaced; None: not yet


def _end_the_job(
    kind: type[BaseException], problem: BaseException, trace: TracebackType | None
) -> None:
    """Print an uncaught exception, with the rank, and end the job with MPI_Abort.

    A sys.excepthook: a rank that raised would wait in MPI_Finalize for the other ranks, and they in
    their next message for it, for ever. The exit code is `exit_code` of it. Not called for
    SystemExit, for exceptions that a caller such as pytest catches, or in an interactive session.
    """
    mpi = sys.modules["mpi4py.MPI"]
    alive = not mpi.Is_finalized()
    where = f"rank {mpi.COMM_WORLD.Get_rank()} of {mpi.COMM_WORLD.Get_size()}" if alive else "rank"
    head = f"lapwing: {where} ends the job after an exception that nobody caught\n"
    if _hook_before in (None, sys.__excepthook__):
        text = head + "".join(traceback.format_exception(kind, problem, trace))
        print(text, file=sys.stderr)  # noqa: T201, in one piece, as other ranks may print too
    elif _hook_before is not None:
        print(head, end="", file=sys.stderr)  # noqa: T201
        _hook_before(kind, problem, trace)
    sys.stdout.flush()
    if alive:
        end_job(exit_code(problem))


def _import_mpi4py(library: Path) -> ModuleType:
    """Import mpi4py.MPI on `library` without initialising MPI.

    Local. An MPI4PY_LIBMPI that the user set is left alone; the comparison afterwards judges it.
    Errors: MPISetupError where mpi4py cannot be imported.
    """
    if "mpi4py.MPI" not in sys.modules:
        # mpi4py's wheel looks here before it loads any MPI; ranks started by this process must see
        # it too
        os.environ.setdefault("MPI4PY_LIBMPI", str(library))
        try:
            import mpi4py

            mpi4py.rc.initialize = False
            mpi4py.rc.finalize = True
            import mpi4py.MPI
        except (ImportError, RuntimeError) as error:
            raise MPISetupError(
                "mpi4py cannot be loaded",
                got=str(error),
                expected=f"mpi4py on {library}",
                remedy=_loading_remedy(error, f"`{sys.executable} -m pip install mpi4py`"),
            ) from error
    return sys.modules["mpi4py.MPI"]


def _loading_remedy(error: Exception, otherwise: str) -> str:
    """The remedy for a library that cannot be loaded: undo a setting, or `otherwise`. Local."""
    library = library_path()
    folders = [f for f in os.environ.get("LD_LIBRARY_PATH", "").split(":") if f]
    if taken := [folder for folder in folders if folder in str(error)]:
        return (
            f"take {' and '.join(taken)} out of LD_LIBRARY_PATH: the loader takes libraries from "
            f"there before those of {library.parent}"
        )
    names = ("MPI4PY_LIBMPI", "MPI4PY_MPIABI")
    if forced := [name for name in names if os.environ.get(name, str(library)) != str(library)]:
        return f"unset {' and '.join(forced)}"
    return otherwise


def _extension_library() -> MPILibrary:
    """Return the MPI that lapwing.core._core is linked to in this process.

    Local. Errors: MPISetupError where the extension finds no MPI.
    """
    try:
        from lapwing.core import _core
    except ImportError as error:
        raise MPISetupError(
            "lapwing's extension cannot be loaded",
            got=str(error),
            expected=str(built_with()),
            remedy=_loading_remedy(error, _installation_remedy()),
        ) from error
    return MPILibrary.from_text(_core.mpi_library_version())


def _check_one_library(of_mpi4py: MPILibrary, of_extension: MPILibrary) -> None:
    """Compare the MPI libraries in this process.

    Local. Errors: MPISetupError if they differ from each other, or from the library that lapwing
    was built with.
    """
    if of_mpi4py != of_extension:
        raise MPISetupError(
            "two MPIs in one process",
            got=f"mpi4py on {of_mpi4py}",
            expected=f"{of_extension}, which lapwing is linked to",
            remedy=f"set MPI4PY_LIBMPI={library_path()}, or unset it and call "
            "lapwing.core.mpi_runtime.start before importing mpi4py.MPI",
        )
    if not of_extension.is_like(built_with()):
        raise MPISetupError(
            "MPI changed since lapwing was built",
            got=str(of_extension),
            expected=str(built_with()),
            remedy="build lapwing again (`make clean build`), or take the other MPI out of "
            "LD_LIBRARY_PATH",
        )


# ---- launchers


def announced_world_size() -> int | None:
    """Return how many ranks a launcher announced; None where none started this process. Local.

    A step of Slurm with one task, as of `srun --pty bash`, is a place to start ranks from.
    """
    for variable, family in _WORLD_SIZE_VARIABLES.items():
        text = os.environ.get(variable, "")
        if text.isdecimal() and (family or int(text) > 1):
            return int(text)
    return None


def announced_rank() -> int:
    """Return this process's rank, as its launcher told it; 0 without one. Local."""
    announced = (os.environ.get(variable, "") for variable in _RANK_VARIABLES)
    return next((int(text) for text in announced if text.isdecimal()), 0)


def under_launcher() -> bool:
    """True if a launcher started this process, which must then start no ranks. Local."""
    return announced_world_size() is not None


def check_launcher() -> None:
    """Make sure that this process was not started by another MPI's launcher.

    Local, and before MPI is initialised: MPICH aborts under Open MPI's mpiexec, and Open MPI under
    MPICH's runs as single processes. Errors: MPISetupError.
    """
    launchers = {
        name for variable, name in _WORLD_SIZE_VARIABLES.items() if name and variable in os.environ
    }
    if launchers and built_with().family not in launchers:
        raise MPISetupError(
            "started by another MPI's launcher",
            got=f"mpiexec of {' and '.join(sorted(launchers))}",
            expected=f"that of {built_with()}",
            remedy=f"use {mpiexec_path()}, or `lapwing run --ranks N`, which finds it",
        )


def _check_world_size(size: int) -> None:
    """Refuse singletons: N processes that each see a world of one rank.

    Local; every such process raises. `size`: the size of MPI's world. Errors: MPISetupError.
    """
    announced = announced_world_size()
    if size == 1 and announced is not None and announced > 1:
        raise MPISetupError(
            "every process is alone",
            got="a world of 1 rank",
            expected=f"the {announced} that the launcher announced",
            remedy=f"start with {mpiexec_path()}, or under Slurm with `srun --mpi=pmix` (Open MPI) "
            "or `srun --mpi=pmi2` (MPICH)",
        )


def launcher_command(ranks: int) -> list[str]:
    """Return the command line in front of a program that is to run on `ranks` ranks.

    Local; use it with `launcher_environment`. `ranks`: at least 1, more than cores allowed; across
    the hosts that the environment names (`lapwing.base.hosts`), else on this machine. Removes what
    would keep the launcher from starting, see `remove_left_folders`. Errors: ValueError for fewer;
    MPISetupError where mpiexec is missing or this process is itself a rank.
    """
    if ranks < 1:
        raise ValueError(f"ranks: got {ranks}, expected at least 1; give a positive number")
    if under_launcher():
        raise MPISetupError(
            "ranks inside ranks",
            got=f"a process that a launcher started as one of {announced_world_size()}",
            expected="a process outside mpiexec and srun",
            remedy="leave out `--ranks`, so that the ranks that are there are used",
        )
    family, hosts = built_with().family, hosts_given()
    options: list[str] = []
    if hosts is not None:
        options = hosts.launcher_options(built_with().launcher, ranks)
    elif family == "Open MPI" and not any(name in os.environ for name in _RESOURCE_MANAGERS):
        # ranks may exceed cores; bound to these, two jobs would both sit on the first ones
        options = ["--map-by", ":OVERSUBSCRIBE", "--bind-to", "none"]
    if family == "Open MPI":
        remove_left_folders()
    return [str(mpiexec_path()), *options, "-n", str(ranks)]


def remove_left_folders(folder: Path | None = None) -> None:
    """Remove the session folders of launchers of Open MPI that were killed on this machine. Local.

    Open MPI 5 calls them ompi.PROCESS; one that a killed launcher left ends any later launcher that
    gets the same process number, with "The PMIx server's listener thread failed to start". One
    whose launcher still listens stays: it may be in another container. `folder`: where they are; by
    default the folder of temporary files.
    """
    hosts = {socket.gethostname(), socket.gethostname().partition(".")[0]}
    for left in (folder or Path(tempfile.gettempdir())).glob("ompi.[0-9]*"):
        number = left.name.partition(".")[2]
        over = number.isdecimal() and not Path(f"/proc/{number}").exists()
        here = [left / f"pmix.{host}.tool" for host in hosts]
        if over and any(file.exists() and not _listens(file) for file in here):
            shutil.rmtree(left, ignore_errors=True)  # another user's folder stays


def _listens(rendezvous: Path) -> bool:
    """True if a launcher answers at the address that it left in a file. Local."""
    try:
        told = re.search(r"tcp4://([\d.]+):(\d+)", rendezvous.read_text())
        if told:
            socket.create_connection((told[1], int(told[2])), timeout=0.2).close()
    except OSError:
        return False
    return told is not None


def launcher_environment(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for `launcher_command`.

    Local. `environment`: to start from, instead of os.environ. Returns: a copy without what an
    outer launcher left, and with what Open MPI asks of root.
    """
    variables = dict(os.environ if environment is None else environment)
    kept = {
        name: value for name, value in variables.items() if not name.startswith(_LAUNCHER_PREFIXES)
    }
    if built_with().family == "Open MPI" and os.geteuid() == 0:
        kept |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return kept


# ---- what `lapwing doctor` says about MPI


def findings() -> list[Finding]:
    """Examine the MPI of this installation.

    Local; neither loads nor initialises MPI. Returns: one finding per subject, in the order to be
    fixed.
    """
    wheel = f" (wheel {_build_info.MPI_WHEEL})" if _build_info.MPI_WHEEL else ""
    build = builds.chosen()
    chosen = f"; build {build.name} of {len(builds.available())}" if build else ""
    return [
        Finding("MPI built with", f"{built_with()}{wheel}{chosen}"),
        _finding("MPI library", library_path),
        _finding("mpiexec", mpiexec_path, "none of this MPI"),
        _finding("launcher", _launcher, "another MPI's"),
        _mpi4py_finding(),
    ]


def _finding(subject: str, find: Callable[[], object], otherwise: str = "missing") -> Finding:
    """Report what `find` found, or `otherwise` with its error for a remedy. Local."""
    try:
        return Finding(subject, str(find()))
    except MPISetupError as error:
        return Finding(subject, otherwise, str(error))


def _launcher() -> str:
    """Name the launcher of this process. Local. Errors: as `check_launcher`."""
    check_launcher()
    announced = announced_world_size()
    return "none" if announced is None else f"announces {announced} ranks"


def _mpi4py_finding() -> Finding:
    """Report mpi4py's version, and whether something overrides the MPI that it loads. Local."""
    try:
        import mpi4py
    except ImportError:
        return Finding("mpi4py", "missing", f"`{sys.executable} -m pip install mpi4py`")
    forced = os.environ.get("MPI4PY_LIBMPI", "")
    if forced and Path(forced) not in _library_files():
        return Finding("mpi4py", f"{mpi4py.__version__}, forced to {forced}", "unset MPI4PY_LIBMPI")
    return Finding("mpi4py", mpi4py.__version__)
