"""A release of Debian in a folder, to build and test in with what it brings."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

PACKAGES = "ca-certificates,python3,python3-dev,python3-venv,g++,make,git,procps"
# Mounts that end with the command: of the system, its certificates, and this checkout where it is.
ENTER = """
set -e
for place in proc sys dev etc/ssl; do mount --rbind /$place "$0/$place"; done
mkdir -p "$0$1"
mount --bind "$1" "$0$1"
place=$1
shift
exec chroot "$0" env -C "$place" "$@"
"""


def missing() -> str:
    """What stands in the way of a release in a folder; empty where nothing does. Local."""
    if os.geteuid() != 0:
        return "no root"
    return "" if shutil.which("debootstrap") else "no debootstrap (apt-get install debootstrap)"


def make_root(release: str, folder: Path, log: Path) -> bool:
    """True if the folder has the release; downloads what it lacks, for a minute. Local."""
    if (folder / "complete").exists():
        return True
    mirror = _mirror()
    if not mirror:
        return False
    shutil.rmtree(folder, ignore_errors=True)
    # releases that this debootstrap does not know are made as the newest one is
    script = "/usr/share/debootstrap/scripts/sid"
    command = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", release, str(folder)]
    with log.open("a") as file:
        done = subprocess.run([*command, mirror, script], stdout=file, stderr=file, check=False)
    if done.returncode != 0:
        return False
    for name in ("resolv.conf", "hosts", "pip.conf"):
        if (Path("/etc") / name).exists():
            shutil.copy(Path("/etc") / name, folder / "etc" / name)
    (folder / "complete").touch()
    return True


def _mirror() -> str:
    """Where this machine has its packages from; empty where it does not say."""
    asked = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]
    said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()
    return next((place for place in said if "security" not in place), "")


def inside(folder: Path, checkout: Path) -> list[str]:
    """The words before a command that is to run in the folder, in this checkout. Local."""
    return ["unshare", "--mount", "sh", "-c", ENTER, str(folder), str(checkout)]
