"""The findings of `lapwing doctor`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One line of `lapwing doctor`: a subject, what was found, the remedy ("" if all is well)."""

    subject: str
    found: str
    remedy: str = ""
    necessary: bool = True
