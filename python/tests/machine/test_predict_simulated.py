"""Predicted steps next to simulated ones: the same plans and costs, so nearly the same times."""

import pytest
from lapwing.machine.predict.entry import PredictionRequest
from lapwing.machine.predict.predict import predict
from lapwing.machine.simulate.simulate import simulate
from lapwing.machine.simulate.work import SimulationRequest

STRATEGIES = ("blocking", "edge-first", "dataflow")
MOST_OFF = 0.1


@pytest.mark.simgrid
@pytest.mark.timeout(900)  # the driver may have to be compiled
@pytest.mark.parametrize(
    ("machine", "ranks"), [("getm-cluster", 9), ("getm-cluster-today", 9), ("infiniband", 9)]
)
def test_predictions_are_near_simulations(machine: str, ranks: int) -> None:
    work = "coast-60x60"
    simulated = simulate(SimulationRequest(work, machine, ranks, STRATEGIES, alone=False))
    steps = {one.method: one.step for one in simulated.measured()}
    predicted = predict(PredictionRequest(work, machine, (ranks,), STRATEGIES))
    off = {entry.strategy: entry.step / steps[entry.strategy] - 1 for entry in predicted.entries}
    assert max(map(abs, off.values())) < MOST_OFF, off
