"""What `lapwing bench output` was asked for, checked before anything is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lapwing.base.atomic_file import check_folder
from lapwing.base.error import user_error

from lapwing_bench.measure.request import OptionParser, Style, number_in


@dataclass(frozen=True)
class OutputRequest:
    """A case with its output, the ranks that share it, and where to write the samples."""

    case: str
    sets: tuple[str, ...]
    model_ranks: tuple[int, ...]
    servers: int
    samples: int
    folder: Path | None  # on the disk to measure; None: the system's for temporary files
    json: Path | None
    progress: Style


def parse(arguments: Sequence[str], ranks: int) -> OutputRequest:
    """The request in the options. Local; raises UserError."""
    parser = OptionParser("output")
    parser.add_argument("--case", default="kelvin3d-small")
    parser.add_argument("--duration", default="6 d")
    parser.add_argument("--every", default="3 h")
    parser.add_argument("--io-ranks", default="1")
    parser.add_argument("--samples", default="7")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args(arguments)
    servers = number_in("--io-ranks", options.io_ranks, 1, 3)
    if ranks <= servers:
        raise user_error(
            "--ranks",
            str(ranks),
            f"more than the {servers} of --io-ranks",
            "start a rank or two more for the model",
        )
    if options.folder is not None:
        check_folder(options.folder)
    return OutputRequest(
        case=options.case,
        sets=(f"run.duration={options.duration}", f"output.every={options.every}"),
        model_ranks=tuple(dict.fromkeys((1, ranks - servers))),
        servers=servers,
        samples=number_in("--samples", options.samples, 2, 1000),
        folder=options.folder,
        json=options.json,
        progress=options.progress,
    )
