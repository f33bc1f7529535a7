"""Lets ``python -m counterpoint`` run the command line."""

from counterpoint.main import main

main()
