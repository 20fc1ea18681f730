"""Values as TOML text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def toml_value(value: Any) -> str:
    """A plain value or a list of them as TOML. Local."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(one) for one in value) + "]"
    if isinstance(value, str | Path):
        return json.dumps(str(value), ensure_ascii=False)
    return repr(value)
