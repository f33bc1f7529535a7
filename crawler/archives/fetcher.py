"""A fetcher that answers from WARC files, so that a crawl can be replayed without a network.

Each address answers its first capture, as in a comparison on a captured web. What was never
captured is unknown: the answer is a 404 that says so.
"""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from multidict import CIMultiDict, CIMultiDictProxy

from counterpoint.crawler.documents.exchange import DAMAGED, NOT_CAPTURED
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.manners import Limits
from counterpoint.crawler.fetching.network import Answer, PageRequest
from counterpoint.crawler.fetching.offline import answer_at_hand

from .archives import SUFFIXES
from .captured import CapturedAnswer, CapturedWeb
from .indexing import Tell
from .warc_members import ZstandardBytes, source_of

_RECORD = b"WARC/"


class ArchiveFetcher:
    """A `Fetcher` that answers what WARC files have.

    Parameters
    ----------
    path : Path
        A WARC file, or a folder of them.
    limits : Limits
        How much of a body is read.
    tell : callable, optional
        Gets a line of text while an index is made.

    Raises
    ------
    CrawlError
        If a file cannot be read, or has no answers: WAT files have links alone.

    Attributes
    ----------
    web : CapturedWeb
    """

    def __init__(self, path: Path, limits: Limits | None = None, tell: Tell | None = None) -> None:
        self.web = CapturedWeb([path], tell=tell)
        self._limits = limits or Limits()
        kinds = {kind for one in self.web.index.files for kind in one.about.types}
        if kinds.isdisjoint(("response", "resource")):
            self.web.close()
            raise CrawlError(f"{path}: has no answers of pages, so no crawl can be replayed")

    async def fetch(self, wanted: PageRequest) -> Answer:
        """Return the first answer that was captured of an address.

        Raises
        ------
        CrawlError
            If a file has changed or cannot be read.
        """
        found = self.web.answer(wanted.address, 0)  # before all captures: the first
        if found is None:
            # A robots.txt with a problem would forbid the whole site.
            return Answer(404, problem="" if wanted.of_robots else NOT_CAPTURED)
        return self._answer(found, wanted)

    def _answer(self, found: CapturedAnswer, wanted: PageRequest) -> Answer:
        headers = CIMultiDictProxy(CIMultiDict(
            (name, one) for name, value in found.headers.items() for one in value.split("\n")
        ))  # fmt: skip
        problem = "" if found.whole else DAMAGED
        return answer_at_hand(wanted, self._limits, found.status, headers, found.body,
                              problem=problem, coded=found.coded)  # fmt: skip

    async def close(self) -> None:
        """Close the files."""
        self.web.close()


def is_archive(path: Path) -> bool:
    """Return whether a path is a folder, or a WARC file by its name or its first bytes."""
    if path.is_dir() or (path.name.endswith(SUFFIXES) and path.exists()):
        return True
    try:
        with path.open("rb") as file:
            source = source_of(file)
            if source is ZstandardBytes:
                return True
            unpacked = file if source is None else gzip.GzipFile(fileobj=file)
            return unpacked.read(len(_RECORD)) == _RECORD
    except (OSError, EOFError, zlib.error):
        return False
