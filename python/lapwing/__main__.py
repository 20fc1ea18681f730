"""`python -m lapwing` is `lapwing`."""

from lapwing.cli import main

main()
