"""Measures the cost of reading pages, and of policies that decide by the text of pages.

    python benchmarks/reading.py --pages 20000 --budget 3000 --seeds 3

First come single steps on pages of `topical` webs: generating the text of a page, splitting it into
words, reducing words to stems and numbers, computing relevance, and reading documents. Then come
crawls, in turns: the processor time for a page, with the world's part, and the share of relevant
pages among the fetched ones. All run in one process; times are its processor times.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

POLICIES = ("breadth-first", "hits", "tfidf", "tfidf+hits", "tfidf+hits,mix=links", "bm25",
            "link-bandit")  # fmt: skip
SAMPLE = 3_000


def timed(call: Callable[[], Any], count: int) -> tuple[Any, float]:
    """Return the result of a call, and its microseconds of processor time per page."""
    begun = time.process_time()
    found = call()
    return found, (time.process_time() - begun) / count * 1e6


def steps(pages: int) -> None:
    """Measure single steps, and print them."""
    from counterpoint.crawler.content.languages import guessed, stems
    from counterpoint.crawler.content.reader import Bm25, TfIdf
    from counterpoint.crawler.content.vocabulary import Vocabulary
    from counterpoint.crawler.content.words import words
    from counterpoint.crawler.documents.links import read
    from counterpoint.crawler.policy.protocol import Content
    from counterpoint.sim_web.answer import Question
    from counterpoint.sim_web.generator import Web
    from counterpoint.sim_web.pages.address import address
    from counterpoint.sim_web.pages.contents import page_text
    from counterpoint.sim_web.profile import load
    from counterpoint.sim_web.world.site import SyntheticSite

    web = Web(load("topical"), pages, 1)
    some = Random(1).sample(range(pages), min(SAMPLE, pages))
    count = len(some)
    [page_text(web, page) for page in some[:100]]

    def measure(name: str, call: Callable[[], Any]) -> Any:
        found, taken = timed(call, count)
        print(f"{name:44}{taken:8.1f} us")
        return found

    texts = measure("text of a page, generated", lambda: [page_text(web, page) for page in some])
    print(f"{'  characters of a page':44}{mean(len(one.text) for one in texts):8.0f}")
    cut = measure("its words", lambda: [words(one.text) for one in texts])
    print(f"{'  words of a page':44}{mean(map(len, cut)):8.0f}")
    measure("its language, guessed", lambda: [guessed(one.text) for one in texts])
    vocabulary = Vocabulary()
    measure("words, stems and numbers",
            lambda: [vocabulary.bag(one.text, one.language) for one in texts])  # fmt: skip
    distinct = list({word for one in cut for word in one})
    for language in ("en", "de", "ru"):
        _, taken = timed(partial(list, map(stems(language), distinct)), len(distinct))
        print(f"{f'  a stem, {language}':44}{taken:8.2f} us")
    contents = [Content(one.title, one.text, tuple(one.anchors.values()), one.language)
                for one in texts]  # fmt: skip
    for kind in (TfIdf, Bm25):
        warm = kind("warm", 0.1)
        warm.read(contents[0])
        reader = kind("Bratorzarbra Wynbrahirfen", 0.1)
        measure(f"all of it, and relevance: {kind.__name__}",
                lambda reader=reader: [reader.read(one) for one in contents])  # fmt: skip
        measure("  relevance of all pages again", reader.relevances)
    site = SyntheticSite(web)
    documents = [(site.answer(Question(address(web, page), 0.0)).body.decode(), address(web, page))
                 for page in some]  # fmt: skip
    measure("links of a document", lambda: [read(*one) for one in documents])
    measure("  and its text", lambda: [read(*one, contents=True) for one in documents])


def crawls(pages: int, budget: int, seeds: int) -> None:
    """Crawl with each policy and seed, and print the times and the shares of relevant pages."""
    from counterpoint.sim_web.profile import load
    from counterpoint.studies.comparison.plan import ComparisonPlan
    from counterpoint.studies.comparison.planted import Planted

    plan = ComparisonPlan(("",), load("topical"), budget, pages)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in POLICIES}
    for seed in range(seeds):
        planted = Planted(plan, seed)
        for name in POLICIES:
            found[name].append(crawled(name, plan, planted, seed))
    for name, of_seeds in found.items():
        taken, relevant = zip(*of_seeds, strict=True)
        print(f"{name:24}{median(taken):8.0f} us a page{mean(relevant):9.1%} relevant")


def crawled(name: str, plan: Any, planted: Any, seed: int) -> tuple[float, float]:
    """Crawl once; return the microseconds per page, and the share of relevant pages.

    Parameters
    ----------
    name : str
        The name of the policy.
    plan : ComparisonPlan
    planted : Planted
        The web of the plan and the seed.
    seed : int
    """
    from counterpoint.crawler.policy.protocol import Scope
    from counterpoint.crawler.schedulers.finding import find
    from counterpoint.crawler.worlds.crawl import crawl
    from counterpoint.sim_web.pages.words import LANGUAGES, theme_words
    from counterpoint.studies.comparison.world import World, seconds_per_visit

    theme, starts = planted.web.theme(planted.sites[0]), planted.starts(Scope.WEB)
    query = " ".join(word for of in LANGUAGES for word in theme_words(theme, of)[:2])
    chosen, seconds = find(name), seconds_per_visit(plan, planted, Scope.WEB)
    world = World(planted, Scope.WEB, seconds, plan.budget, reads=chosen.policy.reads)
    made = chosen.scheduler(starts, plan.budget, seed, query=query, hosts=planted.host.item)
    ended, taken = timed(lambda: crawl(name, made, world, starts, plan.budget), plan.budget)
    return taken, float(planted.relevant[ended.order].mean())


def main() -> None:
    """Measure, and print the figures."""
    sys.path.insert(0, str(ROOT / "src"))
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--budget", type=int, default=3_000)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    steps(given.pages)
    crawls(given.pages, given.budget, given.seeds)


if __name__ == "__main__":
    main()
