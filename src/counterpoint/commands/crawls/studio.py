"""``counterpoint studio``: a crawl watched and edited in a browser."""

from __future__ import annotations

from pathlib import Path

import click

from counterpoint.console import OK

_PORT = 8787


@click.command()
@click.option("--db", "where", default="crawl.db", show_default=True, metavar="STORE",
              help="The link store: a SQLite file, made if there is none, or a postgresql:// "
                   "address.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=_PORT, show_default=True,
              help="Where to listen; 0: a free one.")  # fmt: skip
@click.option("--listen", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="An address of this machine. Beyond loopback, the address printed carries a "
                   "token, and only who has it is let in.")  # fmt: skip
@click.option("--name", "names", multiple=True, metavar="HOST",
              help="Another name by which it is reached; repeatable.")  # fmt: skip
@click.option("--report", type=click.Path(path_type=Path), default=Path("report"),
              show_default=True, metavar="FOLDER", help="The gate's report, to be shown.",
              )  # fmt: skip
@click.option("--crawl-option", "options", multiple=True, metavar="TEXT",
              help="Given to the crawl as it is, as --crawl-option=--proxy=URL; "
                   "repeatable.")  # fmt: skip
def studio(
    where: str,
    port: int,
    listen: str,
    names: tuple[str, ...],
    report: Path,
    options: tuple[str, ...],
) -> int:
    r"""Watch and edit a crawl in a browser, until Ctrl-C.

    Sites, start and stop, live plots of what the planner decides and why, internal, external and
    bad links with filters and deletion while the crawl runs, settings, export, and the gate's
    report. The crawl is a process of its own: it goes on when the studio ends, and a new studio
    finds it. Exit code 0: stopped; 2: the command is wrong.

    \b
    counterpoint studio
    counterpoint studio --db postgresql://localhost/links --port 9000
    counterpoint studio --listen 192.0.2.7 --name crawler.example.org
    """
    from counterpoint.studio.serving import Wish, serve  # with aiohttp and SQLAlchemy

    serve(Wish(where, listen, port, names, report, options))
    return OK
