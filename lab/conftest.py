"""Fixtures of the laboratory's tests; those of all tests are in conftest.py of the repository."""

import pytest
from lapwing_lab.netlab import netlab
from lapwing_lab.simulate import simgrid


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs SimGrid where it is not built."""
    if item.get_closest_marker("simgrid") and not simgrid.is_there():
        pytest.skip("SimGrid is not built: `make simgrid`")


@pytest.fixture(scope="session")
def emulated_network() -> None:
    """Needs root, iproute2 and a kernel with all that an emulated network takes."""
    if trouble := netlab.trouble():
        pytest.skip(f"no emulated network here: {trouble}")
