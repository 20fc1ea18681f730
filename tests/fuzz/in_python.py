"""A target of targets.py inside Atheris: in_python.py TARGET [options of libFuzzer] FOLDER."""

import inspect
import sys
import warnings
from types import FunctionType

import atheris
import targets

# what an import hook would do, which lapwing's own finder (an editable install) goes around
FOLLOWED = ("lapwing", "tomllib")


def follow(module: object, name: str) -> None:
    """Let the fuzzer see which lines of a module run."""
    for thing in list(vars(module).values()):
        if inspect.isclass(thing) and thing.__module__ == name:
            follow(thing, name)
        plain = getattr(thing, "__func__", thing)
        if isinstance(plain, FunctionType) and plain.__module__ == name:
            atheris.instrument_func(plain)


warnings.simplefilter("ignore")
for one in [name for name in sys.modules if name.startswith(FOLLOWED)]:
    follow(sys.modules[one], one)
target = targets.TARGETS[sys.argv.pop(1)]
atheris.Setup(sys.argv, target)
atheris.Fuzz()
