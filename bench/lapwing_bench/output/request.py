"""What `lapwing bench output` is asked for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from lapwing.base.atomic_file import check_folder
from lapwing.base.error import user_error
from typer import Option

from lapwing_bench.measure.request import (Ranks, Request, Samples, count)


@dataclass(frozen=True, kw_only=True)
class OutputRequest(Request):
    """What records cost a run with and without output servers.

    Example:

    lapwing bench output --ranks 3 --io-ranks 1
    """

    ranks: Ranks = 3
    case: Annotated[str, Option(metavar="CASE", help="A shipped case or a file.")] = (
        "kelvin3d-small"
    )
    duration: Annotated[str, Option(metavar="T", help="Model time of a run.")] = "6 d"
    every: Annotated[str, Option(metavar="T", help="Model time between records.")] = "3 h"
    io_ranks: Annotated[
        int, count(1, 3, "Servers, of the ranks started.")
    ] = 1
    samples: Samples = 7
    folder: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Folder on the disk to measure.",
            show_default="the system's for temporary files"),
    ] = None

    def __post_init__(self) -> None:
        if self.ranks <= self.io_ranks:
            expected = f"more than the {self.io_ranks} of --io-ranks"
            remedy = "start a rank or two more for the model"
            raise user_error("--ranks", str(self.ranks), expected, remedy)
        if self.folder is not None:
            check_folder(self.folder)

    @property
    def sets(self) -> tuple[str, ...]:
        """What changes in the case."""
        return (f"run.duration={self.duration}", f"output.every={self.every}")

    @property
    def model_ranks(self) -> tuple[int, ...]:
        """Numbers of ranks of the model, one after the other."""
        return tuple(dict.fromkeys((1, self.ranks - self.io_ranks)))
