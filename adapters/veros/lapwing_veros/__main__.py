"""`python -m lapwing_veros setup.py -n 2 1`: the command `veros run`, on lapwing."""

import lapwing_veros

lapwing_veros.install()

from veros.cli.veros_run import cli  # noqa: E402

cli()
