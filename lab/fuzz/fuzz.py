"""Fuzzing, and what came of it: the targets in C++ (cpp/tests/fuzz) and those of targets.py.

`fuzz.py TARGET --runs N --seconds S` fuzzes from the kept inputs; a fault is printed and its input
kept in build/fuzz/faults. `--fast` fuzzes a target in C++ without sanitizers, much faster,
and then gives all inputs that reached new code to the one with them; of a target in Python it does
not follow the parser of TOML, which is Python's own. `--record` adds the executions
to results.json, `--minimise` makes the kept inputs, corpus/NAME.hex with an input a line, the
smallest with the same coverage. Without a target: the table of results.json.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CPP = ROOT / "cpp" / "tests" / "fuzz"
BUILD = ROOT / "build" / "fuzz"
FAST = ROOT / "build" / "fuzz-fast"
RESULTS = HERE / "results.json"
MOST_BYTES = 5500  # of the kept inputs of a target: 11 KB as text
PYTHON_TARGETS = (
    *("case", "machine", "mask_npy", "mask_netcdf", "layout"),
    *("tuned", "restart", "journal", "command_words"),
)


def cpp_targets() -> list[str]:
    """The targets in C++."""
    return sorted(path.stem.removeprefix("fuzz_") for path in CPP.glob("fuzz_*.cpp"))


def kept(target: str) -> Path:
    """The file of the kept inputs of a target."""
    folder = CPP if target in cpp_targets() else HERE
    return folder / "corpus" / f"{target}.hex"


def read_kept(target: str) -> list[bytes]:
    """The kept inputs of a target."""
    path = kept(target)
    return [bytes.fromhex(line) for line in path.read_text().splitlines()] if path.exists() else []


def unpacked(target: str) -> Path:
    """The folder that a fuzzer works in, with the kept inputs, and valid ones in Python."""
    folder = BUILD / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    inputs = read_kept(target)
    if target in PYTHON_TARGETS:
        import seeds  # here: it loads lapwing, which targets in C++ can do without

        inputs += seeds.SEEDS[target]()
    for number, data in enumerate(inputs):
        (folder / f"kept{number}").write_bytes(data)
    return folder


def command(target: str, options: list[str], build: Path = BUILD) -> list[str]:
    """The fuzzer of a target: a program, or this one inside Atheris."""
    if target in cpp_targets():
        return [str(build / "cpp" / "tests" / "fuzz" / f"fuzz_{target}"), *options]
    followed = "lapwing" if build == FAST else "lapwing,tomllib"
    return [sys.executable, str(HERE / "in_python.py"), target, followed, *options]


def fuzz_fast(target: str, runs: int, seconds: int) -> dict[str, float]:
    """Fuzz without sanitizers, and run what that found with them; executions of both."""
    fast = fuzz(target, runs, seconds, FAST)
    if target in PYTHON_TARGETS:
        return fast
    again = fuzz(target, 0, seconds)
    both = {key: fast[key] + again[key] for key in ("executions", "seconds")}
    return both | {"sanitized": again["executions"]}


def fuzz(target: str, runs: int, seconds: int, build: Path = BUILD) -> dict[str, float]:
    """Fuzz a target; its executions and seconds. Ends the program where there is a fault."""
    faults = BUILD / "faults"
    faults.mkdir(parents=True, exist_ok=True)
    options = [f"-runs={runs}", f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=4096"]
    options += ["-print_final_stats=1", f"-artifact_prefix={faults}/{target}-", "-verbosity=1"]
    options += ["-max_len=200" if target in cpp_targets() else "-max_len=4096"]
    if build == FAST and target in cpp_targets():  # weighing inputs takes half of the time
        options += ["-entropic=0"]
    # what no memory holds is refused, as without sanitizers; MPI libraries keep what they took
    asked = "allocator_may_return_null=1" + (":detect_leaks=0" if target.startswith("c_") else "")
    began = time.monotonic()
    path = BUILD / f"{target}-{os.getpid()}.log"  # others may fuzz the same target
    with path.open("w") as log:
        done = subprocess.run(
            command(target, [*options, str(unpacked(target))], build),
            stdout=log,
            stderr=subprocess.STDOUT,
            env=os.environ | {"ASAN_OPTIONS": asked},
            check=False,
        )
    text = path.read_text(errors="replace")
    found = re.search(r"stat::number_of_executed_units:\s*(\d+)", text)
    if done.returncode != 0 or found is None:
        print(text[-6000:])
        sys.exit(f"fuzz: {target} has a fault; see {path}")
    path.unlink()
    done_now: dict[str, float] = {
        "executions": int(found[1]),
        "seconds": round(time.monotonic() - began),
    }
    sanitized = build == BUILD and target in cpp_targets()
    return done_now | ({"sanitized": int(found[1])} if sanitized else {})


def minimise(target: str) -> None:
    """Keep the smallest inputs that reach what all of them reach."""
    least = least_in_cpp(target) if target in cpp_targets() else least_in_python(target)
    lines, left = [], MOST_BYTES
    for data in least:
        left -= len(data)
        if left >= 0:
            lines.append(data.hex() + "\n")
    kept(target).parent.mkdir(exist_ok=True)
    kept(target).write_text("".join(lines))
    print(f"fuzz: {target} keeps {len(lines)} inputs of {len(least)}")


def inputs_in(folder: Path) -> list[bytes]:
    """The inputs in a folder, the shortest first."""
    return sorted(
        (path.read_bytes() for path in folder.iterdir()), key=lambda data: (len(data), data)
    )


def least_in_cpp(target: str) -> list[bytes]:
    """The inputs that libFuzzer keeps."""
    with tempfile.TemporaryDirectory() as folder:
        merge = command(target, ["-merge=1", folder, str(unpacked(target))])
        done = subprocess.run(merge, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stderr[-4000:])
        return inputs_in(Path(folder))


def least_in_python(target: str) -> list[bytes]:
    """The inputs that reach a line of lapwing which no shorter one does."""
    import targets

    seen: set[tuple[str, int]] = set()
    new: set[tuple[str, int]] = set()

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        name = frame.f_code.co_filename
        if event == "call":
            return trace if "/lapwing/" in name or "tomllib" in name else None
        if (name, frame.f_lineno) not in seen:
            new.add((name, frame.f_lineno))
        return trace

    found = []
    for data in inputs_in(unpacked(target)):
        new.clear()
        sys.settrace(trace)
        try:
            targets.TARGETS[target](data)
        finally:
            sys.settrace(None)
        if new:
            found.append(data)
            seen |= new
    return found


def record(target: str, more: dict[str, float]) -> None:
    """Add executions and seconds to the kept results."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    before = results.get(target, {})
    results[target] = before | {key: before.get(key, 0) + value for key, value in more.items()}
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")


def table() -> str:
    """The table of all targets."""
    results = json.loads(RESULTS.read_text())
    lines = ["| target | executions | with sanitizers | per second |", "|---|---|---|---|"]
    for target in (*cpp_targets(), *PYTHON_TARGETS):
        one = results.get(target, {"executions": 0, "seconds": 0, "sanitized": 0})
        rate = one["executions"] / max(1, one["seconds"])
        sanitized = f"{one['sanitized']:,}" if target in cpp_targets() else "Python"
        lines.append(f"| `{target}` | {one['executions']:,} | {sanitized} | {rate:,.0f} |")
    return "\n".join(lines)


def main() -> None:
    """Fuzz, minimise, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", nargs="?", help="; ".join((*cpp_targets(), *PYTHON_TARGETS)))
    parser.add_argument("--runs", type=int, default=-1)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--minimise", action="store_true")
    asked = parser.parse_args()
    if asked.target is None:
        return print(table())
    if asked.target not in (*cpp_targets(), *PYTHON_TARGETS):
        sys.exit(f"fuzz: no target {asked.target}; there are {', '.join(parser.format_usage())}")
    if asked.seconds > 0:
        more = (fuzz_fast if asked.fast else fuzz)(asked.target, asked.runs, asked.seconds)
        said = f"{more['executions']} executions in {more['seconds']} s, no fault"
        print(f"fuzz: {asked.target}: {said}", flush=True)
        if asked.record:
            record(asked.target, more)
    if asked.minimise:
        minimise(asked.target)
    return None


if __name__ == "__main__":
    main()
