"""The request of `lapwing probe`, checked before anything is measured."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lapwing.base.atomic_file import check_file
from lapwing.base.error import user_error
from lapwing.base.hosts import hosts_given
from lapwing.base.progress import Style
from lapwing.run.request import Request, ranks_of

MAX_RANKS = 65536
_MEGABYTE = 1 << 20

_CONTIGUOUS = (8, 64, 512, 2048, 8192, 32768, 131072, 524288, 2097152, 4194304)
_STRIDED = (8, 512, 4096, 32768, 262144)
_ELEMENTS = (8, 256, 2048, 16384)


@dataclass(frozen=True)
class ProbeRequest:
    """The options of `lapwing probe` as the user gave them."""

    out: Path
    ranks: int | None = None
    quick: bool = False
    samples: int | None = None
    overwrite: bool = False
    progress: Style = "auto"
    debug: bool = False

    @property
    def json(self) -> Path:
        """The file of the raw samples."""
        return self.out.with_suffix(".json")

    @property
    def picture(self) -> Path:
        """The file of the picture."""
        return self.out.with_suffix(".png")


@dataclass(frozen=True)
class ProbeSettings:
    """The sizes that are measured, and how often."""

    sizes: Mapping[str, tuple[int, ...]]  # bytes of messages, by layout
    overlap_sizes: tuple[int, ...]  # bytes
    samples: int
    sample_seconds: float  # that a sample of a short message takes
    call_rounds: int
    pool_bytes: int  # memory that messages walk through
    patience: float  # s until a send without a receive counts as waiting
    set_bytes: int | None = None  # of a memory copy; None: more than the caches hold

    @property
    def most_bytes(self) -> int:
        """The bytes of the longest message."""
        return max(max(one) for one in self.sizes.values())


_FULL = ProbeSettings(
    sizes={"contiguous": _CONTIGUOUS, "strided": _STRIDED, "element-wise": _ELEMENTS},
    overlap_sizes=(32768, 262144, _CONTIGUOUS[-1]),
    samples=11,
    sample_seconds=2e-3,
    call_rounds=512,
    pool_bytes=16 * _MEGABYTE,
    patience=1e-2,
)

_QUICK = ProbeSettings(
    sizes={
        "contiguous": (8, 512, 8192, 131072, 524288, 2097152, 4194304),
        "strided": _STRIDED[:4],
        "element-wise": _ELEMENTS[:3],
    },
    overlap_sizes=_CONTIGUOUS[-1:],
    samples=3,
    sample_seconds=3e-4,
    call_rounds=64,
    pool_bytes=12 * _MEGABYTE,
    patience=5e-3,
    set_bytes=8 * _MEGABYTE,
)


def settings_of(request: ProbeRequest) -> ProbeSettings:
    """The settings that a request means. Local."""
    settings = _QUICK if request.quick else _FULL
    return replace(settings, samples=request.samples or settings.samples)


def checked(request: ProbeRequest, started: int | None) -> int:
    """The ranks to measure with; `started`: those that a launcher has started. Local.

    UserError for files that cannot be written or are there already, and numbers that cannot be.
    """
    _check_files(request)
    samples = request.samples
    if samples is not None and not 2 <= samples <= 1000:
        raise user_error("--samples", str(samples), "2 to 1000", "change it")
    hosts = hosts_given()
    # a rank per core, and at least one per host where several are given
    usual = max(len(os.sched_getaffinity(0)), len(hosts.addresses) if hosts else 1)
    ranks = ranks_of(Request("probe", ranks=request.ranks or started or usual), started)
    if ranks > MAX_RANKS:
        raise user_error("--ranks", str(ranks), f"at most {MAX_RANKS}", "start fewer")
    return ranks


def _check_files(request: ProbeRequest) -> None:
    name, ending = f"--out {request.out}", request.out.suffix
    if ending != ".toml":
        raise user_error(name, f"the ending {ending!r}", ".toml", "add it")
    for file in (request.out, request.json, request.picture):
        check_file("--out", file)
        if file.exists() and not request.overwrite:
            expected = "files that are not, as this one may hold costs that somebody has added"
            remedy = "choose another name, or say --overwrite"
            raise user_error(name, f"{file}, which is there already", expected, remedy)
