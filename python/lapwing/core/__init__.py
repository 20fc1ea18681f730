"""The C++ library as Python sees it: partitions, domains, fields, exchanges, steps.

Knows no case and no file of results.
"""

from lapwing.base import builds

__path__ = [*__path__, *builds.folders(__name__)]
