"""The options of `lapwing bench output`."""

from dataclasses import dataclass
from pathlib import Path

from lapwing.base.atomic_file import check_folder
from lapwing.base.error import user_error

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request


@dataclass(frozen=True, kw_only=True)
class OutputRequest(Request):
    """Measure what records cost a run with and without output servers.

    Example:

    lapwing bench output --ranks 3 --io-ranks 1
    """

    ranks: int = options.ranks(3)
    case: str = options.option("kelvin3d-small", "A shipped case or a file.", metavar="CASE")
    duration: str = options.option("6 d", "Model time of a run.", metavar="T")
    every: str = options.option("3 h", "Model time between records.", metavar="T")
    io_ranks: int = options.count(1, 3, 1, "Servers, of the ranks started.")
    samples: int = options.samples(7)
    folder: Path | None = options.option(
        None,
        "Folder on the disk to measure.",
        metavar="DIR",
        show_default="the system's for temporary files",
    )

    def __post_init__(self) -> None:
        if self.ranks <= self.io_ranks:
            expected = f"more than the {self.io_ranks} of --io-ranks"
            remedy = "start a rank or two more for the model"
            raise user_error("--ranks", str(self.ranks), expected, remedy)
        if self.folder is not None:
            check_folder(self.folder)

    @property
    def sets(self) -> tuple[str, ...]:
        """The settings that change in the case."""
        return (f"run.duration={self.duration}", f"output.every={self.every}")

    @property
    def model_ranks(self) -> tuple[int, ...]:
        """Numbers of ranks of the model, one after the other."""
        return tuple(dict.fromkeys((1, self.ranks - self.io_ranks)))
