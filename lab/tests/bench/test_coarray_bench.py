"""The coarray program of lab/coarray: the populations of lapwing's model, bit for bit."""

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lapwing import Domain
from lapwing.base.error import UserError
from lapwing.core import mpi_runtime
from lapwing.core.partition import Box, block_partition
from lapwing_lab.bench.lattice import coarray, transfers
from lapwing_lab.bench.lattice.coarray import (
    WAYS,
    CoarrayRequest,
    ProgramMissingError,
    build,
    command,
    main,
    seconds_of,
)
from lapwing_lattice.initial import initial_flow
from lapwing_lattice.lattice_model import model
from lapwing_lattice.settings import (
    FlowSettings,
    GridSettings,
    InitialSettings,
    LatticeSettings,
    LatticeTable,
    ObstacleSettings,
)
from numpy.typing import NDArray

STEPS = 4  # what flies across two axes has come by the second
BUFFERED = ("buffered-push", "mpi")
SIZE = (9, 8, 7)

VORTICES = LatticeSettings(
    grid=GridSettings(*SIZE),
    lattice=LatticeTable(collision="bgk"),
    flow=FlowSettings(tau=0.7),
    initial=InitialSettings("taylor-green", 0.04),
)
SPHERES = LatticeSettings(
    grid=GridSettings(*SIZE),
    flow=FlowSettings(tau=0.8, force_x=2e-5, force_z=-1e-5),
    obstacle=ObstacleSettings(shape="spheres", radius=2.1, solid=0.3, seed=7),
    initial=InitialSettings("uniform", 0.01),
)


@pytest.fixture(scope="module")
def coarray_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        return build(tmp_path_factory.mktemp("coarray"))
    except ProgramMissingError as problem:
        pytest.skip(f"coarrays: {problem}")


def of_lapwing(settings: LatticeSettings, folder: Path) -> NDArray[np.floating[Any]]:
    """The populations of one rank; the files of the other program go to `folder`."""
    geometry = model.geometry(settings, folder)
    everything = Box((0, 0, 0), SIZE)
    flow = np.stack([values + np.zeros(SIZE) for values in initial_flow(settings, everything)], 3)
    flow.ravel(order="F").tofile(folder / "flow")
    solid = np.zeros(SIZE, bool) if geometry.solid is None else geometry.solid
    solid.astype(np.int8).ravel(order="F").tofile(folder / "solid")
    comm: Any = mpi_runtime.start().COMM_SELF
    domain = Domain(block_partition(geometry.grid, ranks=1), comm)
    run = model.create(domain, settings, geometry, strategy="blocking", transport="p2p")
    run.advance(STEPS)
    whole = run.populations()
    assert whole is not None
    domain.close()
    return whole


def of_coarrays(
    coarray_program: Path,
    settings: LatticeSettings,
    folder: Path,
    way: str,
    ranks: tuple[int, int, int],
) -> NDArray[np.float64]:
    tau, tau_minus = settings.relaxation_times
    flow = settings.flow
    words = {
        "grid": ",".join(map(str, SIZE)),
        "ranks": ",".join(map(str, ranks)),
        "way": way,
        "steps": STEPS,
        "warm": 0,
        "tau": repr(tau),
        "tau_minus": repr(tau_minus),
        "force": f"{flow.force_x!r},{flow.force_y!r},{flow.force_z!r}",
        **{name: folder / name for name in ("flow", "solid", "result")},
    }
    done = subprocess.run(
        [
            *mpi_runtime.launcher_command(int(np.prod(ranks))),
            str(coarray_program),
            *(f"{key}={value}" for key, value in words.items()),
        ],
        env=mpi_runtime.launcher_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return np.fromfile(folder / "result").reshape((*SIZE, 19), order="F")


@pytest.mark.ranks
@pytest.mark.any_mpi
@pytest.mark.parametrize(
    ("ranks", "way"),
    [
        ((1, 1, 1), WAYS[0]),
        *(((1, 1, 2), way) for way in WAYS),
        *(((2, 2, 1), way) for way in BUFFERED),
    ],
)
def test_bits_of_the_model(
    coarray_program: Path, tmp_path: Path, ranks: tuple[int, int, int], way: str
) -> None:
    wanted = of_lapwing(SPHERES, tmp_path)
    got = of_coarrays(coarray_program, SPHERES, tmp_path, way, ranks)
    assert np.isfinite(wanted).all()
    assert wanted.std() > 0
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_bits_without_force_and_walls(coarray_program: Path, tmp_path: Path) -> None:
    wanted = of_lapwing(VORTICES, tmp_path)
    for ranks in ((2, 1, 1), (1, 2, 1)):
        got = of_coarrays(coarray_program, VORTICES, tmp_path, WAYS[0], ranks)
        np.testing.assert_array_equal(got, wanted)


def parse(words: list[str]) -> CoarrayRequest:
    return CoarrayRequest(**command.make_context("", words).params)


def test_requests() -> None:
    request = parse(["--blocks", "2x1x1,1x2x1", "--size", "64"])
    assert request.blocks == ((2, 1, 1), (1, 2, 1))
    assert (request.size, request.steps) == (64, 20)
    assert parse([]).blocks == ((1, 1, 2), (2, 1, 1))
    for bad, message in (
        (["--blocks", "1,x"], r"--blocks: got '1'"),
        (["--blocks", "1x0x2"], "like 1x1x2"),
        (["--steps", "0"], "a whole number from 1"),
        (["--rounds", "many"], "--rounds"),
    ):
        with pytest.raises(UserError, match=message):
            parse(bad)


@pytest.fixture(scope="module")
def transfers_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        return build(tmp_path_factory.mktemp("transfers"), "transfers")
    except ProgramMissingError as problem:
        pytest.skip(f"coarrays: {problem}")


@pytest.mark.ranks
@pytest.mark.any_mpi
@pytest.mark.parametrize("what", ["ring", "bounce", "overlap"])
@pytest.mark.parametrize("way", [*transfers.WAYS, "elements"])
def test_transfers_bring_the_sender_s_values(transfers_program: Path, what: str, way: str) -> None:
    words = [f"what={what}", f"way={way}", "bytes=800", "rounds=2"]
    transfer, arithmetic, both = seconds_of([str(transfers_program), *words], 2)  # it checks them
    assert transfer > 0
    assert (arithmetic > 0) == (both > 0) == (what == "overlap")


def test_lines_of_code_leave_comments_and_empty_lines_out() -> None:
    text = (
        "  ! One.\n  pure subroutine one(b)\n    ! why\n    b = 1\n\n    c = 2\n  end subroutine\n"
    )
    assert transfers.lines_of_code("one", text) == 4
    every = (coarray.SOURCES / "exchange.f90").read_text()
    for names in transfers.NEEDED.values():
        assert all(transfers.lines_of_code(name, every) > 5 for name in names)


def test_the_share_that_is_hidden() -> None:
    assert transfers.hidden([1.0, 2.0, 2.0]) == 1.0
    assert transfers.hidden([1.0, 2.0, 3.0]) == 0.0
    assert transfers.hidden([1.0, 2.0, 3.5]) == -0.5


def test_wrong_options_end_without_a_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--blocks", "1,x"])
    assert ended.value.code == 2
    assert "--blocks" in capfd.readouterr().err


def test_help_tells_the_options(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0
    assert "--blocks 1x1x2,..." in " ".join(capfd.readouterr().out.split())


def test_a_compiler_that_ends_with_an_internal_error_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "gfortran-16"
    error = "echo 'f951: internal compiler error: in gfc_conv_expr' >&2; exit 1"
    compiler.write_text(f"#!/bin/sh\n[ $1 = -dumpfullversion ] && echo 16.1 && exit\n{error}\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("FC", str(compiler))
    monkeypatch.setattr(coarray, "_coarrays", lambda: tmp_path / "libcaf.so")
    monkeypatch.setattr(coarray, "_mpich", lambda: tmp_path / "libmpi.so.12")
    with pytest.raises(ProgramMissingError, match=r"16\.1 ends with .* 13 and 14 compile") as told:
        build(tmp_path / "build")
    assert str(compiler) in str(told.value)


def test_missing_compiler_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ProgramMissingError, match="gfortran"):
        build(tmp_path)
