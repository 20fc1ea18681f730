"""A target of targets.py inside Atheris: in_python.py TARGET MODULES [options of libFuzzer] FOLDER.

The fuzzer follows which lines run of MODULES, with commas between them, and of what is in them.
"""

import inspect
import sys
import warnings
from types import FunctionType

import atheris
import targets


# what an import hook would do, which lapwing's own finder (an editable install) goes around
def follow(module: object, name: str) -> None:
    """Let the fuzzer see which lines of a module run."""
    for thing in list(vars(module).values()):
        if inspect.isclass(thing) and thing.__module__ == name:
            follow(thing, name)
        plain = getattr(thing, "__func__", thing)
        if isinstance(plain, FunctionType) and plain.__module__ == name:
            atheris.instrument_func(plain)


warnings.simplefilter("ignore")
target, followed = targets.TARGETS[sys.argv.pop(1)], tuple(sys.argv.pop(1).split(","))
for one in [name for name in sys.modules if name.startswith(followed)]:
    follow(sys.modules[one], one)
atheris.Setup(sys.argv, target)
atheris.Fuzz()
