"""Options that ``crawl`` and ``try`` share, and what both refuse."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from counterpoint.commands.crawls.reporting import TOPIC

Command = Callable[..., Any]


def without_empty(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the values of a repeatable option; an empty one stands for none."""
    return tuple(filter(None, given))


_SHARED = (
    click.option("--start", "starts", multiple=True, metavar="URL",
                 help="The start page of a site; a.test means http://a.test/; repeatable."),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
                 help="The seed of a policy's random choices."),
    click.option("--query", default="", metavar="WORDS",
                 help="The topic, for policies that read pages: tfidf, tfidf+hits, bm25, "
                      "link-bandit."),
    click.option("--stay", is_flag=True, help="Follow only links to the sites of --start."),
    click.option("--include", multiple=True, metavar="RULE", callback=without_empty,
                 help="Ask only for addresses to which a rule applies: host:a.test, "
                      "domain:a.test, path:/docs/, url:http://a.test/x or regex:RE2; and read only "
                      "answers of type:text/html or type:text/*; repeatable."),
    click.option("--exclude", multiple=True, metavar="RULE", callback=without_empty,
                 help="Ask for no address to which this rule applies; read no answer of "
                      "type:image/* or size:>5MB; repeatable. "
                      "'' removes the rules that a store keeps."),
    click.option("--nofollow/--no-nofollow", default=False,
                 help="Do not follow links of rel=nofollow, nor those of pages that ask for it, by "
                      "a meta element or by X-Robots-Tag.  [--no-nofollow]"),
    click.option("--canonical/--no-canonical", default=False,
                 help="Of a page that names another one of its site as canonical, follow only the "
                      "link to that page.  [--no-canonical]"),
    click.option("--traps", metavar="DETECTORS",
                 help="Leave out pages that look like traps: usual, all, or calendar, session, "
                      "depth, repeats, parameters, queries, with commas; a limit is given as "
                      "calendar=120. '' turns it off.  [off]"),
    click.option("--proxy", metavar="URL", help="An HTTP proxy, such as `web serve` is."),
    click.option("--delay", type=click.FloatRange(0, 3600), metavar="SECONDS",
                 help="The pause between requests to one host; a longer Crawl-delay of its "
                      "robots.txt counts.  [1; 0 for this machine and for a synthetic web]"),
    click.option("--ignore-robots", is_flag=True, help="Do not fetch or follow robots.txt."),
    click.option("--allow-private", is_flag=True,
                 help="Also fetch from private networks; implied if a --start is on one."),
    click.option("--agent", metavar="TEXT",
                 help="The User-Agent: this tool's name, and a contact if you like."),
    click.option("--run", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
                 help="Write the pages that the policy ranks best, for `evaluate`."),
    click.option("--topic", default=TOPIC, show_default=True, metavar="NAME",
                 help="The topic's name in --run."),
    click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
                 show_default=True),
)  # fmt: skip


def shared_options(command: Command) -> Command:
    """Add the options that both commands have."""
    for option in reversed(_SHARED):
        command = option(command)
    return command


def options_of_other_command(
    names: Mapping[str, str], command: str
) -> Callable[[Command], Command]:
    """Return a decorator that explains options which only the other command has.

    Parameters
    ----------
    names : mapping of str to str
        The options, as ``--db``, with the option to use in their place; "" if there is none.
    command : str
        The command that has them, ``crawl`` or ``try``.
    """

    def refuse(context: click.Context, option: click.Parameter, value: str | None) -> None:
        if value is not None:
            name = option.opts[0]
            here = f"; here it is {names[name]}" if names[name] else ""
            raise click.UsageError(f"{name}: is an option of `counterpoint {command}`{here}")

    def decorate(function: Command) -> Command:
        for name in names:
            function = click.option(name, hidden=True, expose_value=False, callback=refuse)(
                function
            )
        return function

    return decorate


def check_manners(delay: float | None, agent: str | None) -> None:
    """Refuse a delay or a User-Agent that no request could have.

    Parameters
    ----------
    delay : float or None
        Seconds between requests to one host.
    agent : str or None
        The User-Agent.

    Raises
    ------
    click.UsageError
    """
    if delay is not None and math.isnan(delay):
        raise click.UsageError("--delay: nan is no number of seconds")
    if agent is not None and not agent.lower().startswith("counterpoint"):
        raise click.UsageError("--agent: must begin with counterpoint, the name in robots.txt")
    if agent is not None and not (agent.isascii() and agent.isprintable()):
        raise click.UsageError("--agent: must be printable ASCII")
