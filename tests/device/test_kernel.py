"""The kernel that is kept as PTX is that of its source, and assembles for devices of today."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

MAKE_PTX = runpy.run_path(str(Path(__file__).with_name("make_ptx.py")))

WRITTEN_BY = "13.0"  # the release of nvcc that wrote the header: others write other registers


def tool(name: str) -> str:
    """The path of a tool of CUDA's compiler; skips the test where it is missing."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name}, of CUDA's compiler, is not installed")
    return found


def kept() -> str:
    """The PTX in the header."""
    found = re.search(r'R"ptx\((.*)\)ptx"', MAKE_PTX["HEADER"].read_text(), re.DOTALL)
    assert found
    return found[1]


def test_the_kernel_is_that_of_its_source() -> None:
    nvcc = tool("nvcc")
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    if f"release {WRITTEN_BY}," not in version:
        pytest.skip(f"nvcc is not {WRITTEN_BY}, which wrote the kernel")
    assert kept() == MAKE_PTX["compiled"](nvcc), "run `make ptx`"


@pytest.mark.parametrize("device", ["sm_75", "sm_90"])
def test_the_kernel_assembles(device: str, tmp_path: Path) -> None:
    ptxas = tool("ptxas")
    source = tmp_path / "kernel.ptx"
    source.write_text(kept())
    subprocess.run(
        [ptxas, f"-arch={device}", "-o", str(tmp_path / "kernel"), str(source)], check=True
    )
    assert (tmp_path / "kernel").stat().st_size > 1000


def test_a_kernel_that_is_none_does_not_assemble(tmp_path: Path) -> None:
    ptxas = tool("ptxas")
    source = tmp_path / "kernel.ptx"
    source.write_text(kept().replace("ld.global", "ld.nowhere", 1))
    command = [ptxas, "-arch=sm_90", "-o", str(tmp_path / "kernel"), str(source)]
    assert subprocess.run(command, capture_output=True, check=False).returncode != 0
