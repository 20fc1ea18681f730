"""Predicted steps next to simulated ones: the same plans and costs, so nearly the same times."""

from itertools import product
from pathlib import Path

import pytest
from lapwing_lab.predict.entry import PredictionRequest
from lapwing_lab.predict.predict import predict
from lapwing_lab.simulate.simulate import simulate
from lapwing_lab.simulate.work import SimulationRequest

# what all machines here have: within their nodes, and of messages and cells
REST = """[node]
latency = "1 us"
bandwidth = "1 GB/s"
[messages.mpich.network]
send = "5 us"
receive = "5 us"
[[compute.coast]]
box = [60, 60]
other = "5 ns"
"""
SHAPED = (
    """
[nodes]
count = 9
ranks_per_node = 1
[network]
latency = "20 us"
bandwidth = "{rate} MB/s"
burst = "{burst} bytes"
burst_bandwidth = "100 MB/s"
"""
    + REST
)
# a message from node to node 5 us of its bandwidth, and 20 us for each link of a torus
NODES = (
    """
[nodes]
count = 16
ranks_per_node = 1
[network]
latency = "20 us"
bandwidth = "100 MB/s"
{shape}
"""
    + REST
)
# of which the second is slower, and what joins them slower still
GROUPS = (
    """
[nodes]
count = 16
ranks_per_node = 1
[[group]]
nodes = 8
latency = "20 us"
bandwidth = "100 MB/s"
[[group]]
nodes = 8
latency = "{latency} us"
bandwidth = "{bandwidth} MB/s"
[joint]
latency = "100 us"
bandwidth = "10 MB/s"
"""
    + REST
)
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
@pytest.mark.parametrize(
    "shape", ["torus = [4, 2, 2]", "fat_tree = { down = [4, 4], up = [1, 2] }"]
)
def test_predictions_are_near_simulations_of_other_networks(tmp_path: Path, shape: str) -> None:
    steps = {}
    for name, text in (("shaped", shape), ("switch", "")):
        path = tmp_path / f"{name}.toml"
        path.write_text(NODES.format(shape=text))
        told = predict(PredictionRequest("coast-60x60", str(path), (16,), ("blocking", "dataflow")))
        steps[name] = {entry.strategy: entry.step for entry in told.entries}
    request = SimulationRequest(
        "coast-60x60", str(tmp_path / "shaped.toml"), 16, ("blocking", "dataflow"), alone=False
    )
    for one in simulate(request).measured():
        if one.method in steps["shaped"]:
            assert steps["shaped"][one.method] == pytest.approx(one.step, rel=MOST_OFF)
    assert steps["shaped"]["blocking"] > 1.02 * steps["switch"]["blocking"]  # of more links


@pytest.mark.simgrid
@pytest.mark.timeout(900)
def test_predictions_are_near_simulations_of_groups(tmp_path: Path) -> None:
    """Each group has links of its own, and messages between them have the latencies of all."""
    steps = []
    for latency, bandwidth in ((20, 100), (400, 100), (20, 5)):
        path = tmp_path / f"{latency}-{bandwidth}.toml"
        path.write_text(GROUPS.format(latency=latency, bandwidth=bandwidth))
        strategies = ("blocking", "dataflow")
        request = SimulationRequest("coast-60x60", str(path), 16, strategies, alone=False)
        found = {one.method: one.step for one in simulate(request).measured()}
        for entry in predict(
            PredictionRequest("coast-60x60", str(path), (16,), strategies)
        ).entries:
            assert entry.step == pytest.approx(found[entry.strategy], rel=MOST_OFF)
        steps.append(found["blocking"])
    assert min(steps[1:]) > 1.2 * steps[0]


@pytest.mark.simgrid
@pytest.mark.timeout(900)
def test_a_burst_shortens_steps_whose_messages_it_holds(tmp_path: Path) -> None:
    """Simulated and predicted alike; what is sent in the long run passes at the bandwidth."""
    steps = {}
    for burst, rate in product((1, 1000, 100000), (1, 40)):
        machine = tmp_path / f"{burst}-{rate}.toml"
        machine.write_text(SHAPED.format(burst=burst, rate=rate))
        simulation = simulate(
            SimulationRequest("coast-60x60", str(machine), 9, ("blocking",), alone=False)
        )
        (found,) = (one for one in simulation.measured() if one.method == "blocking")
        told = predict(PredictionRequest("coast-60x60", str(machine), (9,), ("blocking",)))
        assert told.entries[0].step == pytest.approx(found.step, rel=MOST_OFF)
        steps[burst, rate] = found.step
        sent = found.bytes / (1e6 * rate)  # s, of the rank that sends most
        assert found.step > 0.99 * sent
    assert steps[1, 40] > 1.1 * steps[1000, 40]  # whose side is shorter
    assert steps[1000, 40] == pytest.approx(steps[100000, 40])
    assert steps[1, 1] == pytest.approx(steps[100000, 1], rel=0.1)  # no pause fills it
