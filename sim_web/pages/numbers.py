"""The content of a page as numbers: one compiled call does all hashing that rendering needs.

`drawn` returns one flat array. It begins with `HEAD` numbers: the version, the kind of frames, the
number of paragraphs, the number of bad links, a hash for all other choices, the second of the last
change, the page. The indices of the paragraphs follow, then `FIELDS` numbers for each link on the
page, copies included: target, host, way (the pattern of its address), code, alias, manner (bits
below), theme of the anchor (-1: none).
"""

from __future__ import annotations

import math

import numpy as np

from counterpoint.compiling import Array, compiled
from counterpoint.sim_web.generator.adjacency import out_links
from counterpoint.sim_web.generator.degrees import copies
from counterpoint.sim_web.generator.kernels import hashed, permuted, unit, unpermuted
from counterpoint.sim_web.generator.layout import host_of_page, region_of_page
from counterpoint.sim_web.generator.numbers import Numbers
from counterpoint.sim_web.generator.packing import unpacked
from counterpoint.sim_web.generator.subjects import SECTIONS, relevant, theme_of

from .change import time_of, version_at

HEAD, FIELDS = 7, 7
VERSION, FRAMES, PARAGRAPHS, BAD_LINKS, HASH, MODIFIED, PAGE = range(HEAD)
TARGET, HOST, WAY, CODE, ALIAS, MANNER, THEME = range(FIELDS)

NO_FRAMES, FRAMESET, IFRAME = range(3)
RELATIVE, ABSOLUTE, NOFOLLOW = 1, 2, 4
"""The bits of a link's manner; the number of its anchor is above them."""
ANCHOR = 8

FORMS, WORDS, FOLDERS, PARTS = 4, 40, 24, 4
"""The numbers of forms of addresses, of words and folders in them, and of folders that robots.txt
may forbid."""
ALL_FOLDERS = FOLDERS + PARTS
START = FORMS * ALL_FOLDERS * WORDS
"""The way of a start page's address."""
REDIRECTS = START + 1
"""The way of the address of a page's last redirect; earlier redirects have the following ways."""
MOST_REDIRECTS = 6
ALIASES = 8
GENERAL, OF_THEME = 256, 32
"""The numbers of paragraphs in the table of a language, and in that of a theme."""

(_WAY, _FORBIDS, _PART, _LINK, _FRAMES, _LENGTH, _TEXT, _BAD, _FAULT, _DUPLICATES, _CODES, _HOPS,
 _SEED) = ((1 << 56) + 100 + k for k in range(13))  # fmt: skip

(RELATIVE_SHARE, NOFOLLOW_SHARE, ALIAS_SHARE, FRAME_SHARE, BAD_MEAN, FORBIDDING, FORBIDDEN,
 REDIRECTING, DUPLICATES, BASED, CANONICALS, THEMED) = range(12)  # fmt: skip
"""Indices of the array of chances; the cumulative shares of the faults of pages follow."""


@compiled
def part_of(key: np.uint64, chances: Array, host: int) -> int:
    """Return the number of the folder that a host forbids; -1: none."""
    u = unit(key, _FORBIDS, host, 0)
    if u >= chances[FORBIDDING]:
        return -1
    return int(u / chances[FORBIDDING] * PARTS)


@compiled
def way_of(key: np.uint64, chances: Array, host: int, code: int) -> int:
    """Return the way of a page, the pattern of its address.

    Parameters
    ----------
    key, chances
        As in `Plan`.
    host, code : int
        The page's host and its code.
    """
    if code == 0:
        return START
    bits = int(np.int64(hashed(key, _WAY, host, code) >> np.uint64(2)))
    form, word, folder = bits % FORMS, (bits >> 8) % WORDS, (bits >> 20) % FOLDERS
    part = part_of(key, chances, host)
    if part >= 0 and unit(key, _PART, host, code) < chances[FORBIDDEN]:
        folder = FOLDERS + part
    return int((form * ALL_FOLDERS + folder) * WORDS + word)


@compiled
def code_of(key: np.uint64, host: int, local: int, pages: int) -> int:
    """Return a page's code: its index in its host, permuted with a key; 0 for the start page.

    Parameters
    ----------
    key : uint64
    host : int
    local : int
        The index of the page in its host.
    pages : int
        The number of pages of the host.
    """
    if local == 0:
        return 0
    return 1 + permuted(hashed(key, _CODES, host, 0), local - 1, pages - 1)


@compiled
def local_of(key: np.uint64, host: int, code: int, pages: int) -> int:
    """Return the index of the page with a code in its host; -1 if there is none."""
    if code == 0:
        return 0
    if code >= pages:
        return -1
    return 1 + unpermuted(hashed(key, _CODES, host, 0), code - 1, pages - 1)


@compiled
def located(key: np.uint64, chances: Array, host: int, pages: int, code: int) -> tuple[int, int]:
    """Return the index in its host of the page with a code, and its way; -1 if there is none.

    The arguments are as in `code_of`; ``chances`` is as in `Plan`.
    """
    local = local_of(key, host, code, pages)
    return local, way_of(key, chances, host, code) if local >= 0 else -1


@compiled
def fault_of(key: np.uint64, chances: Array, page: int) -> int:
    """Return a page's fault, an index of `faults.OF_PAGES`; -1: none."""
    u = unit(key, _FAULT, page, 0)
    shares = chances[THEMED + 1 :]
    if u >= shares[-1]:
        return -1
    for number in range(len(shares)):
        if u < shares[number]:
            return number
    return -1


@compiled
def hops_of(key: np.uint64, chances: Array, page: int) -> int:
    """Return the number of redirects before a page that is not a start page."""
    fault = fault_of(key, chances, page)
    if fault == 0:
        return 1
    if fault == 1:
        return 2 + int(unit(key, _HOPS, page, 0) * (MOST_REDIRECTS - 1))
    return 0


@compiled
def _placed(numbers: Numbers, page: int) -> tuple[int, int, int, int, int]:
    region = region_of_page(numbers.regions, page)
    rank, start, end = host_of_page(numbers.regions, numbers.reals, numbers.bounds, region, page)
    return region, rank, numbers.regions[region, 2] + rank, start, end - start


@compiled
def place_of(whole: Array, real: Array, chances: Array, page: int) -> tuple[int, int, int]:
    """Return the host, the code and the way of a page; the arrays are as in `Plan`."""
    numbers = unpacked(whole, real)
    _, _, host, start, pages = _placed(numbers, page)
    code = code_of(numbers.key, host, page - start, pages)
    return host, code, way_of(numbers.key, chances, host, code)


@compiled
def places_of(
    key: np.uint64, chances: Array, host: int, first: int, last: int, pages: int
) -> Array:
    """Return the codes and the ways of the pages ``first`` to ``last - 1`` of a host.

    Returns
    -------
    int64, shape (2, last - first)
    """
    found = np.empty((2, last - first), dtype=np.int64)
    for local in range(first, last):
        code = code_of(key, host, local, pages)
        found[0, local - first] = code
        found[1, local - first] = way_of(key, chances, host, code)
    return found


@compiled
def _alias(numbers: Numbers, chances: Array, host: int, bits: int) -> int:
    """Return the number of the alias that a link names; 0: the page's own address.

    Parameters
    ----------
    numbers, chances
        The parameters of the web.
    host : int
        The host of the target.
    bits : int
        Random bits.
    """
    if unit(numbers.key, _DUPLICATES, host, 0) < chances[DUPLICATES] and bits & 1:
        return int(1 + (bits >> 1) % ALIASES)
    if (bits >> 8) % 4096 < chances[ALIAS_SHARE] * 4096:
        return int(1 + (bits >> 1) % 2)
    return 0


@compiled
def _manner(chances: Array, bits: int, inside: bool) -> int:
    """Return the manner of a link; ``inside`` says whether it stays within its host."""
    manner = ((bits >> 40) % 4096) * ANCHOR
    if (bits >> 20) % 4096 < chances[NOFOLLOW_SHARE] * 4096:
        manner += NOFOLLOW
    if inside and (bits >> 32) % 256 < chances[RELATIVE_SHARE] * 256:
        manner += RELATIVE
    elif not inside or (bits >> 54) % 8 == 0:
        manner += ABSOLUTE
    return manner


@compiled
def _put(
    numbers: Numbers, chances: Array, page: int, host: int, start: int, pages: int, own: int,
    position: int, target: int, found: Array, at: int,
) -> int:  # fmt: skip
    """Write the numbers of a link, once for each of its copies.

    Parameters
    ----------
    numbers, chances
        The parameters of the web.
    page, host, start, pages, own : int
        The linking page, its host, the host's first page, the number of its pages, its theme.
    position, target : int
        The position of the link in the page's list, and its target.
    found : int64
        Gets the numbers from index ``at`` on.
    at : int

    Returns
    -------
    int
        The index after the numbers.
    """
    key = numbers.key
    place, of_place = host, own
    if numbers.themes[SECTIONS] > 0 or not start <= target < start + pages:
        region, rank, place, start, pages = _placed(numbers, target)
        of_place = theme_of(numbers, region, rank, target)
    code = code_of(key, place, target - start, pages)
    way = way_of(key, chances, place, code)
    if code > 0 and chances[REDIRECTING] > 0.0:
        hops = hops_of(key, chances, target)
        if hops > 0:
            way = REDIRECTS + hops - 1
    theme = -1
    if chances[THEMED] > 0.0 and relevant(numbers, target):
        theme = of_place
    for copy in range(copies(numbers, page, position)):
        bits = np.int64(hashed(key, _LINK, page, position * 128 + copy) >> np.uint64(1))
        found[at] = target
        found[at + HOST] = place
        found[at + WAY] = way
        found[at + CODE] = code
        found[at + ALIAS] = (
            _alias(numbers, chances, place, int(bits & 0xFFFFF)) if way <= START else 0
        )
        found[at + MANNER] = _manner(chances, int(bits), place == host)
        found[at + THEME] = theme
        at += FIELDS
    return at


@compiled
def length_of(key: np.uint64, page: int, paragraphs: float) -> int:
    """Return the number of paragraphs of a page; ``paragraphs`` is the average."""
    length = -math.log(1.0 - unit(key, _LENGTH, page, 0)) * paragraphs
    return int(length + unit(key, _LENGTH, page, 1))


@compiled
def choose_paragraphs(
    key: np.uint64, page: int, version: int, number: int, themed: bool, found: Array
) -> None:
    """Choose the paragraphs of a version; each change rewrites one of them, in turn.

    Parameters
    ----------
    key : uint64
    page, version : int
    number : int
        The number of paragraphs.
    themed : bool
        Whether the page is about its theme.
    found : int64, shape (HEAD + number,) or longer
        Gets the indices of the paragraphs in the tables, from index `HEAD` on.
    """
    for k in range(number):
        revision = (version + number - 1 - k) // number
        bits = np.int64(hashed(key, _TEXT + revision * 64, page, k) >> np.uint64(1))
        if themed and bits & 1:
            found[HEAD + k] = GENERAL + (bits >> 1) % OF_THEME
        else:
            found[HEAD + k] = (bits >> 1) % GENERAL


@compiled
def _frames(key: np.uint64, chances: Array, page: int) -> int:
    u = unit(key, _FRAMES, page, 0)
    if u >= chances[FRAME_SHARE]:
        return NO_FRAMES
    return FRAMESET if u < chances[FRAME_SHARE] / 2 else IFRAME


@compiled
def frames_of_page(key: np.uint64, chances: Array, page: int) -> int:
    """Return the number of documents in the frames of a page."""
    frames = _frames(key, chances, page)
    return 2 if frames == FRAMESET else int(frames == IFRAME)


@compiled
def drawn(
    whole: Array, real: Array, chances: Array, law: Array, page: int, host: int, start: int,
    pages: int, theme: int, paragraphs: float, time: float,
) -> Array:  # fmt: skip
    """Return the content of a page at a time.

    Parameters
    ----------
    whole, real, chances, law
        As in `Plan`.
    page : int
    host, start, pages, theme : int
        The page's host: its number, its first page, the number of its pages, its theme.
    paragraphs : float
        The average number of paragraphs of the host's pages.
    time : float
        Virtual time in seconds.
    """
    numbers = unpacked(whole, real)
    key = numbers.key
    number = length_of(key, page, paragraphs)
    targets = out_links(numbers, page)
    most = HEAD + number
    for position in range(len(targets)):
        most += FIELDS * copies(numbers, page, position)
    found = np.empty(most, dtype=np.int64)
    version = version_at(key, law, page, time)
    found[VERSION], found[PAGE] = version, page
    found[MODIFIED] = int(time_of(key, law, page, version)) if version > 0 else 0
    found[FRAMES] = _frames(key, chances, page)
    found[PARAGRAPHS] = number
    found[BAD_LINKS] = int(chances[BAD_MEAN] + unit(key, _BAD, page, 0))
    found[HASH] = np.int64(hashed(key, _SEED, page, 0) >> np.uint64(1))
    choose_paragraphs(key, page, version, number, relevant(numbers, page), found)
    at = HEAD + number
    for position in range(len(targets)):
        target = targets[position]
        at = _put(numbers, chances, page, host, start, pages, theme, position, target, found, at)
    return found
