"""Every layout file as its model reads it: by readers of their own, against the true mask."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import layout_readers
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lapwing.partition.layouts import (
    KINDS,
    Layout,
    block_edges,
    check_layout,
    kind_named,
    layout_partition,
    plan_layout,
    ranks_of,
    read_layout,
    write_layout,
)
from layout_readers import READERS, Reading

Array = np.ndarray[Any, Any]

RINGED = ("nemo-4.0", "nemo-3.6", "roms", "croco")  # no block has the outermost cells


def made(kind: str, cells: int, halo: int) -> list[int]:
    """The numbers of blocks that a model makes of an axis."""
    return [n for n in range(1, cells + 1) if kind_named(kind).makes(cells, n, halo)]


@st.composite
def seas(draw: st.DrawFn, kind: str) -> tuple[Array, tuple[int, int], int]:
    """A mask of patches, with odd sizes too, blocks that the model can make, and a halo."""
    halo = draw(st.integers(1, 3))
    size = (draw(st.integers(9, 48)), draw(st.integers(9, 48)))
    m, n = (draw(st.sampled_from(made(kind, cells, halo))) for cells in size)
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    coarse = random.random((8, 8)) < draw(st.sampled_from([0.05, 0.2, 0.5, 1.0]))
    patch = draw(st.integers(6, 9))
    wet = np.kron(coarse, np.ones((patch, patch), dtype=bool))[: size[0], : size[1]]
    wet &= random.random(size) < draw(st.sampled_from([0.1, 0.9, 1.0]))
    wet[3, 4] = True
    if kind == "hycom":
        wet[-1] = wet[:, -1] = False
    return wet, (m, n), halo


def check_reading(kind: str, wet: Array, layout: Layout, reading: Reading) -> None:
    """No wet cell is lost, each has one owner, and lapwing thinks the same of all cells."""
    inner = np.ones(wet.shape, dtype=bool)
    if kind in RINGED:
        inner[[0, -1]] = inner[:, [0, -1]] = False
    assert (reading.owner[wet & inner] >= 0).all()
    assert (reading.owner[~inner] == -1).all()
    assert reading.processes == layout.ranks
    assert set(reading.owner[reading.owner >= 0]) == set(range(layout.ranks))
    own = ranks_of(layout_partition(layout))
    if kind == "cice":  # numbers processes by weight
        own, reading = np.minimum(own, 0), reading._replace(owner=np.minimum(reading.owner, 0))
    assert (own == reading.owner).all()


def test_every_kind_has_a_reader() -> None:
    assert set(READERS) == set(KINDS)
    assert "lapwing" not in re.findall(
        r"^(?:from|import) (\w+)", Path(layout_readers.__file__).read_text(), re.MULTILINE
    )


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=30)
@given(st.data())
def test_the_model_finds_every_wet_cell_once(
    kind: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    wet, blocks, halo = data.draw(seas(kind))
    path = tmp_path_factory.mktemp("layout") / "file"
    written = write_layout(kind, wet, blocks, path, halo)
    check_reading(kind, wet, written, READERS[kind](path, wet, halo))
    read = read_layout(kind, path)
    assert read == written
    check_layout(read, wet)


@settings(max_examples=30)
@given(st.data())
def test_hycom_drops_what_its_tools_would_drop(data: st.DataObject) -> None:
    wet, blocks, halo = data.draw(seas("hycom"))
    layout = plan_layout("hycom", wet, blocks, halo)
    x, y = (block_edges("hycom", n, m, halo) for n, m in zip(wet.shape, blocks, strict=True))
    for i, j in layout.dropped:
        tile = ((x[i] + 1, x[i + 1]), (y[j] + 1, y[j + 1]))
        assert not layout_readers.hycom_needs(wet, *tile)


# ---- Fortran's own namelists

PROGRAM = """
program read_it
  implicit none
  integer, parameter :: most = 5000
  character(len=1) :: cn_mpi_send
  integer :: nn_buffer, jpni, jpnj, jpnij, nn_hls, nn_comm, unit, status, number
  integer :: dimsfacets(4), blanklist(most), w2_mapio, predeftopol
  real :: facetedgelink(4, 2)
  logical :: ln_nnogather, ln_listonly
  namelist /nammpp/ {names}
  namelist /w2_exch2_parm01/ predeftopol, dimsfacets, facetedgelink, blanklist, w2_mapio
  character(len=200) :: message, name
  jpni = 0; jpnj = 0; jpnij = 0; nn_hls = 0; blanklist = 0; dimsfacets = 0
  call get_command_argument(1, name)
  open(newunit=unit, file=name, status="old")
  message = "read"
  read(unit, nml={group}, iostat=status, iomsg=message)
  if (status /= 0) print '(a)', trim(message)
  print '(*(i0, 1x))', status, jpni, jpnj, jpnij, nn_hls, dimsfacets(1:2), count(blanklist /= 0)
end program
"""

NAMELISTS = {
    "nemo": ("jpni, jpnj, nn_hls, ln_nnogather, ln_listonly, nn_comm", "nammpp"),
    "nemo-4.0": ("cn_mpi_send, nn_buffer, jpni, jpnj, ln_nnogather", "nammpp"),
    "nemo-3.6": ("cn_mpi_send, nn_buffer, jpni, jpnj, jpnij, ln_nnogather", "nammpp"),
    "mitgcm": ("jpni", "w2_exch2_parm01"),
}


@pytest.mark.compiler
@pytest.mark.parametrize("kind", NAMELISTS)
def test_fortran_reads_the_namelist(kind: str, tmp_path: Path) -> None:
    """Each version declares its own names, and stops at another."""
    if not shutil.which("gfortran"):
        pytest.skip("no gfortran: `make system-packages`")
    wet = np.zeros((120, 90), dtype=bool)
    wet[5:40, 5:70] = True
    layout = write_layout(kind, wet, (12, 9), tmp_path / "file", 2)
    lines = (tmp_path / "file").read_text().splitlines()
    if kind == "mitgcm":  # which drops comments, and makes its terminator the standard one
        kept = [line[:200] for line in lines if not line.startswith("#")]
        lines = [" /" if line == " &" else line for line in kept]
    (tmp_path / "input").write_text("\n".join(lines) + "\n")
    names, group = NAMELISTS[kind]
    printed = fortran(PROGRAM.format(names=names, group=group), tmp_path, "input")
    numbers = {"jpni": 12, "jpnj": 9, "jpnij": layout.ranks, "nn_hls": 2}
    expected = [numbers[name] if f"{name} " in namelist_of(lines) else 0 for name in numbers]
    facets = [*wet.shape, len(layout.dropped)] if kind == "mitgcm" else [0, 0, 0]
    assert printed.split() == [str(n) for n in (0, *expected, *facets)]


FORMATS = """
program read_it
  implicit none
  integer :: unit, head(8), j, numbers(11), status, cells
  integer, allocatable :: start(:), length(:), south(:), height(:)
  character(len=255) :: line
  open(newunit=unit, file="patch.input", status="old")
  read(unit, '(/8i6/)') head
  allocate(start(head(2)), length(head(2)), south(head(3)), height(head(3)))
  cells = 0
  do j = 1, head(3)
    read(unit, '(12x,8i6)') start
    read(unit, '(12x,8i6)') length
    cells = cells + sum(length) * 1000 + sum(start)
  end do
  read(unit, *)
  read(unit, '(12x,8i6)') south
  read(unit, '(12x,8i6)') height
  print '(*(i0, 1x))', head, cells, south, height
  close(unit)
  open(newunit=unit, file="par_setup.dat", status="old")
  status = 0
  do
    read(unit, '(a)', iostat=status) line
    if (status /= 0) exit
    if (line(1:1) == "#" .or. len_trim(line) == 0) cycle
    numbers = -9
    read(line, *, iostat=status) numbers
    print '(*(i0, 1x))', numbers
  end do
end program
"""


@pytest.mark.compiler
def test_fortran_reads_the_formats(tmp_path: Path) -> None:
    """HYCOM's formats have columns of fixed width; GETM reads free numbers from each line."""
    if not shutil.which("gfortran"):
        pytest.skip("no gfortran: `make system-packages`")
    wet = np.zeros((120, 70), dtype=bool)
    wet[5:40, 5:60] = True
    hycom = write_layout("hycom", wet, (17, 9), tmp_path / "patch.input", 2)
    getm = write_layout("getm", wet, (15, 9), tmp_path / "par_setup.dat", 2)
    first, *lines = fortran(FORMATS, tmp_path).splitlines()
    x, y = block_edges("hycom", 120, 17), block_edges("hycom", 70, 9)
    kept = set(np.ndindex(17, 9)) - set(hycom.dropped)
    cells = sum(1000 * (x[i + 1] - x[i]) + x[i] + 1 for i, _ in kept)
    rows = [low + 1 for low in y[:-1]], [int(n) for n in np.diff(y)]
    expected = [hycom.ranks, 17, 9, 120, 70, 8, 8, 0, cells, *rows[0], *rows[1]]
    assert [int(n) for n in first.split()] == expected
    own = (tmp_path / "par_setup.dat").read_text().splitlines()
    tiles = [[int(n) for n in line.split()] for line in own[4:]]
    assert [[int(n) for n in line.split()] for line in lines[2:]] == tiles
    assert len(tiles) == getm.ranks == int(lines[0].split()[0])


def fortran(program: str, folder: Path, *arguments: str) -> str:
    """The output of a program."""
    (folder / "read.f90").write_text(program)
    subprocess.run(["gfortran", "-O0", "-o", "read_it", "read.f90"], cwd=folder, check=True)
    run = subprocess.run(
        ["./read_it", *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return run.stdout


def namelist_of(lines: list[str]) -> str:
    return "\n".join(line for line in lines if not line.startswith("!"))
