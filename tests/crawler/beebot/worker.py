"""A process that crawls a store with others: WHERE SECONDS FILE, its lease and what it stored."""

from __future__ import annotations

import sys
from pathlib import Path

from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.crawling import crawl
from counterpoint.crawler.beebot.stored_answer import StoredAnswer
from counterpoint.crawler.store.opening import open_store


def main(where: str, seconds: str, path: str) -> None:
    """Crawl until the plan ends."""
    with open_store(where) as store, Path(path).open("w", encoding="utf-8") as file:

        def report(taken: StoredAnswer) -> None:
            file.write(taken.address + "\n")
            file.flush()

        print(crawl(store, begin(store), report, lease=float(seconds)).why)


if __name__ == "__main__":
    main(*sys.argv[1:])
