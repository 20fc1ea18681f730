"""The results of several invocations of benchmarks: a file of lab/results for each group."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from lapwing.base.atomic_file import write_text_file
from lapwing.base.error import user_error

SCHEMA = "lapwing-kept-2"
# These hold the number and the quartiles of the samples instead, of an unknown commit.
WITHOUT_SAMPLES = "lapwing-kept-1"
QUANTILES = {"least": 0.0, "q1": 0.25, "median": 0.5, "q3": 0.75, "most": 1.0}
DIGITS = 5  # of a kept number; whole ones, counts say, keep all
AGAIN = "measure again: `make measurements`"


@dataclass(frozen=True)
class Spread:
    """Quartiles of a number over invocations."""

    low: float
    mid: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Quartiles of some values. Local."""
        return cls(*np.quantile(np.asarray(values), (0.25, 0.5, 0.75)).tolist())

    def times(self, factor: float) -> Spread:
        """All three times a positive factor. Local."""
        return Spread(self.low * factor, self.mid * factor, self.high * factor)


class Kept:
    """The results of one measurement."""

    def __init__(self, document: Mapping[str, Any], file: str = "kept results") -> None:
        """Take what a file has of it. Local; a user's error for what cannot be right."""
        if document.get("schema") not in (SCHEMA, WITHOUT_SAMPLES):
            raise user_error(f"{file}: schema", str(document.get("schema")), SCHEMA, AGAIN)
        self.document = document
        self._rows = {(row["work"], row["method"]): row for row in document["results"]}
        for row in self._rows.values():
            _require_times(file, row)

    def works(self) -> list[str]:
        """The works in their order. Local."""
        return list(dict.fromkeys(work for work, _ in self._rows))

    def methods(self, work: str) -> list[str]:
        """The methods of a work in their order. Local."""
        return [method for one, method in self._rows if one == work]

    def values(self, work: str, method: str, key: str = "median") -> list[float]:
        """A number of every invocation: of the samples (`least` to `most`, s) or of `extra`. Local.

        Empty where the method, or the number of it, was not measured.
        """
        row = self._rows.get((work, method))
        if row is None:
            return []
        if key in QUANTILES and "samples" in row:
            return [float(np.quantile(one, QUANTILES[key])) for one in row["samples"]]
        found = row.get(key, row["extra"].get(key, []))
        return found if isinstance(found, list) else [found] * self.invocations

    def spread(self, work: str, method: str, key: str = "median") -> Spread | None:
        """Quartiles of such a number over the invocations; None where there is none. Local."""
        values = self.values(work, method, key)
        return Spread.of(values) if values else None

    @property
    def invocations(self) -> int:
        """The number of times that the command ran."""
        return len(self.document["began"])


def _require_times(file: str, row: Mapping[str, Any]) -> None:
    """Raise where a row has no samples, or some below 0; what is counted, not timed, has 0."""
    where = f"{file}: {row['work']}, {row['method']}"
    samples = row.get("samples", [row.get("least", [])])
    if not samples or not all(np.size(one) for one in samples):
        raise user_error(where, "no samples", "samples of every invocation", AGAIN)
    if (least := min(float(np.min(one)) for one in samples)) < 0:
        raise user_error(where, f"a sample of {least} s", "times above 0", AGAIN)


def kept(
    command: str,
    reports: Sequence[Mapping[str, Any]],
    when: Sequence[Mapping[str, Any]],
    commit: str = "unknown",
) -> Kept:
    """Reports of `lapwing bench --json`, one of each invocation, as one document. Local.

    `when`: of each invocation, `began` (an ISO date) and `load` (processes ready to run before).
    `commit`: of the sources. Only what all invocations have is kept.
    """
    rows = [{(row["work"], row["method"]): row for row in report["results"]} for report in reports]
    common = [key for key in rows[0] if all(key in one for one in rows)]
    head = {key: reports[0][key] for key in ("machine", "versions")}
    return Kept(
        {
            "schema": SCHEMA,
            "command": command,
            "commit": commit,
            "kept": "all samples of a method, a list for each invocation; seconds",
            **head,
            "began": [one["began"] for one in when],
            "load": [one["load"] for one in when],
            "results": [_row(*key, [one[key] for one in rows]) for key in common],
        }
    )


def read(file: Path) -> dict[str, Kept]:
    """The measurements of a group by their names. Local; a user's error as `Kept` has it."""
    documents = json.loads(file.read_text())
    return {name: Kept(one, f"{file}, {name}") for name, one in documents.items()}


def write(file: Path, name: str, found: Kept) -> None:
    """Write a measurement into the file of its group, in place of an older one. Local."""
    there = json.loads(file.read_text()) if file.exists() else {}
    file.parent.mkdir(parents=True, exist_ok=True)
    texts = (_text(one, document) for one, document in (there | {name: found.document}).items())
    write_text_file(str(file), file, "{\n" + ",\n".join(texts) + "\n}\n")


def _text(name: str, document: Mapping[str, Any]) -> str:
    """JSON with a line for each method, so that a change of a few is seen as that. Local."""
    head = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in document.items() if k != "results"]
    rows = ",\n".join("   " + json.dumps(one) for one in document["results"])
    return f" {json.dumps(name)}: {{\n" + ",\n".join(head) + f',\n  "results": [\n{rows}\n  ]\n }}'


def _row(work: str, method: str, of_invocations: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    samples = [[_short(value) for value in one["samples"]] for one in of_invocations]
    extra = dict(_extras([one["extra"] for one in of_invocations]))
    return {"work": work, "method": method, "samples": samples, "extra": extra}


def _extras(extras: Sequence[Mapping[str, float]]) -> Iterator[tuple[str, Any]]:
    for key in extras[0]:
        if all(key in one for one in extras):
            values = [_short(one[key]) for one in extras]
            yield key, values[0] if len(set(values)) == 1 else values


def _short(value: float) -> float:
    return value if float(value).is_integer() else float(f"{value:.{DIGITS}g}")
