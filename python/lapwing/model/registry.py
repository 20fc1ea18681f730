"""Models of other packages, found through entry points."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

from lapwing.base.error import outside_error
from lapwing.model.model import Model


def load_group(group: str) -> dict[str, Any]:
    """Objects installed under an entry point, by name. Local; OutsideError as installed_models."""
    found = {}
    for entry in entry_points(group=group):
        try:
            found[entry.name] = entry.load()
        except (ImportError, AttributeError) as problem:
            raise outside_error(
                f"{group} {entry.name!r}",
                str(problem),
                f"the package behind {entry.value!r} to load",
                "reinstall it, and ask `lapwing doctor` what is missing",
            ) from problem
    return found


def installed_models() -> dict[str, Model]:
    """The installed models by name. Local; OutsideError when one cannot be imported."""
    return load_group("lapwing.models")


def installed_model(name: str) -> Model:
    """The installed model of this name. Local; OutsideError where it is not installed."""
    models = installed_models()
    if name not in models:
        listed = ", ".join(sorted(models)) or "none"
        remedy = "install the same packages on every machine"
        raise outside_error(f"model {name!r}", f"only {listed}", "it, as on rank 0", remedy)
    return models[name]
