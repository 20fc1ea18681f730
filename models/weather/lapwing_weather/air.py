"""Constants of the air, which Python and C++ share."""

from lapwing_weather._kernels import Air

_AIR = Air()

GAS_CONSTANT = _AIR.gas_constant  # of dry air, J/(kg K)
KAPPA = _AIR.kappa  # gas constant over specific heat at constant pressure, 1
VIRTUAL_EXCESS = _AIR.virtual_excess  # virtual temperature is T (1 + this q), 1
GRAVITY = 9.80665  # of the height of a geopotential, m/s2
REFERENCE_PRESSURE = 1e5  # Pa
