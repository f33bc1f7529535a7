"""``counterpoint web topics``: the topics of a web, with a query and the relevant pages of each."""

from __future__ import annotations

import json
from pathlib import Path

import click

from counterpoint.console import OK, must_be_writable, printing, progress
from counterpoint.files.outputs import replacing
from counterpoint.sim_web import profile


@click.command("topics")
@click.option("--profile", "name", required=True, metavar="NAME",
              help="A profile with themes, such as topical, local or regional.")  # fmt: skip
@click.option("--pages", type=int, metavar="N",
              help="Number of pages of the web.  [the profile's]")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Seed of the web.")  # fmt: skip
@click.option("--topic", "wanted", type=int, multiple=True, metavar="T",
              help="List only topic number T; repeatable.")  # fmt: skip
@click.option("--qrels", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write relevance judgments for `counterpoint evaluate`.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True, help="Output format.")  # fmt: skip
def topics_(
    name: str, pages: int | None, seed: int, wanted: tuple[int, ...], qrels: Path | None, form: str
) -> int:
    r"""List the topics of a web, with the number of relevant pages and a query for each.

    The judgments are exact, since the topics of pages were planted. The file has the format of
    TREC's tools: one line for each relevant page, with its address.

    \b
    counterpoint web topics --profile regional --seed 7
    counterpoint web topics --profile local --topic 3 --topic 5 --qrels local.qrels
    """
    must_be_writable("--qrels", qrels)
    kind = profile.load(name)
    from counterpoint.sim_web.describe.memory import must_fit
    from counterpoint.sim_web.generator import Web
    from counterpoint.sim_web.world import topics

    must_fit(kind, int(kind.pages) if pages is None else pages)
    web = Web(kind, pages, seed)
    topics.must_have(web, 0)
    chosen = list(dict.fromkeys(wanted)) or list(range(int(kind.themes.count)))
    for topic in chosen:
        topics.must_have(web, topic)
    with progress("web") as tell:
        if tell:
            tell("looking at every page")
        rows = [(topic, int(web.relevant_to(topic).sum()), topics.query(web, topic))
                for topic in chosen]  # fmt: skip
        if qrels is not None:
            with replacing(qrels) as written:
                written.write_text("\n".join(topics.qrels(web, chosen)) + "\n", encoding="utf-8")
    names = dict(enumerate(kind.articles.topics)) if kind.articles.languages else {}
    with printing():
        _print(rows, names, form)
    if qrels is not None:
        click.echo(f"{qrels} contains the judgments", err=True)
    return OK


def _print(rows: list[tuple[int, int, str]], names: dict[int, str], form: str) -> None:
    """Print the topics; ``names`` are those that the profile gives some of them."""
    if form == "json":
        found = [
            {"topic": topic, **({"name": names[topic]} if topic in names else {}),
             "relevant": relevant, "query": query}
            for topic, relevant, query in rows
        ]  # fmt: skip
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    wide = max((len(name) for name in names.values()), default=0)
    wide = max(wide, len("name")) if wide else 0
    head, gap = ("name", "  ") if wide else ("", "")
    click.echo(f"{'topic':>5}  {'relevant':>8}  {head:<{wide}}{gap}query")
    for topic, relevant, query in rows:
        click.echo(f"{topic:>5}  {relevant:>8,}  {names.get(topic, ''):<{wide}}{gap}{query}")
