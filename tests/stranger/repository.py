"""The files of a repository that knows Counterpoint only as a package."""

from __future__ import annotations

from pathlib import Path

FILES = {
    "protocols/shared.py": '''\
"""What the protocols have in common."""

from counterpoint import require


def must_be_next(s, p):
    """Go on only if it is this process's turn."""
    require(s.serving == s.ticket[p])
''',
    "protocols/ticket_spec.py": '''\
"""A lock with tickets."""

from counterpoint import (
    Array, Index, Integer, Spec, action, every, finished, invariant, mutant, no, require,
)
from shared import must_be_next


class Ticket(Spec):
    processes = Index(2, names="p", labels="P")
    drawn = Integer(0, 4)
    serving = Integer(0, 4)
    ticket = Array(processes, Integer(0, 4))
    phase = Array(processes, Integer(0, 2))

    @action
    def take(s, p):
        require(s.phase[p] == 0, s.drawn < 4)
        s.ticket[p], s.drawn, s.phase[p] = s.drawn, s.drawn + 1, 1

    @action
    def enter(s, p):
        require(s.phase[p] == 1)
        must_be_next(s, p)
        s.phase[p] = 2

    @action
    def leave(s, p):
        require(s.phase[p] == 2)
        s.phase[p], s.serving = 0, s.serving + 1

    @finished
    def all_are_served(s):
        return s.drawn == 4

    @invariant
    def one_at_a_time(s):
        return no(every(s.phase[p] == 2 for p in s.processes))


@mutant(killed={"one-at-a-time": 4})
class ServesTwice(Ticket):
    """Whoever enters calls the next one, too."""

    @action
    def enter(s, p):
        require(s.phase[p] == 1)
        must_be_next(s, p)
        s.phase[p], s.serving = 2, s.serving + 1
''',
    "crawls/greedy.py": '''\
"""A crawl policy."""

from counterpoint.crawler import Request


class Greedy:
    """Next is the page to which the most fetched pages link."""

    def __init__(self, setting):
        self.why = ""
        self.hosts = setting.hosts
        self.links = dict.fromkeys(setting.starts, 0)
        self.waiting = dict.fromkeys(setting.starts)
        self.asked = 0

    def next(self):
        if not self.waiting:
            self.why = "no page is left"
            return None
        page = max(self.waiting, key=self.links.__getitem__)
        del self.waiting[page]
        self.asked += 1
        return Request(page)

    def observe(self, outcome):
        for page in outcome.links.tolist():
            if page not in self.links:
                self.waiting[page] = None
            self.links[page] = self.links.get(page, 0) + 1
''',
    "spiders/news.py": '''\
"""A spider."""

import scrapy
from scrapy.exceptions import CloseSpider


class News(scrapy.Spider):
    name = "news"
    custom_settings = {
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": 1,
        "DOWNLOAD_DELAY": 0,
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        "DEPTH_PRIORITY": 1,
    }
    links = "a::attr(href), frame::attr(src), iframe::attr(src)"
    most = 150

    def __init__(self, start="", **more):
        super().__init__(**more)
        self.start_urls = [start]
        self.seen = 0

    def parse(self, response):
        self.seen += 1
        if self.seen >= self.most:
            raise CloseSpider("enough")
        if not hasattr(response, "css"):
            return
        for link in response.css(self.links).getall():
            try:
                yield response.follow(link, self.parse)
            except ValueError:
                pass
''',
    "webs/guarded.toml": """\
about = "a small web with many frames and many robots.txt"
pages = 600

[degrees]
mean = 8.0

[style]
frames = 0.3

[robots]
present = 1.0
disallow = 0.9
forbidden = 0.3
crawl_delay = 0.0
""",
    "tests/test_ours.py": '''\
"""A test of their own."""


def test_ours():
    assert True
''',
    "models.py": 'raise ImportError("models.py of another project")\n',
    ".github/CODEOWNERS": "* @somebody\n",
}


def make(folder: Path) -> None:
    """Write the files."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
