"""Models, and the case files that fill their settings. Runs nothing."""

from lapwing.model.model import *  # noqa: F403
