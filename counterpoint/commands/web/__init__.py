"""``counterpoint web``: the synthetic web, whose truth is known."""

from __future__ import annotations

import click

from .describe import describe
from .profiles import profiles


@click.group()
def web() -> None:
    r"""Describe the synthetic web, whose truth is known.

    \b
    counterpoint web profiles                          what there is
    counterpoint web describe --profile broder-1999 --pages 100000 --seed 7
    """


for _command in (describe, profiles):
    web.add_command(_command)
