"""Decides which links of a page a plan follows, by their marks (`documents.directives`).

With ``--nofollow``, links are left of which the document says that they are not to be followed.

With ``--canonical``, a page is a *copy* if it names one other address of its own site as canonical,
and that page can stand for it: no rule of scope or of robots.txt leaves it out, it is no copy
itself, and it has not failed. Of a copy, only the link to its canonical page is followed. Since a
copy can make no other page a copy, the last page of a circle keeps its links. The decision is
stored with the links, so that a replay of the crawl repeats it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from counterpoint.crawler.documents.addresses import site
from counterpoint.crawler.documents.copies import depending
from counterpoint.crawler.documents.directives import CANONICAL, NOFOLLOW, OF_COPY, TO_ORIGINAL
from counterpoint.crawler.documents.links import Reference
from counterpoint.crawler.documents.robots import Rules
from counterpoint.crawler.documents.scope import LEFT_OUT
from counterpoint.crawler.store.recording import Page, Recording, Target
from counterpoint.crawler.store.schema import State, stored_key

from .discovery import Discovery


def reason(mark: int) -> str:
    """Return the problem of a page to which only links lead that are not followed."""
    return f"{LEFT_OUT}{'--nofollow' if mark & NOFOLLOW else '--canonical'}"


class Following:
    """Decides which links of a page a plan follows.

    Parameters
    ----------
    discovery : Discovery
    canonical : bool
        Whether the plan treats pages as copies of their canonical pages.
    key : callable
        Returns the key of an address: equal for addresses of the same page.

    Attributes
    ----------
    original : str
        The canonical address of the last page, if that page is a copy; else "".
    """

    def __init__(
        self, discovery: Discovery, canonical: bool, key: Callable[[str], str]
    ) -> None:  # fmt: skip
        self._discovery, self._canonical, self._key = discovery, canonical, key
        self.original = ""

    def marks(
        self, recording: Recording, page: Page, references: Sequence[Reference],
        targets: Mapping[str, Page], to: Sequence[str], rules: Rules | None,
    ) -> list[int]:  # fmt: skip
        """Return the mark of each reference of a document.

        Parameters
        ----------
        recording : Recording
        page : Page
            The page of the document.
        references : sequence of Reference
        targets : mapping of str to Page
            The pages to which they lead, by key.
        to : sequence of str
            The key of the page to which each reference leads; "": it may not be followed.
        rules : Rules or None
            The robots.txt rules of the page's origin, if they were requested now.
        """
        said = [one.mark for one in references]
        if not self._canonical:
            self.original = ""
            return said
        original = self._original(recording, page, list(zip(to, said, strict=True)), targets, rules)
        if not original:
            return said
        return [_of_copy(mark, key == original) for key, mark in zip(to, said, strict=True)]

    def _original(
        self, recording: Recording, page: Page, links: Sequence[tuple[str, int]],
        targets: Mapping[str, Page], rules: Rules | None,
    ) -> str:  # fmt: skip
        """Note and return the key of the page of which a page is a copy; "": it is none.

        Parameters
        ----------
        recording : Recording
        page : Page
        links : sequence of (str, int)
            The key, or "", and the mark of each reference.
        targets : mapping of str to Page
            Pages by key.
        rules : Rules or None
        """
        self.original = ""
        named = {key for key, mark in links if mark & CANONICAL and key} if self._canonical else ()
        if len(named) != 1:
            return ""
        key = next(iter(named))
        shut = self._discovery.shut & NOFOLLOW
        own = {page.key, stored_key(self._key(page.final or page.address))}
        if key in own or all(mark & shut for other, mark in links if other == key):
            return ""
        if not self._stands(recording, page, targets[key], rules):
            return ""
        self.original = targets[key].address
        return key

    def _stands(
        self, recording: Recording, page: Page, target: Page, rules: Rules | None
    ) -> bool:  # fmt: skip
        """Return whether a page can stand for another that names it as canonical."""
        if target.state == State.DROPPED or not self._discovery.allows(
            recording, page, target, rules
        ):
            return False
        if target.status is not None and (target.status != 200 or not target.size):
            return False
        return target.id < 0 or not recording.read("is copy", page=target.id)

    def again(self, recording: Recording, page: Page, links: list[Target]) -> list[Target]:
        """Decide anew about a page of the store; return its links with their present marks.

        Parameters
        ----------
        recording : Recording
        page : Page
        links : list of Target
            All links of the page that the plan may follow.
        """
        links_of = [(one.page.key, one.mark) for one in links]
        targets = {one.page.key: one.page for one in links}
        key = self._original(recording, page, links_of, targets, None)
        if not self._canonical:
            return links
        said = [one.mark & (NOFOLLOW | CANONICAL) for one in links]
        if key:
            said = [_of_copy(mark, one.page.key == key)
                    for mark, one in zip(said, links, strict=True)]  # fmt: skip
        if said == [one.mark for one in links]:
            return links
        recording.write("mark internal", {
            "page": page.id, "target": targets[key].id if key else -1,
            "others": OF_COPY if key else 0,
        })  # fmt: skip
        recording.write("mark external", {"page": page.id, "others": OF_COPY if key else 0})
        return [one._replace(mark=mark) for one, mark in zip(links, said, strict=True)]

    def beyond(self, recording: Recording, page: Page) -> None:
        """Add the targets of links to other sites that earlier plans did not follow."""
        discovery = self._discovery
        rows = [row for row in recording.read("unfollowed", page=page.id)
                if discovery.follows(row.address)]  # fmt: skip
        if not rows:
            return
        keys = {address: stored_key(self._key(address)) for _, address in rows}
        known = recording.known(list(dict.fromkeys(keys.values())))
        made: dict[str, Page] = {}
        for address, key in keys.items():
            if key not in known:
                made.setdefault(key, discovery.new(address, key))
        entered = discovery.enter(recording, page, list(made.values()))
        ids = {one.key: one.id for one in (*known.values(), *entered)}
        recording.write("follow external", [
            {"page": page.id, "position": position, "target": ids[keys[address]]}
            for position, address in rows
        ])  # fmt: skip

    def failed(self, recording: Recording, page: Page) -> str:
        """Return a note for a page that brings no document; "": no copy depends on it."""
        count = recording.read("copies", page=page.id)[0].pages if self._canonical else 0
        return depending(count)


def _of_copy(said: int, leads_there: bool) -> int:
    """Return the mark of a link of a copy.

    Parameters
    ----------
    said : int
        The mark that the document gives it.
    leads_there : bool
        Whether it leads to the canonical page.
    """
    if not leads_there:
        return said | OF_COPY
    return said | TO_ORIGINAL if said & CANONICAL else said


def within(page: Page, links: list[Target], follows: Callable[[str], bool]) -> list[Target]:
    """Return the links of a page that lead to its own site, or where the plan may follow."""
    own = site(page.final or page.address)
    return [one for one in links
            if site(one.page.address) == own or follows(one.page.address)]  # fmt: skip
