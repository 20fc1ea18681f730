"""Predicted steps next to simulated ones: the same plans and costs, so nearly the same times."""

from pathlib import Path

import pytest
from lapwing.machine.predict.entry import PredictionRequest
from lapwing.machine.predict.predict import predict
from lapwing.machine.simulate.simulate import simulate
from lapwing.machine.simulate.work import SimulationRequest

SHAPED = """
[nodes]
count = 9
ranks_per_node = 1
[network]
latency = "20 us"
bandwidth = "1 MB/s"
burst = "{burst} bytes"
burst_bandwidth = "100 MB/s"
[node]
latency = "1 us"
bandwidth = "1 GB/s"
[messages.mpich.network]
send = "5 us"
receive = "5 us"
[[compute.coast]]
box = [60, 60]
other = "5 ns"
"""
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


@pytest.mark.simgrid
@pytest.mark.timeout(900)
def test_a_burst_shortens_steps_whose_messages_it_holds(tmp_path: Path) -> None:
    """Simulated and predicted alike; what is sent in the long run passes at the bandwidth."""
    steps = {}
    for burst in (1, 1000, 1000000):
        machine = tmp_path / f"{burst}.toml"
        machine.write_text(SHAPED.format(burst=burst))
        simulation = simulate(
            SimulationRequest("coast-60x60", str(machine), 9, ("blocking",), alone=False)
        )
        (found,) = (one for one in simulation.measured() if one.method == "blocking")
        told = predict(PredictionRequest("coast-60x60", str(machine), (9,), ("blocking",)))
        assert told.entries[0].step == pytest.approx(found.step, rel=MOST_OFF)
        steps[burst] = found.step
        sent = found.bytes / 1e6  # s, of the rank that sends most
        if burst < 1000000:
            assert found.step > 0.9 * sent
    assert steps[1] > steps[1000] > 2 * steps[1000000]
