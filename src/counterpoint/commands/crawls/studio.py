"""``counterpoint studio``: a crawl watched and edited in a browser."""

from __future__ import annotations

from pathlib import Path

import click

from counterpoint.console import OK

_PORT = 8787


@click.command()
@click.option("--db", "where", default="crawl.db", show_default=True, metavar="STORE",
              help="The link store: a SQLite file, which is made if it does not exist, or a "
                   "postgresql:// address.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=_PORT, show_default=True,
              help="The port on which the studio listens; 0: any free port.")  # fmt: skip
@click.option("--listen", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="The address on which the studio listens. If it is not loopback, the printed "
                   "address has a token, without which requests are refused.")  # fmt: skip
@click.option("--name", "names", multiple=True, metavar="HOST",
              help="Another host name of the studio; repeatable.")  # fmt: skip
@click.option("--report", type=click.Path(path_type=Path), default=Path("report"),
              show_default=True, metavar="FOLDER", help="The folder of the gate's report to show.",
              )  # fmt: skip
@click.option("--crawl-option", "options", multiple=True, metavar="TEXT",
              help="An option that is passed to the crawl unchanged, such as "
                   "--crawl-option=--proxy=URL; repeatable.")  # fmt: skip
@click.option("--api-token", type=click.Path(path_type=Path), metavar="FILE",
              help="Serve the HTTP API under /api/v1 to requests that have the token in this file. "
                   "Also: COUNTERPOINT_API_TOKEN in the environment. [default: no API]",
              )  # fmt: skip
def studio(
    where: str,
    port: int,
    listen: str,
    names: tuple[str, ...],
    report: Path,
    options: tuple[str, ...],
    api_token: Path | None,
) -> int:
    r"""Watch and edit a crawl in a browser, until Ctrl-C.

    The studio shows the sites, starts and stops the crawl, plots what the planner decides and why,
    lists internal, external and bad links with filters, deletes links while the crawl runs, changes
    settings, exports, and shows the gate's report. The crawl is a process of its own: it continues
    when the studio ends, and a new studio finds it.

    Exit code 0: the studio was stopped; 2: the command is wrong.

    \b
    counterpoint studio
    counterpoint studio --db postgresql://localhost/links --port 9000
    counterpoint studio --listen 192.0.2.7 --name crawler.example.org
    counterpoint studio --api-token token.txt
    """
    from counterpoint.studio.serving import StudioOptions, serve  # with aiohttp and SQLAlchemy

    serve(StudioOptions(where, listen, port, names, report, options, api_token))
    return OK
