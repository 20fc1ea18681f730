"""Latency and bandwidth: what data were made from comes back, whatever single samples do."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lapwing.base.error import UserError
from lapwing_lab.probe.bursts import fit_burst
from lapwing_lab.probe.links import fit_line

SIZES = [8, 64, 512, 4096, 32768, 262144, 2097152]


def exact(latency: float, bandwidth: float, directions: int) -> list[float]:
    return [latency + directions * size / bandwidth for size in SIZES]


def noisy(times: list[float], spread: float, samples: int) -> list[list[float]]:
    numbers = random.Random(7)
    return [[time * (1 + spread * numbers.random()) for _ in range(samples)] for time in times]


@settings(max_examples=20)
@given(
    latency=st.floats(1e-7, 1e-2),
    bandwidth=st.floats(1e7, 1e11),
    directions=st.sampled_from([1, 2]),
)
def test_exact_times_give_back_what_they_were_made_from(
    latency: float, bandwidth: float, directions: int
) -> None:
    times = exact(latency, bandwidth, directions)
    fit = fit_line(SIZES, [[time] for time in times], directions)
    # what is lost in the times is lost in the line
    if latency > 1e-3 * times[0]:
        assert fit.latency == pytest.approx(latency, rel=1e-3)
    if times[-1] - latency > 1e-3 * times[-1]:
        assert fit.bandwidth == pytest.approx(bandwidth, rel=1e-3)
    assert fit.worst < 1e-3
    assert fit.each_way == pytest.approx(fit.bandwidth / directions)


def test_a_ring_moves_twice_the_bytes_of_a_ping_pong() -> None:
    times = [[time] for time in exact(1e-6, 1e9, 2)]
    assert fit_line(SIZES, times, 2).bandwidth == pytest.approx(1e9, rel=1e-3)
    assert fit_line(SIZES, times, 1).bandwidth == pytest.approx(5e8, rel=1e-3)


@pytest.mark.parametrize("number", range(len(SIZES)))
@pytest.mark.parametrize("factor", [100.0, 0.01])
def test_one_outlier_moves_little(number: int, factor: float) -> None:
    samples = noisy(exact(2e-6, 5e9, 2), 0.02, 11)
    clean = fit_line(SIZES, samples, 2)
    samples[number][4] *= factor
    fit = fit_line(SIZES, samples, 2)
    assert fit.latency == pytest.approx(clean.latency, rel=0.02)
    assert fit.bandwidth == pytest.approx(clean.bandwidth, rel=0.02)


def test_a_size_that_keeps_to_no_line_is_told_by_the_misfit() -> None:
    times = exact(2e-6, 5e9, 1)
    times[3] *= 3  # a change of protocol
    fit = fit_line(SIZES, [[time] for time in times], 1)
    assert fit.latency == pytest.approx(2e-6, rel=0.3)
    assert fit.bandwidth == pytest.approx(5e9, rel=0.3)
    assert fit.worst > 0.5
    assert fit.misfit < 0.2


def test_short_messages_say_nothing_of_bandwidth() -> None:
    short = fit_line([8, 64, 512], [[1e-4], [1e-4], [1e-4]], 1)
    assert not short.resolved
    assert short.latency == pytest.approx(1e-4, rel=1e-3)
    assert fit_line(SIZES, [[time] for time in exact(1e-6, 1e9, 1)], 1).resolved


@pytest.mark.parametrize(
    ("sizes", "samples"),
    [
        ([8], [[1e-6]]),
        ([8, 8], [[1e-6], [1e-6]]),
        ([8, 16], [[1e-6], []]),
        ([8, 16], [[1e-6]]),
        ([8, 16], [[1e-6], [0.0]]),
        ([8, 16], [[1e-6], [float("nan")]]),
        ([8, 16], [[1e-6], [-1.0]]),
    ],
)
def test_too_little_is_refused(sizes: list[int], samples: list[list[float]]) -> None:
    with pytest.raises(UserError, match=r"(sizes|times) of messages"):
        fit_line(sizes, samples, 1)


def after_a_pause(burst: float, peak: float, rate: float) -> list[float]:
    """A token bucket: times of single messages with 20 us of latency."""
    return [20e-6 + max(size / peak, (size - burst) / rate) for size in SIZES]


@pytest.mark.parametrize("burst", [4e3, 32e3, 256e3])
@pytest.mark.parametrize("peak", [1e9, 5e9])
def test_a_burst_is_found(burst: float, peak: float) -> None:
    rate = 125e6
    found = fit_burst(SIZES, after_a_pause(burst, peak, rate), rate, 0.0)
    assert found is not None
    again = after_a_pause(*found, rate)
    assert again == pytest.approx(after_a_pause(burst, peak, rate), rel=0.1)


def test_a_link_without_a_burst_has_none() -> None:
    rate = 125e6
    numbers = random.Random(3)
    times = [one * (1 + 0.05 * numbers.random()) for one in exact(20e-6, rate, 1)]
    assert fit_burst(SIZES, times, rate, 0.0) is None
