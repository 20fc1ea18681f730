"""What `lapwing bench stream` was asked for, checked before anything is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lapwing.base.error import user_error

from lapwing_bench.measure.request import OptionParser, Style, names_in, number_in

DEFAULT_SAMPLES = 15
_MOST_MEGABYTES = 1 << 16


@dataclass(frozen=True)
class StreamRequest:
    """Streams, methods and processes to measure, and where to write the samples."""

    streams: tuple[str, ...]
    methods: tuple[str, ...]
    processes: tuple[int, ...] | None  # of a node; None: 1, 2, 4 and so on
    samples: int
    set_bytes: int | None  # that a process reads in a copy; None: more than its caches hold
    json: Path | None
    progress: Style


def parse(arguments: Sequence[str], ranks: int) -> StreamRequest:
    """The request in the options. Local; raises UserError."""
    from lapwing.machine.stream_copy import (  # here: listing benchmarks loads no extension
        METHODS,
        STREAMS,
    )

    parser = OptionParser("stream")
    parser.add_argument("--streams", default=",".join(STREAMS))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--processes")
    parser.add_argument("--megabytes")
    parser.add_argument("--samples", default=str(DEFAULT_SAMPLES))
    options = parser.parse_args(arguments)
    size = options.megabytes
    return StreamRequest(
        streams=names_in("--streams", options.streams, list(STREAMS)),
        methods=names_in("--methods", options.methods, list(METHODS)),
        processes=_processes(options.processes, ranks) if options.processes else None,
        samples=number_in("--samples", options.samples, 2, 100_000),
        set_bytes=number_in("--megabytes", size, 1, _MOST_MEGABYTES) << 20 if size else None,
        json=options.json,
        progress=options.progress,
    )


def _processes(text: str, ranks: int) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.isdecimal() and 1 <= int(part) <= ranks for part in parts):
        raise user_error(
            "--processes",
            repr(text),
            f"numbers from 1 to {ranks}, the ranks, separated by commas",
            "change them, or start more with --ranks",
        )
    return tuple(sorted({int(part) for part in parts}))
