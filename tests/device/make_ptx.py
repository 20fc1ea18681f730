"""Compile the kernel of a device to PTX and keep it as a header: `make ptx`.

The driver compiles PTX for the device that it finds, so no compiler of CUDA is needed to build or
to run lapwing. The version that nvcc writes is its own; the kernel needs none later than that of
its target, which older drivers take too.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "cpp" / "src" / "device" / "cuda" / "move_pieces.cu"
HEADER = SOURCE.with_name("move_pieces_ptx.hpp")
TARGET = "compute_75"  # Turing, of 2018; what nvcc 13 compiles for at least
VERSION = "6.3"  # of PTX, the first that knows this target

FRAME = """#pragma once
// The kernel of move_pieces.cu as PTX. Written by `make ptx`.

namespace lapwing {{

inline constexpr char move_pieces_ptx[] = R"ptx({ptx})ptx";

}}  // namespace lapwing
"""


def compiled(nvcc: str) -> str:
    """The kernel as PTX of the oldest version that has it, without comments."""
    with tempfile.TemporaryDirectory() as folder:
        ptx = Path(folder) / "kernel.ptx"
        flags = ["-std=c++17", "-I", str(SOURCE.parents[2]), "-ptx", f"-arch={TARGET}"]
        subprocess.run([nvcc, *flags, "-o", str(ptx), str(SOURCE)], check=True)
        text = re.sub(r"^\s*//.*\n", "", ptx.read_text(), flags=re.M)
    text = re.sub(r"^\.version .*$", f".version {VERSION}", text, flags=re.M)
    return re.sub(r"\n{2,}", "\n", text).strip() + "\n"


def main() -> None:
    """Write the header."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        sys.exit("make ptx: nvcc is not on the path; install CUDA's compiler")
    HEADER.write_text(FRAME.format(ptx=compiled(nvcc)))


if __name__ == "__main__":
    main()
