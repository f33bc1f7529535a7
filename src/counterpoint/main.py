"""The command line: finds a command by its name, and imports only the module of that command."""

from __future__ import annotations

import getpass
import logging
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from counterpoint.commands.completing import complete
from counterpoint.console import keep_lines, print_what_can_be_encoded, run
from counterpoint.extras import EXTRAS, MissingExtraError, command_to_install
from counterpoint.files.outputs import offer_force
from counterpoint.memory import (
    TooLittleMemoryError,
    collect_seldom,
    is_worth_logging,
    must_be_enough,
    report_ignored,
)
from counterpoint.models.importing.files import line_of_user
from counterpoint.waiting import say_when_compiling

SECTIONS = {
    "Specs": {
        "check": ("specs.checking:check_", "Check the properties of a spec"),
        "replay": ("specs.replaying:replay", "Replay recorded counterexamples and scenarios"),
        "step": ("specs.stepping:step", "Walk through a spec, step by step"),
        "drive": ("specs.driving:drive", "Let real code follow a counterexample of a spec"),
        "readings": ("specs.readings:readings", "Check all readings of a paper's description"),
        "search": ("specs.search:search_", "Search short programs for a violation"),
        "errata": ("specs.errata:errata", "Show errors in papers, and that corrections hold"),
        "trace": ("specs.tracing:trace", "Hold the log of a running system against a spec"),
        "history": ("history:history", "Judge recorded histories of transactions"),
        "export": ("specs.exporting:export", "Write a spec or a counterexample for other tools"),
        "list": ("specs.listing:list_", "List specs, engines, policies and profiles"),
        "gate": ("gate:gate", "Run all that counterpoint.toml asks for; one report"),
        "init": ("init:init", "Write counterpoint.toml and examples for a repository"),
    },
    "Webs and policies": {
        "web": ("web:web", "Describe, serve and judge synthetic webs"),
        "compare": ("policies.compare:compare", "Compare crawl policies on the same webs"),
        "evaluate": ("policies.evaluate:evaluate_", "Measure a ranking by relevance judgments"),
    },
    "Crawls": {
        "try": ("crawls.try_policy:try_", "Try a policy on real pages, without a link store"),
        "crawl": ("crawls.crawl:crawl", "Crawl sites into a link store; can be resumed"),
        "control": ("crawls.control:control", "Pause or continue a crawl, or change its pace"),
        "sites": ("crawls.sites:sites", "Show and change the sites of a link store"),
        "links": ("crawls.links:links_", "List the links that a crawl stored"),
        "index": ("crawls.index:index_", "Rank the pages that the last crawl found"),
        "studio": ("crawls.studio:studio", "Watch and edit a crawl in a browser"),
    },
    "Graphs": {"graph": ("graph:graph", "Build, search and rank web graphs")},
    "Studies": {
        "papers": ("policies.papers:papers", "Repeat the measurements of papers"),
        "coverage": ("coverage:coverage", "Estimate how much of a web a crawl covers"),
    },
}  # fmt: skip
"""The commands by topic: where each stands below `counterpoint.commands`, and what it does.

The descriptions stand here, because the module of a command cannot be imported where its extra is
missing."""

WITHOUT_COMPILED_CODE = frozenset(
    ["check", "replay", "step", "drive", "readings", "search", "errata", "export", "init",
     "evaluate", "sites", "links", "list"]
)  # fmt: skip
"""The commands that run with less memory than `memory.LEAST`: they load no compiled code, or, as
``list`` does, leave out what needs it."""

COMMANDS = {name: place for section in SECTIONS.values() for name, (place, _) in section.items()}


class Commands(click.Group):
    """The group of all commands; it imports only the module of the requested command."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name; None if there is none.

        Raises
        ------
        MissingExtraError
            If the command needs packages that are not installed.
        TooLittleMemoryError
            If the process may not have as much memory as the command needs.
        """
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            if cmd_name not in WITHOUT_COMPILED_CODE:
                try:
                    must_be_enough()
                except TooLittleMemoryError:
                    if not ctx.resilient_parsing:
                        raise
                    return click.Command(cmd_name)  # a shell completes a name, and no options
            module, _, name = COMMANDS[cmd_name].partition(":")
            try:
                found = getattr(import_module(f"counterpoint.commands.{module}"), name)
            except ModuleNotFoundError as error:
                if _is_ours(error):
                    raise
                raise MissingExtraError(error, cmd_name) from error
            keep_lines(found)
            complete(found)
            offer_force(found)
            self.add_command(found, cmd_name)
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by topic; where an extra is missing, also how to install it."""
        width = max(map(len, COMMANDS))
        for section, commands in SECTIONS.items():
            rows = []
            for name, (_, about) in commands.items():
                rows.append((name.ljust(width), f"{about}."))
                if not self._is_installed(ctx, name):
                    rows.append(("", f"({command_to_install(EXTRAS.get(name, 'all'))})"))
            with formatter.section(section):
                formatter.write_dl(rows)

    def _is_installed(self, ctx: click.Context, name: str) -> bool:
        try:
            return self.get_command(ctx, name) is not None
        except MissingExtraError:
            return False
        except TooLittleMemoryError:
            return True  # nobody knows

    def invoke(self, ctx: click.Context) -> Any:
        """Run the requested command."""
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            if _is_ours(error) or line_of_user(error):
                raise
            raise MissingExtraError(error, ctx.invoked_subcommand or "") from error


def _is_ours(error: ModuleNotFoundError) -> bool:
    return (error.name or "").partition(".")[0] == "counterpoint"


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)
@click.version_option(package_name="counterpoint", prog_name="counterpoint")
@click.pass_context
def counterpoint(context: click.Context) -> None:
    r"""Check the order in which transactions commit and in which a crawler fetches pages.

    Each command explains its options and exit codes with --help.

    \b
    counterpoint list                              specs, engines, policies, profiles
    counterpoint check window-stm                  check all properties of a spec
    counterpoint check window-stm --set fetch-and-increment=old
    counterpoint check window-stm --mutants        check that each mutant is killed
    counterpoint check --all                       check every spec
    counterpoint step peterson                     walk through a spec
    counterpoint drive window-stm --set fetch-and-increment=old --subject window-c
    counterpoint readings window-stm --changes 1   which readings keep the paper's claim
    counterpoint errata                            errors in papers, and corrections
    counterpoint init                              configure the gate of your repository
    counterpoint gate                              run everything, write one report
    counterpoint web serve --profile broder-1999   serve a web whose truth is known
    counterpoint web judge access.jsonl            measure how well a crawler did
    counterpoint try R3 --start https://example.org/
    counterpoint crawl R3 --db crawl.db --seeds sites.txt
    counterpoint links --db crawl.db --filter domain=example.org
    counterpoint index --db crawl.db               the found pages, the best first
    counterpoint studio                            watch and edit a crawl in a browser
    counterpoint compare R1 R2 R3 --web universities --pages 2000
    counterpoint papers beebot                     repeat a paper's measurements
    counterpoint coverage report --profile broder-1999
    counterpoint graph bowtie crawl.graph          the components of a crawl's graph
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main() -> None:
    """Run the command line."""
    collect_seldom()
    # Without this variable, Hypothesis writes its database into the current folder.
    notes = Path(tempfile.gettempdir()) / f"counterpoint-{getpass.getuser()}"
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(notes))
    if logging.lastResort is not None:
        logging.lastResort.addFilter(is_worth_logging)
    sys.unraisablehook = report_ignored
    print_what_can_be_encoded()
    say_when_compiling()
    sys.exit(run(counterpoint))
