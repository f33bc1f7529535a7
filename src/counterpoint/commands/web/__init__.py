"""``counterpoint web``: synthetic webs, whose truth is known."""

from __future__ import annotations

import click

from counterpoint.commands.web.describe import describe
from counterpoint.commands.web.fit import fit
from counterpoint.commands.web.history import history
from counterpoint.commands.web.judge import judge_
from counterpoint.commands.web.profiles import profiles
from counterpoint.commands.web.serve import serve
from counterpoint.commands.web.topics import topics_


@click.group()
def web() -> None:
    r"""Describe and serve synthetic webs, whose truth is known, and judge crawlers of them.

    \b
    counterpoint web profiles                    list the kinds of webs
    counterpoint web describe --profile broder-1999 --pages 100000 --seed 7
    counterpoint web fit captures/ --report      a profile like a captured web
    counterpoint web history captures/           how captured pages have changed
    counterpoint web topics --profile regional   topics, queries, relevant pages
    counterpoint web serve --profile broder-1999 --log access.jsonl
    counterpoint web judge access.jsonl          measure how well a crawler did
    """


for _command in (describe, profiles, fit, history, topics_, serve, judge_):
    web.add_command(_command)
