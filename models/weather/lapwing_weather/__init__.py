"""The weather model of lapwing: hydrostatic flow of air on the Arakawa C-grid."""

import lapwing.core.domain  # noqa: F401  (loads MPI and lapwing before _kernels)
from lapwing.base import builds

__path__ = [*__path__, *builds.folders(__name__)]

from lapwing_weather.settings import WeatherSettings
from lapwing_weather.weather_model import WeatherModel, model  # entry point `lapwing.models`
from lapwing_weather.weather_run import WeatherRun

__all__ = ["WeatherModel", "WeatherRun", "WeatherSettings", "model"]
