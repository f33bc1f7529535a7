"""``counterpoint web``: the synthetic web."""

from __future__ import annotations

import click

from .judge import judge_


@click.group()
def web() -> None:
    r"""A synthetic web whose truth is known.

    \b
    counterpoint web judge access.jsonl                how well a crawler did
    """


for _command in (judge_,):
    web.add_command(_command)
