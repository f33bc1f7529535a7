"""What pages are about: themes, hubs and authorities, navigation, language editions ([HITS]).

Either a host has one theme, or each page has its own (``sections``): that of its parent, or a
random one, as all pages directly below the start page. So a large site has sections, and pages of a
theme can be far apart. The navigation consists of the first pages of a host, to which all its pages
link; they are about no theme. The editions of a host are the subtrees below its start page, each in
one language.
"""

from __future__ import annotations

from counterpoint.compiling import compiled

from .articles import article_of, has_articles, topic_of_site, topics_of
from .kernels import unit, zipf_rank
from .layout import IN, SCC, TO_OUT, host_of_page, linked_pages, region_of_page
from .numbers import Numbers, pages_of_host, tree_of_host
from .trees import tree_parent

HUB, RELEVANT, SUBJECT, ANEW = range(13, 17)
"""Streams of hashes; `adjacency` and `degrees` use other streams."""

NOWHERE = -1

(COUNT, COMMUNITY, HUBS, AUTHORITIES, ABOUT, SECTIONS, NAVIGATION, EDITIONS,
 EVERYWHERE) = range(9)  # fmt: skip
"""Indices of `Numbers.themes`."""


@compiled
def theme_of(numbers: Numbers, region: int, rank: int, page: int) -> int:
    """Return the theme of a page of a host."""
    themes = int(numbers.themes[COUNT])
    if has_articles(numbers):
        return _theme_of_article(numbers, region, rank, page)
    if numbers.themes[SECTIONS] <= 0:
        return rank % themes
    start, pages = pages_of_host(numbers, region, rank)
    key, block = tree_of_host(numbers, region, rank)
    member, linked = page - start, linked_pages(region, pages, numbers.reals)
    while True:
        if _is_authority(numbers, region, member, linked):
            return (member // _distance(numbers) + rank) % themes
        parent = tree_parent(key, member, block) if 0 < member < linked else 0
        inherits = unit(numbers.key, ANEW, start + member, 0) < numbers.themes[SECTIONS]
        if parent <= numbers.themes[NAVIGATION] or not inherits:
            return int(unit(numbers.key, SUBJECT, start + member, 0) * themes)
        member = parent


@compiled
def _theme_of_article(numbers: Numbers, region: int, rank: int, page: int) -> int:
    """Return the number of a topic; other articles have the themes after those of the topics."""
    topics, article = topics_of(numbers), NOWHERE
    if region == SCC:
        article = article_of(numbers, rank, page - pages_of_host(numbers, SCC, rank)[0])
    if region == IN and topics > 0:
        article = topic_of_site(numbers, rank)
    if 0 <= article < topics:
        return article
    others = int(numbers.themes[COUNT]) - topics
    return topics + max(0, article - topics) % others


@compiled
def edition_of(numbers: Numbers, region: int, rank: int, page: int) -> int:
    """Return the number of the edition that a page of a host belongs to."""
    editions = int(numbers.themes[EDITIONS])
    start, pages = pages_of_host(numbers, region, rank)
    member = page - start
    if editions <= 1 or member == 0:
        return 0
    key, block = tree_of_host(numbers, region, rank)
    if member < linked_pages(region, pages, numbers.reals):
        parent = tree_parent(key, member, block)
        while parent > 0:
            member, parent = parent, tree_parent(key, parent, block)
    return (member - 1) % editions


@compiled
def of_navigation(numbers: Numbers, page: int) -> bool:
    """Return whether a page is in its host's navigation: the start page or a page of the menu."""
    if numbers.themes[NAVIGATION] <= 0 and not has_articles(numbers):
        return False
    region = region_of_page(numbers.regions, page)
    _, start, _ = host_of_page(numbers.regions, numbers.reals, numbers.bounds, region, page)
    return page - start <= numbers.themes[NAVIGATION]


@compiled
def relevant(numbers: Numbers, page: int) -> bool:
    """Return whether a page is about its theme."""
    if has_articles(numbers):
        in_language = region_of_page(numbers.regions, page) == SCC
        return in_language and not of_navigation(numbers, page)
    return (
        hub(numbers, page)
        or authority(numbers, page)
        or (
            unit(numbers.key, RELEVANT, page, 0) < numbers.themes[ABOUT]
            and not of_navigation(numbers, page)
        )
    )


@compiled
def has_community(numbers: Numbers, region: int) -> bool:
    """Return whether a region has hubs and authorities: SCC has them, or all regions do."""
    themes = numbers.themes
    return themes[COMMUNITY] > 0 and (region == SCC or themes[EVERYWHERE] > 0)


@compiled
def hub(numbers: Numbers, page: int) -> bool:
    """Return whether a page links to many authorities of its theme."""
    return (
        has_community(numbers, region_of_page(numbers.regions, page))
        and unit(numbers.key, HUB, page, 0) < numbers.themes[HUBS]
        and not of_navigation(numbers, page)
    )


@compiled
def authority(numbers: Numbers, page: int) -> bool:
    """Return whether the hubs of its theme link to a page; a host has them at equal distances."""
    region = region_of_page(numbers.regions, page)
    _, start, end = host_of_page(numbers.regions, numbers.reals, numbers.bounds, region, page)
    linked = linked_pages(region, end - start, numbers.reals)
    return _is_authority(numbers, region, page - start, linked)


@compiled
def _distance(numbers: Numbers) -> int:
    """Return the distance between two successive authorities of a host, in pages."""
    return int(1.0 / max(numbers.themes[AUTHORITIES], 1e-6))


@compiled
def _is_authority(numbers: Numbers, region: int, member: int, linked: int) -> bool:
    """Return whether a page of a host is an authority; ``member`` is its place in the host."""
    themes = numbers.themes
    if not has_community(numbers, region) or themes[AUTHORITIES] <= 0 or member >= linked:
        return False
    if themes[NAVIGATION] > 0 and member <= themes[NAVIGATION]:
        return False
    return member % _distance(numbers) == 0


@compiled
def _open_hosts(numbers: Numbers, region: int, rank: int, goal: int) -> tuple[int, int]:
    """Return the range of ranks of the hosts to which links may lead: its begin and its end.

    Parameters
    ----------
    numbers : Numbers
    region, rank : int
        The region of the linking page's host, and the host's rank.
    goal : int
        The region of the targets.
    """
    hosts = numbers.regions[goal, 3]
    if goal != region or region == SCC:
        return 0, hosts
    if region in (IN, TO_OUT):
        return 0, rank
    return rank + 1, hosts


@compiled
def themed(
    numbers: Numbers, region: int, rank: int, page: int, goal: int, u: float, v: float
) -> int:
    """Return an authority of a page's theme, or -1 if there is none or the chosen host has none.

    Within a region other than SCC, links lead through the hosts in one direction only.

    Parameters
    ----------
    numbers : Numbers
    region, rank, page : int
        The region of the page's host, the host's rank, the page.
    goal : int
        The region of the authority.
    u, v : float
        Uniform random numbers in [0, 1), for the host and for the page.
    """
    count, every = int(numbers.themes[COUNT]), _distance(numbers)
    theme = theme_of(numbers, region, rank, page)
    low, high = _open_hosts(numbers, region, rank, goal)
    first, step, aside = 0, 1, 1
    if numbers.themes[SECTIONS] <= 0:
        low, aside = low + (theme - low) % count, count
    if low >= high:
        return NOWHERE
    hosts = (high - low + aside - 1) // aside
    chosen = low + aside * zipf_rank(u, hosts, numbers.degrees[4], 1.0)
    if numbers.themes[SECTIONS] > 0:
        first, step = (theme - chosen) % count, count
    start, pages = pages_of_host(numbers, goal, chosen)
    if numbers.themes[NAVIGATION] > 0:
        while first * every <= numbers.themes[NAVIGATION]:
            first += step
    linked = linked_pages(goal, pages, numbers.reals)
    number = ((linked + every - 1) // every - first + step - 1) // step
    if number <= 0:
        return NOWHERE
    return start + every * (first + step * int(v * number))
