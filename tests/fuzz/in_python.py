"""A target of targets.py inside Atheris: in_python.py TARGET [options of libFuzzer] FOLDER."""

import sys
import warnings

import atheris

with atheris.instrument_imports(include=["lapwing", "tomllib"]):
    import targets

warnings.simplefilter("ignore")
name = sys.argv.pop(1)
atheris.Setup(sys.argv, targets.TARGETS[name])
atheris.Fuzz()
