"""Articles in editions of many languages, each language a host ([HITS], the web of the paper).

The hosts of SCC are the languages, the largest first; their start pages are the main pages. The
pages of OUT are the targets of the footer, to which every page links. A language has the topics at
the end of its pages, and other articles between its main page and the topics.

Which articles a language has is a closed formula in both directions. A language with n articles has
the images of 0, ..., n - 1 under a keyed permutation of its own that moves numbers only within
blocks: the first block has ``common`` articles, each next one as many as all before it. So large
languages have all articles of the first blocks and small ones a random part of the first block.
A topic with e editions is in the images of 0, ..., e - 1 among the languages, in the same way, but
the first block is a single language.
"""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, compiled
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.sections import Articles

from .kernels import mixed, permuted, unit, unpermuted
from .layout import IN, OUT, SCC, Layout, host_start
from .numbers import Numbers, tree_of_host
from .trees import tree_level, tree_parent

_LANGUAGE, _TOPIC, _SHARED, _OWN = 20, 21, 22, 23
"""Streams of hashes; other modules use other streams."""

LANGUAGES, MAINS, LINKS, SHARED, COMMON, COUNT, TOPICS = range(7)
"""Indices of `Numbers.articles`; from `TOPICS` on it has the number of editions of each topic."""

NOWHERE = -1


@compiled
def has_articles(numbers: Numbers) -> bool:
    """Return whether the hosts of SCC are languages."""
    return len(numbers.articles) > 0


@compiled
def _block(number: int, least: int, size: int) -> tuple[int, int]:
    """Return the block of a number below ``size``: its first number, and how many it has."""
    first, count = 0, least
    while number >= first + count:
        first += count
        count = first
    return first, min(count, size - first)


@compiled
def scattered(key: np.uint64, number: int, least: int, size: int) -> int:
    """Return the image of a number under a keyed permutation of range(size) within blocks."""
    first, count = _block(number, least, size)
    return first + permuted(mixed(key, first), number - first, count)


@compiled
def unscattered(key: np.uint64, number: int, least: int, size: int) -> int:
    """Return the number whose image under `scattered` is ``number``."""
    first, count = _block(number, least, size)
    return first + unpermuted(mixed(key, first), number - first, count)


@compiled
def topics_of(numbers: Numbers) -> int:
    """Return the number of topics."""
    return int(numbers.articles[COUNT])


@compiled
def _key(numbers: Numbers, stream: int, number: int) -> np.uint64:
    return mixed(mixed(numbers.key, stream), number)


@compiled
def _has_topic(numbers: Numbers, rank: int, topic: int) -> bool:
    """Return whether a language has an edition of a topic."""
    languages = int(numbers.articles[LANGUAGES])
    return _holds(numbers.key, rank, topic, languages, numbers.articles[TOPICS + topic])


@compiled
def _holds(key: np.uint64, rank: int, topic: int, languages: int, editions: float) -> bool:
    """Return whether a language has a topic with a number of editions in so many languages."""
    return unscattered(mixed(mixed(key, _TOPIC), topic), rank, 1, languages) < editions


@compiled
def _start(numbers: Numbers, rank: int) -> int:
    """Return the main page of a language; after the last language, the end of its pages."""
    return int(numbers.articles[TOPICS + topics_of(numbers) + rank])


@compiled
def _ordinary(numbers: Numbers, rank: int) -> int:
    """Return how many articles of a language are no topics."""
    languages = int(numbers.articles[LANGUAGES])
    return int(numbers.articles[TOPICS + topics_of(numbers) + languages + 1 + rank])


@compiled
def _universe(numbers: Numbers) -> int:
    """Return the number of articles that are no topics, of all languages."""
    return _start(numbers, 1) - _start(numbers, 0)


@compiled
def article_of(numbers: Numbers, rank: int, local: int) -> int:
    """Return the article of a page: topics come first, then the others; -1: a main page.

    Parameters
    ----------
    numbers : Numbers
    rank, local : int
        The language, and the index of the page in it.
    """
    if local == 0:
        return NOWHERE
    ordinary = _ordinary(numbers, rank)
    if local <= ordinary:
        key = _key(numbers, _LANGUAGE, rank)
        common = int(numbers.articles[COMMON])
        return topics_of(numbers) + scattered(key, local - 1, common, _universe(numbers))
    before = local - ordinary - 1
    for topic in range(topics_of(numbers)):
        if _has_topic(numbers, rank, topic):
            if before == 0:
                return topic
            before -= 1
    return NOWHERE


@compiled
def edition(numbers: Numbers, rank: int, article: int) -> int:
    """Return the page of an article in a language; -1: there is none."""
    topics = topics_of(numbers)
    if article < topics:
        if not _has_topic(numbers, rank, article):
            return NOWHERE
        place = _ordinary(numbers, rank) + 1
        for topic in range(article):
            place += _has_topic(numbers, rank, topic)
        return _start(numbers, rank) + place
    key = _key(numbers, _LANGUAGE, rank)
    common = int(numbers.articles[COMMON])
    place = unscattered(key, article - topics, common, _universe(numbers))
    if place >= _ordinary(numbers, rank):
        return NOWHERE
    return _start(numbers, rank) + place + 1


@compiled
def topic_of_site(numbers: Numbers, rank: int) -> int:
    """Return the topic of a site elsewhere; -1 if there are no topics."""
    topics = topics_of(numbers)
    return rank % topics if topics > 0 else NOWHERE


@compiled
def pointed_to(numbers: Numbers, rank: int) -> int:
    """Return the page to which all pages of a site elsewhere link; -1: none.

    It is the edition of the site's topic in the largest language, which has all topics.
    """
    topic = topic_of_site(numbers, rank)
    return NOWHERE if topic < 0 else edition(numbers, 0, topic)


@compiled
def most_article_links(numbers: Numbers) -> int:
    """Return the greatest number of links that `article_links` writes."""
    articles = numbers.articles
    if not has_articles(numbers):
        return 0
    return int(articles[LANGUAGES] + 2 * articles[LINKS]) + numbers.regions[OUT, 1] + 4


@compiled
def article_links(
    numbers: Numbers, region: int, rank: int, local: int, found: Array, count: int
) -> int:
    """Write the links of a page that are planted for articles; return the new number of links.

    A main page links to other main pages; an edition of an article links to the other editions, to
    its main page and to pages of its language. Both link to the targets of the footer. A page
    elsewhere links to an edition of the topic of its site.

    Parameters
    ----------
    numbers : Numbers
    region, rank, local : int
        The region of the page's host, the host's rank, the index of the page in it.
    found : int64
        Gets the links from index ``count`` on, some perhaps twice.
    count : int
        How many links there are already.
    """
    if not has_articles(numbers) or region == OUT:
        return count
    if region == IN:
        found[count] = pointed_to(numbers, rank)
        return count + (found[count] != NOWHERE)
    article = article_of(numbers, rank, local)
    if article == NOWHERE:
        count = _main_links(numbers, rank, found, count)
    else:
        count = _ordinary_links(numbers, rank, local, article, found, count)
        count = _edition_links(numbers, rank, article, found, count)
        found[count] = _start(numbers, rank)
        count += 1
    for page in range(numbers.regions[OUT, 1]):
        found[count] = numbers.regions[OUT, 0] + page
        count += 1
    return count


@compiled
def _main_links(numbers: Numbers, rank: int, found: Array, count: int) -> int:
    """Write the links of a main page to main pages; the arguments are as in `article_links`."""
    languages = int(numbers.articles[LANGUAGES])
    first = languages - int(numbers.articles[MAINS])
    if rank >= first:
        for other in range(first, languages):
            if other != rank:
                found[count] = _start(numbers, other)
                count += 1
    return count


@compiled
def _edition_links(numbers: Numbers, rank: int, article: int, found: Array, count: int) -> int:
    """Write the links to the other editions; the arguments are as in `article_links`."""
    for other in range(int(numbers.articles[LANGUAGES])):
        page = edition(numbers, other, article) if other != rank else NOWHERE
        if page != NOWHERE:
            found[count] = page
            count += 1
    return count


@compiled
def _ordinary_links(
    numbers: Numbers, rank: int, local: int, article: int, found: Array, count: int
) -> int:
    """Write the links of an edition to pages of its language; return the new number of links.

    The shared links of an article lead to the same articles in all its editions; an edition has
    those whose targets are in its language. Its other links are its own. No link leads more than
    one level down. The arguments are as in `article_links`.
    """
    articles = numbers.articles
    start = _start(numbers, rank)
    pages = _start(numbers, rank + 1) - start
    key, block = tree_of_host(numbers, SCC, rank)
    level = tree_level(key, local, block)
    links, universe = int(articles[LINKS]), _universe(numbers)
    shared = int(articles[LINKS] * articles[SHARED] + 0.5)
    for number in range(links):
        if number < shared:
            u = unit(numbers.key, _SHARED, article, number)
            page = edition(numbers, rank, topics_of(numbers) + int(u * u * universe))
        else:
            page = start + int(unit(numbers.key, _OWN, start + local, number) * pages)
        if page == NOWHERE:
            continue
        member = page - start
        depth = tree_level(key, member, block)
        while depth > level + 1:
            member = tree_parent(key, member, block)
            depth -= 1
        if member != local:
            found[count] = start + member
            count += 1
    return count


def parameters(section: Articles, layout: Layout, key: np.uint64) -> Array:
    """Return `Numbers.articles`; a web with fewer languages has as many fewer editions.

    Raises
    ------
    WebError
        If a language has too few pages for its topics.
    """
    if not section.languages:
        return np.empty(0)
    languages = int(layout.regions[SCC, 3])
    scale = languages / section.languages
    topics = [max(1, round(one * scale)) for one in section.topics.values()]
    starts = np.array([host_start(layout.regions, layout.reals, layout.bounds, SCC, rank)
                       for rank in range(languages + 1)])  # fmt: skip
    ordinary = np.diff(starts) - 1
    for topic, editions in enumerate(topics):
        ordinary -= [_holds(key, rank, topic, languages, editions) for rank in range(languages)]
    if ordinary.min() < 0:
        raise WebError(f"{layout.pages} pages are too few for {len(topics)} topics of articles")
    return np.concatenate([
        [languages, round(section.mains * scale), section.links, section.shared, section.common,
         len(topics)], topics, starts, ordinary,
    ]).astype(np.float64)  # fmt: skip
