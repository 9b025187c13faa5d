"""`python -m groma`: the command."""

from groma.cli import main

main()
