"""Compare this checkout with another one: both run the same benchmark, alternating.

make build in both
python lab/programs/alternate.py ../other --rounds 5 -- zoning --works 60x60x60
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parents[2]
Medians = dict[tuple[str, str], float]  # seconds, by work and method


def measured(checkout: Path, arguments: list[str]) -> Medians:
    """One invocation of the benchmark by the lapwing of a checkout."""
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "result.json"
        lapwing = str(checkout / ".venv/bin/lapwing")
        command = [lapwing, "bench", *arguments, "--json", str(kept)]
        subprocess.run([*command, "--progress", "none"], cwd=folder, check=True, stdout=sys.stderr)
        results = json.loads(kept.read_text())["results"]
    return {(one["work"], one["method"]): median(one["samples"]) for one in results}


def print_ratios(rounds: list[tuple[Medians, Medians]]) -> None:
    """Per work and method: this checkout's time over the other's, median of rounds and range."""
    common = [key for key in rounds[0][0] if all(key in one for pair in rounds for one in pair)]
    print(f"time here over time there, {len(rounds)} alternating rounds: median (range)")
    middles = []
    for work, method in common:
        ratios = [here[work, method] / there[work, method] for here, there in rounds]
        middles.append(median(ratios))
        spread = f"({min(ratios):.3f} to {max(ratios):.3f})"
        seconds = median(here[work, method] for here, _ in rounds)
        print(f"{work:18} {method:20} {middles[-1]:6.3f} {spread:20} {seconds:10.3e} s here")
    print(f"median of the {len(middles)} rows: {median(middles):.3f}")


def main() -> None:
    """Read the arguments, measure in turn, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, help="a checkout that is built")
    parser.add_argument("--rounds", type=int, default=5, help="pairs of invocations (5)")
    parser.add_argument("benchmark", nargs="+", help="what follows `lapwing bench`")
    request = parser.parse_args()
    if request.rounds < 1:
        parser.error(f"--rounds: got {request.rounds}; expected at least 1")
    pair = [HERE, request.other.resolve()]
    for checkout in pair:
        if not (checkout / ".venv/bin/lapwing").exists():
            parser.error(f"got {checkout}, which is not built; run `make build` there")
    rounds = []
    for number in range(request.rounds):
        order = pair if number % 2 == 0 else pair[::-1]
        medians = {checkout: measured(checkout, request.benchmark) for checkout in order}
        rounds.append((medians[pair[0]], medians[pair[1]]))
    print_ratios(rounds)


if __name__ == "__main__":
    main()
