"""A kernel that Numba compiles next to the same one in C++, alternating: docs/guide/numba.md.

    python lab/programs/numba/numba_speed.py [NXxNY] [ROUNDS]

The kernel of examples/11_numba and that of numba_speed.cpp, which is compiled here as lapwing was:
one rank, strategy blocking, computing alone. Microseconds per sweep of the grid, and the median
ratio of speeds of the rounds.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

import lapwing
from lapwing.core import _build_info, mpi_runtime

ROOT = Path(__file__).resolve().parents[3]
STEPS = 200  # of a round


def kernel() -> Any:
    """The kernel of the example."""
    file = ROOT / "examples" / "11_numba" / "heat.py"
    spec = importlib.util.spec_from_file_location("heat", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.spread


def compiled(folder: Path) -> Path:
    """The C++ program, with the flags of this lapwing."""
    core = Path(str(_build_info.__file__)).parent
    program = folder / "numba_speed"
    headers = [f"-I{ROOT / 'cpp' / 'include'}"]
    library = [f"-L{core}", "-llapwing", f"-Wl,-rpath,{core}"]
    wrapper = mpi_runtime.mpiexec_path().parent / "mpicxx"
    source = Path(__file__).with_suffix(".cpp")
    flags = [*_build_info.FLAGS.split(), "-std=c++20"]
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([wrapper, *flags, *headers, source, *library, "-o", program], check=True)
    return program


def made(nx: int, ny: int) -> tuple[lapwing.Step, lapwing.Field]:
    """The step of the example's kernel, and its field."""
    domain = lapwing.Domain((nx, ny), periodic=True)
    a, b = domain.field("a"), domain.field("b")
    spread = kernel()
    stages = [
        lapwing.Stage(spread, [(a, lapwing.cross(1))], [b], name="there"),
        lapwing.Stage(spread, [(b, lapwing.cross(1))], [a], name="back"),
    ]
    step = lapwing.Step(domain, stages)
    a.set(lambda i, j: i * 7.0 + j * 3.0)
    step.run(2)  # compiles
    return step, a


def main(size: str = "360x180", rounds: str = "11") -> None:
    """Measure alternately and print."""
    nx, ny = (int(n) for n in size.split("x"))
    program = compiled(ROOT / "build" / "numba_speed")
    step, field = made(nx, ny)
    mine, theirs, firsts = [], [], set()
    for number in range(int(rounds)):
        step.reset_times()
        step.run(STEPS)
        mine.append(sum(step.report.times.compute) / (2 * STEPS) * 1e6)
        command: list[str | Path] = [program, str(nx), str(ny), str(STEPS)]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found = re.match(r"([\d.]+) us, first value (\S+)", said)
        assert found is not None, said
        theirs.append(float(found[1]))
        if number == 0 and (whole := field.gather()) is not None:
            firsts = {float(whole[0, 0]), float(found[2])}
    print(f"{size}, {rounds} rounds of {STEPS} steps of two sweeps each")
    print(f"Numba {median(mine):8.2f} us (least {min(mine):.2f})")
    print(f"C++   {median(theirs):8.2f} us (least {min(theirs):.2f})")
    ratios = [cpp / numba for cpp, numba in zip(theirs, mine, strict=True)]
    print(f"speed of Numba: {median(ratios):.2f} of C++ ({min(ratios):.2f} to {max(ratios):.2f})")
    print("same bits" if len(firsts) == 1 else f"OTHER BITS: {firsts}")


if __name__ == "__main__":
    main(*sys.argv[1:])
