"""What a model offers, and the case file that fills its settings. Runs nothing."""

from lapwing.model.model import (
    Axis,
    Duration,
    Gathered,
    Geometry,
    LevelTerm,
    Model,
    Picture,
    Run,
    SimulatedWork,
    StateError,
    Variable,
    VerticalAxis,
    also_called,
    bring_up_to_date,
)

__all__ = [
    "Axis",
    "Duration",
    "Gathered",
    "Geometry",
    "LevelTerm",
    "Model",
    "Picture",
    "Run",
    "SimulatedWork",
    "StateError",
    "Variable",
    "VerticalAxis",
    "also_called",
    "bring_up_to_date",
]
