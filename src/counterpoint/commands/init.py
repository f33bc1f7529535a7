"""``counterpoint init``: a configuration and examples for the repository one stands in."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import click

from counterpoint import show
from counterpoint.ci.starting import Found, Step, look, start
from counterpoint.console import OK, printing

NEEDED = ("aiohttp", "numba", "selectolax")
"""Packages without which no synthetic web is crawled."""


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False),
                default=Path())  # fmt: skip
def init(folder: Path) -> int:
    r"""Write counterpoint.toml and small examples for a repository.

    The command looks for specs, policies, Scrapy spiders, tests and CI files in FOLDER (by default
    the current one), and writes a configuration that fits, with an example of what is missing. It
    imports nothing, and it never changes a file that exists. Where a configuration is in FOLDER, no
    example is written; where a folder above has one, nothing is.

    \b
    counterpoint init
    counterpoint gate --accept      # saves the baselines of policies and crawlers
    counterpoint gate
    """
    found = look(folder)
    has_crawls = all(importlib.util.find_spec(name) for name in NEEDED)
    with printing():
        click.echo(show.wrapped(f"Found: {_summary(found)}."))
        for file, why in found.unusable:
            click.echo(show.wrapped(f"left out  {file} ({why})"))
        steps = list(start(folder, found, has_crawls))
        for step in steps:
            click.echo(_line(step))
        click.echo()
        for line in _next(steps, found, has_crawls):
            click.echo(show.wrapped(line))
    return OK


def _summary(found: Found) -> str:
    parts = [
        _counted(len(found.specs), "file with specs", "files with specs"),
        _counted(len(found.policies), "policy", "policies"),
        _counted(len(found.spiders), "Scrapy spider", "Scrapy spiders"),
    ]
    parts += [
        name
        for name, there in (
            ("tests", found.has_tests), (".github", found.has_github),
            (".gitlab-ci.yml", found.has_gitlab), ("Jenkinsfile", found.has_jenkins),
        )
        if there
    ]  # fmt: skip
    if found.left_out:
        parts.append(f"{found.left_out:,} Python files that were not looked at")
    return ", ".join(parts)


def _counted(number: int, one: str, many: str) -> str:
    return f"{number or 'no'} {one if number == 1 else many}"


def _line(step: Step) -> str:
    if step.what == "add":
        shown = "\n".join(f"    {line}" for line in step.why.splitlines())
        return f"add to {step.path}, which was not changed:\n{shown}"
    return f"{step.what}  {step.path}" + (f" ({step.why})" if step.why else "")


def _next(steps: list[Step], found: Found, has_crawls: bool) -> list[str]:
    lines = []
    if not has_crawls:
        lines.append(
            "Policies and crawlers are left out: they need pip install 'counterpoint[crawl,web]'."
        )
    else:
        lines.append("counterpoint gate --accept saves the baselines of policies and crawlers.")
    is_new = any(step.path == "counterpoint.toml" and step.what == "wrote" for step in steps)
    runs = "everything" if is_new else "what the configuration has"
    lines.append(f"counterpoint gate runs {runs}; counterpoint gate --list names it.")
    if found.has_tests:
        lines.append(
            "pytest runs each property of a file *_spec.py as a test, and with --counterpoint "
            "the whole configuration."
        )
    if is_new:
        lines.append("Commit the baselines, and leave build/ out of the repository.")
    return lines
