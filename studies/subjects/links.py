"""Which kinds of links a crawler followed, by the truth about the pages that it fetched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from counterpoint.sim_web.answer import Kind
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages.truth import documents, link_kinds, place_at

from .measures import FOLLOWED, Value

MOST = 20_000
"""Of so many fetched pages the links are looked at, the first ones."""

NONE_LEAD = "no address was found that only such links lead to"


@dataclass(frozen=True)
class FollowedLinks:
    """How many addresses a crawler could find by one kind of link alone, and how many it requested.

    Attributes
    ----------
    found, requested : int
        Addresses to which, on the fetched pages, only links of this kind lead and which robots.txt
        allows; those of them that were requested.
    example : str
        One that was not requested; empty if there is none.
    """

    found: int
    requested: int
    example: str

    @property
    def share(self) -> Value:
        """The share that was requested; a sentence if there was nothing to request."""
        return self.requested / self.found if self.found else NONE_LEAD


def followed(
    web: Web, pages: Iterable[int], urls: set[str], starts: Iterable[int],
    allowed: Callable[[str], bool],
) -> dict[str, FollowedLinks]:  # fmt: skip
    """Return for each kind of link how many of its addresses were requested.

    Two addresses of one page are the same. Of pages with frames only the frames count, because
    their links are in the documents of the frames.

    Parameters
    ----------
    web : Web
    pages : iterable of int
        The fetched pages, in the order of their fetches.
    urls : set of str
        All requested addresses.
    starts : iterable of int
        The start pages: no link has to lead there.
    allowed : callable
        Whether robots.txt allows an address.
    """
    requested = {_target(web, url) for url in urls}
    kinds: dict[int | str, set[str]] = {}
    examples: dict[int | str, str] = {}
    for _, page in zip(range(MOST), pages, strict=False):
        for url, kind in _links_of(web, page):
            target = _target(web, url)
            kinds.setdefault(target, set()).add(kind)
            examples.setdefault(target, url)
    known = {target: kind for target, kind in kinds.items() if target not in set(starts)}
    return {kind: _of(kind, known, examples, requested, allowed) for kind in FOLLOWED}


def _of(
    kind: str, kinds: dict[int | str, set[str]], examples: dict[int | str, str],
    requested: set[int | str], allowed: Callable[[str], bool],
) -> FollowedLinks:  # fmt: skip
    only = [target for target, of in kinds.items() if of == {kind} and allowed(examples[target])]
    missed = [target for target in only if target not in requested]
    example = examples[missed[0]] if missed else ""
    return FollowedLinks(len(only), len(only) - len(missed), example)


def _links_of(web: Web, page: int) -> list[tuple[str, str]]:
    frames = documents(web, page)[1:]
    return [(url, "frames") for url in frames] if frames else link_kinds(web, page)


def _target(web: Web, url: str) -> int | str:
    """Return the page that an address leads to; the address itself for all that is no page."""
    place = place_at(web, url)
    if place is None or place.page is None or place.kind is Kind.FRAME:
        return url
    return url if place.what not in ("", "hop", "slash") else place.page
