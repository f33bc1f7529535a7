"""The command line."""

from __future__ import annotations

import getpass
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from counterpoint.console import keep_lines, print_what_can_be_encoded, run
from counterpoint.extras import EXTRAS, MissingExtraError, command_to_install
from counterpoint.models.loading import line_of_user

SECTIONS = {
    "Specs": {
        "check": "specs.checking:check_", "replay": "specs.checking:replay",
        "readings": "specs.readings:readings", "search": "specs.search:search_",
        "errata": "specs.errata:errata", "export": "specs.exporting:export",
        "list": "specs.checking:list_", "gate": "gate:gate",
    },
    "Webs and policies": {
        "web": "web:web", "compare": "policies.compare:compare",
        "evaluate": "policies.evaluate:evaluate_",
    },
    "Crawls": {
        "crawl": "crawls.crawl:crawl_", "sites": "crawls.sites:sites",
        "links": "crawls.links:links_", "index": "crawls.index:index_",
        "studio": "crawls.studio:studio",
    },
    "Graphs": {"graph": "graph:graph"},
    "Studies": {"papers": "policies.papers:papers", "coverage": "coverage:coverage"},
}  # fmt: skip
"""The commands by topic, and where each stands below `counterpoint.commands`."""

COMMANDS = {name: place for section in SECTIONS.values() for name, place in section.items()}


class Commands(click.Group):
    """Commands of which only the one that is asked for is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; None if there is none of that name.

        Raises
        ------
        MissingExtraError
            If it needs packages that are not installed.
        """
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            module, _, name = COMMANDS[cmd_name].partition(":")
            try:
                found = getattr(import_module(f"counterpoint.commands.{module}"), name)
            except ModuleNotFoundError as error:
                if _is_ours(error):
                    raise
                raise MissingExtraError(error, cmd_name) from error
            keep_lines(found)
            self.add_command(found, cmd_name)
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by topic, a line each."""
        width = max(map(len, COMMANDS))
        for section, commands in SECTIONS.items():
            room = formatter.width - width - 6
            lines = [(name.ljust(width), self._about(ctx, name, room)) for name in commands]
            with formatter.section(section):
                formatter.write_dl(lines)

    def _about(self, ctx: click.Context, name: str, room: int) -> str:
        """Return a line on a command; how it is installed, if it is not."""
        try:
            command = self.get_command(ctx, name)
        except MissingExtraError:
            return f"({command_to_install(EXTRAS.get(name, 'all'))})"
        assert command is not None
        return command.get_short_help_str(room)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was asked for."""
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
    r"""Check order: of transactions that commit, of a crawler that fetches.

    \b
    counterpoint list                                  what there is
    counterpoint check window-stm --set fetch-and-increment=old
    counterpoint check window-stm --mutants            who kills whom
    counterpoint check --all                           every spec
    counterpoint readings window-stm --changes 1       which readings keep the paper's claim
    counterpoint errata                                what papers printed
    counterpoint web serve --profile broder-1999       a web to crawl, whose truth is known
    counterpoint gate                                  everything, one report
    counterpoint web judge access.jsonl                how well a crawler did
    counterpoint crawl R3 --start https://example.org/               a policy on real pages
    counterpoint links --db crawl.db --filter domain=example.org     what a crawl stored
    counterpoint index --db crawl.db                   what it found, the best first
    counterpoint compare R1 R2 R3 --web universities --pages 2000    crawl policies, offline
    counterpoint papers beebot                         what a paper measured, measured again
    counterpoint studio                                a crawl, watched and edited in a browser
    counterpoint coverage report --profile broder-1999               which estimate to believe
    counterpoint graph bowtie crawl.graph              the graph of a crawl, taken apart and ranked
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main() -> None:
    """Run the command line."""
    # Hypothesis keeps notes in the present folder unless it is told another one.
    notes = Path(tempfile.gettempdir()) / f"counterpoint-{getpass.getuser()}"
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(notes))
    print_what_can_be_encoded()
    sys.exit(run(counterpoint))
