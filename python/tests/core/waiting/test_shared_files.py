"""Shared memory is of its user alone, leaves no name behind, and says when it is full."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lapwing.core import mpi_runtime
from lapwing.core.mpi_runtime import built_with
from lapwing.run.launch import check_shared_memory

RunOnRanks = Callable[..., Any]  # the fixture in conftest.py

LOOK = """
import os, stat
from pathlib import Path
from lapwing import Domain, Exchange
domain = Domain((9, 8), periodic=True)
exchange = Exchange([domain.field("depth", halo=1)], transport="shared")
exchange.run()
here = [path for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
own = [path for path in here if os.readlink(path).startswith("/memfd:lapwing")]
print("MODES", {oct(stat.S_IMODE(path.stat().st_mode)) for path in own}, flush=True)
named = [line for line in open("/proc/self/maps") if "/dev/shm/mpich" in line]
print("NAMED", [line for line in named if not line.endswith("(deleted)\\n")], flush=True)
exchange.run()
domain.close()
"""


def test_shared_memory_is_private_and_has_no_name(run_on_ranks: RunOnRanks) -> None:
    said = run_on_ranks(3, LOOK).stdout
    assert said.count("MODES {'0o600'}") == 3, said
    assert said.count("NAMED []") == 3, said


@pytest.mark.skipif(built_with().family != "MPICH", reason="of MPICH")
def test_too_little_shared_memory_is_told_before_ranks_start(tmp_path: Path) -> None:
    check_shared_memory(2)
    needed = shutil.disk_usage(tmp_path).free // 2**20 + 100
    with pytest.raises(RuntimeError, match=rf"{tmp_path}: got .* MiB free; expected"):
        check_shared_memory(needed, tmp_path)


@pytest.mark.root
@pytest.mark.ranks
@pytest.mark.skipif(built_with().family != "MPICH", reason="of MPICH")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small /dev/shm")
def test_a_bus_error_says_what_it_means() -> None:
    script = 'mount -t tmpfs -o size=64k shm /dev/shm && exec "$@"'
    program = "from lapwing.core import mpi_runtime; mpi_runtime.start()"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", *mpi_runtime.launcher_command(2),
         sys.executable, "-c", program],
        env=mpi_runtime.launcher_environment(), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode != 0
    assert re.search(r"lapwing: bus error: most likely /dev/shm is full", done.stderr), done.stderr
