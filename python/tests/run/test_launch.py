"""Settings that ranks inherit from the command that starts them."""

import os
import subprocess
from pathlib import Path

from lapwing.run import launch


def test_where_memory_runs_out_a_rank_ends_before_the_command() -> None:
    own = int(Path("/proc/self/oom_score_adj").read_text())
    job = subprocess.run(
        ["cat", "/proc/self/oom_score_adj"], check=True, capture_output=True, text=True,
        preexec_fn=launch._beneath(os.getpid()),
    )  # fmt: skip
    assert int(job.stdout) > own or own == 1000
