"""Puts the tiny model into a folder, as an installed package would."""

import shutil
from pathlib import Path

TINY_CASE = """\
model = "tiny"
title = "A tiny sea"
step = "60 s"

[run]
duration = "30 min"
check_every = 7

[output]
every = "5 min"

[grid]
nx = 12
ny = 10
"""


def install_tiny(folder: Path) -> Path:
    """Make the folder offer the tiny model and its case, once it is on PYTHONPATH. Local."""
    shutil.copy(Path(__file__).parent / "tiny_model.py", folder)
    about = folder / "tiny_model-0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-model\nVersion: 0\n")
    (about / "entry_points.txt").write_text("[lapwing.models]\ntiny = tiny_model:model\n")
    (folder / "tiny.toml").write_text(TINY_CASE)
    return folder
