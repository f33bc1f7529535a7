"""The command line."""

from __future__ import annotations

import getpass
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path

import click

from .console import keep_lines, print_what_can_be_encoded, run

COMMANDS = {
    "list": "checking:list_", "check": "checking:check_", "replay": "checking:replay",
    "gate": "gate:gate", "readings": "readings:readings", "search": "search:search_",
    "errata": "errata:errata", "export": "exporting:export", "web": "web:web",
    "crawl": "crawl:crawl_", "links": "links:links_", "sites": "sites:sites",
    "compare": "compare:compare", "papers": "papers:papers", "evaluate": "evaluate:evaluate_",
    "index": "index:index_", "coverage": "coverage:coverage", "graph": "graph:graph",
    "studio": "studio:studio",
}  # fmt: skip
"""Where each command stands, below `counterpoint.commands`."""


class Commands(click.Group):
    """Commands of which only the one that is asked for is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; None if there is none of that name."""
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            module, _, name = COMMANDS[cmd_name].partition(":")
            found = getattr(import_module(f"counterpoint.commands.{module}"), name)
            keep_lines(found)
            self.add_command(found, cmd_name)
        return self.commands.get(cmd_name)


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
