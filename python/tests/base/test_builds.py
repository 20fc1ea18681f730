"""Which of several builds is taken: by the processor, and by the MPI that is there."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from lapwing.base import builds

NAMES = [f"{kind}-{level}" for kind in ("mpich", "openmpi") for level in ("x86-64-v2", "x86-64-v3")]
V2 = "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3"
V3 = f"{V2} avx avx2 bmi1 bmi2 f16c fma abm movbe xsave"


@pytest.fixture
def wheel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A wheel of four builds, on a v3 processor, with no MPI and no launcher in sight."""
    for name in NAMES:
        (tmp_path / "builds" / name).mkdir(parents=True)
    (tmp_path / "lib").mkdir()
    found = builds.available(tmp_path / "builds")
    monkeypatch.setattr(builds, "available", lambda: found)
    monkeypatch.setattr(builds, "_processor_levels", lambda: {"x86-64-v2", "x86-64-v3"})
    monkeypatch.setattr(builds, "search_folders", lambda: [tmp_path / "lib"])
    monkeypatch.delitem(sys.modules, "mpi4py.MPI", raising=False)
    for variable in ("LAPWING_BUILD", "MPI4PY_LIBMPI", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"):
        monkeypatch.delenv(variable, raising=False)
    builds.chosen.cache_clear()
    yield tmp_path
    builds.chosen.cache_clear()


def chosen() -> str:
    build = builds.chosen()
    assert build is not None
    return build.name


def put(wheel: Path, *names: str) -> None:
    for name in names:
        (wheel / "lib" / name).write_bytes(b"ELF")


def test_a_build_of_ones_own_is_the_only_one() -> None:
    assert builds.available() == []
    assert builds.folders("lapwing.core") == []


def test_the_highest_level_that_the_processor_has(
    wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(wheel, "libmpi.so.12")
    assert chosen() == "mpich-x86-64-v3"
    builds.chosen.cache_clear()
    monkeypatch.setattr(builds, "_processor_levels", lambda: {"x86-64-v2"})
    assert chosen() == "mpich-x86-64-v2"


def test_an_older_processor_is_refused(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builds, "_processor_levels", set)
    with pytest.raises(ImportError, match=r"got a processor below x86-64-v2.*`pip install \.`"):
        builds.chosen()


@pytest.mark.parametrize(
    ("flags", "levels"),
    [
        (V3, {"x86-64-v2", "x86-64-v3"}),
        (V2, {"x86-64-v2"}),
        (V3.replace("movbe", ""), {"x86-64-v2"}),
        ("sse sse2", set()),
    ],
)
def test_levels_of_a_processor(flags: str, levels: set[str], tmp_path: Path) -> None:
    file = tmp_path / "cpuinfo"
    file.write_text(f"processor\t: 0\nflags\t\t: fpu {flags}\n\n")
    assert builds._processor_levels(str(file)) == levels


def test_the_mpi_that_is_there(wheel: Path) -> None:
    put(wheel, "libmpi.so.40")
    assert chosen() == "openmpi-x86-64-v3"
    assert builds.libraries("openmpi") == [wheel / "lib" / "libmpi.so.40"]
    assert builds.libraries("mpich") == []


def test_of_two_mpis_that_of_the_launcher(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(wheel, "libmpi.so.12", "libmpi.so.40")
    assert builds.kind_of_mpi() == "mpich"
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    assert builds.kind_of_mpi() == "openmpi"
    monkeypatch.delenv("OMPI_COMM_WORLD_SIZE")
    monkeypatch.setenv("PMI_SIZE", "2")
    assert builds.kind_of_mpi() == "mpich"


def test_the_library_that_mpi4py_is_told_to_load(
    wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(wheel, "libmpi.so.12")
    library = wheel / "libmpi.so"
    library.write_bytes(b"\x7fELF...ompi_mpi_comm_self...")
    monkeypatch.setenv("MPI4PY_LIBMPI", str(library))
    assert chosen() == "openmpi-x86-64-v3"
    assert builds.libraries("openmpi") == [library]


def test_without_an_mpi_a_build_is_chosen_that_can_say_so(wheel: Path) -> None:
    assert builds.kind_of_mpi() is None
    assert chosen().endswith("x86-64-v3")


def test_a_build_by_name(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAPWING_BUILD", "openmpi-x86-64-v2")
    folder = wheel / "builds" / "openmpi-x86-64-v2"
    assert builds.folders("lapwing.core") == [str(folder / "lapwing" / "core")]
    builds.chosen.cache_clear()
    monkeypatch.setenv("LAPWING_BUILD", "intel")
    with pytest.raises(ImportError, match=r"=intel, expected one of .*mpich-x86-64-v3"):
        builds.folders("lapwing.core")
