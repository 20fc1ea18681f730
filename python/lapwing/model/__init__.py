"""What a model offers, and the case file that fills its settings. Runs nothing."""

from lapwing.model.model import *  # noqa: F403
