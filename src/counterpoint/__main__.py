"""Lets ``python -m counterpoint`` run the command line."""

from .main import main

main()
