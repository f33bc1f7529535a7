"""What is changed in a file: bytes, elements of arrays, the directory, the lists of links.

A mutation gets an original, a draft of it, and a source of chance; it changes the draft.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import zstandard

from counterpoint.graph.storage.codebook import CLASSES

from .drafts import Draft
from .numbers_of_lists import LARGEST, Numbers, with_count, with_first, with_gaps
from .originals import Original

Mutation = Callable[[Original, Draft, random.Random], None]

LARGE = [2**k + d for k in (7, 15, 20, 31, 32, 33, 34, 47, 62, 63, 64) for d in (-2, -1, 0, 1)]


def _number(chance: random.Random, near: int, most: int) -> int:
    """Return a number from 0 to ``most``: near another one, of a size that overflows, or any."""
    drawn = chance.randrange(6)
    if drawn < 2:
        number = near + chance.choice((-65, -64, -2, -1, 1, 2, 63, 64))
    elif drawn == 2:
        number = chance.choice((0, 1, near // 2, 2 * near))
    elif drawn == 3:
        number = chance.choice(LARGE)
    else:
        number = chance.getrandbits(chance.randrange(1, 65))
    return min(max(number, 0), most)


def _changed_bytes(original: Original, draft: Draft, chance: random.Random) -> None:
    """Change some bytes of an array."""
    name = chance.choice(list(draft.arrays))
    kind, data = draft.arrays[name]
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8, 64)) if data else 0):
        at = chance.randrange(len(changed))
        changed[at] = chance.choice((0, 255, changed[at] ^ 1 << chance.randrange(8),
                                     chance.randrange(256)))  # fmt: skip
    draft.arrays[name] = kind, bytes(changed)


def _changed_element(original: Original, draft: Draft, chance: random.Random) -> None:
    """Replace an element of an array by a number that suits its type."""
    name = chance.choice([name for name in draft.arrays if not name.endswith((".data", ".words"))])
    kind, data = draft.arrays[name]
    elements = np.frombuffer(data, kind).copy()
    if len(elements):
        at = chance.randrange(len(elements))
        elements[at] = _number(chance, int(elements[at]), int(np.iinfo(kind).max))
        draft.arrays[name] = kind, elements.tobytes()


def _other_size(original: Original, draft: Draft, chance: random.Random) -> None:
    """Shorten or lengthen an array, in the file and in the directory."""
    name = chance.choice(list(draft.arrays))
    kind, data = draft.arrays[name]
    size = np.dtype(kind).itemsize
    if chance.random() < 0.6:
        data = data[: size * chance.randrange(len(data) // size + 1)]
    else:
        data += chance.randbytes(size * chance.choice((1, 2, 41, 300)))
    draft.arrays[name] = kind, data


def _exchanged(original: Original, draft: Draft, chance: random.Random) -> None:
    """Exchange the contents of two arrays of a kind."""
    name = chance.choice(list(draft.arrays))
    same = [other for other in draft.arrays if draft.arrays[other][0] == draft.arrays[name][0]]
    other = chance.choice(same)
    draft.arrays[name], draft.arrays[other] = draft.arrays[other], draft.arrays[name]


def _lost(original: Original, draft: Draft, chance: random.Random) -> None:
    """Leave an array out."""
    del draft.arrays[chance.choice(list(draft.arrays))]


VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1, 0.5, 1e308, "7", "", [], {}, [1], {"links": 1}, -(2**63), 2**64, 10**30,
    float("nan"), float("inf"), "<u4", "<u8", "O", "V0", "<f8", "u1", "<U9", "m8", "S0", "\ud800",
)  # fmt: skip


def _value(chance: random.Random, old: Any) -> Any:
    if isinstance(old, int) and chance.random() < 0.7:
        return _number(chance, old, 2**64) * chance.choice((1, 1, 1, -1))
    return chance.choice(VALUES)


def _changed_facts(original: Original, draft: Draft, chance: random.Random) -> None:
    """Replace, remove or add a fact."""
    facts = draft.facts
    if chance.random() < 0.6:
        facts = facts.get(chance.choice(("out", "into")), facts)
    if not isinstance(facts, dict) or not facts:
        return
    name = chance.choice(list(facts))
    if chance.random() < 0.1:
        del facts[name]
    else:
        facts[name] = _value(chance, facts[name])


def _changed_entry(original: Original, draft: Draft, chance: random.Random) -> None:
    """Change what the directory says about an array."""
    which, key = chance.random(), chance.choice(("name", "kind", "at", "length"))
    drawn = chance.randrange(10)
    seed = chance.getrandbits(64)

    def change(document: Any) -> Any:
        entries = document["arrays"]
        if not isinstance(entries, list) or len(entries) < 2:
            return document
        entry = dict(entries[int(which * len(entries))])
        entries[int(which * len(entries))] = entry
        if drawn == 0:
            entry.pop(key, None)
        elif drawn == 1:
            entries.append(dict(entry))
        else:
            entry[key] = _value(random.Random(seed), entry.get(key))
        return document

    draft.document.append(change)


def _other_directory(original: Original, draft: Draft, chance: random.Random) -> None:
    """Replace a part of the directory, or its text."""
    drawn, value, at = chance.randrange(8), chance.choice(VALUES), chance.random()
    byte = chance.randrange(256)
    if drawn < 3:
        changed = ({"arrays": value}, {"facts": value}, {"arrays": value, "facts": value})[drawn]
        draft.document.append(lambda document: {**document, **changed})
    elif drawn == 3:
        draft.text.append(lambda text: json.dumps(value).encode() if at < 0.5 else b"[" * 20_000)
    elif drawn == 4:
        draft.text.append(lambda text: text.replace(b"64", b"9" * 5000, 1))
    elif drawn == 5:
        draft.text.append(lambda text: text[: int(at * len(text))])
    else:

        def change(text: bytes) -> bytes:
            place = int(at * len(text))
            return text[:place] + bytes([byte]) + text[place + 1 :]

        draft.text.append(change)


def _other_sums(original: Original, draft: Draft, chance: random.Random) -> None:
    """Change the number of checksums."""
    drawn = chance.choice((b"", b"\0", bytes(4), bytes(4000)))
    draft.sums.append(lambda sums: drawn if drawn in (b"", bytes(4)) else sums + drawn)


def _other_head(original: Original, draft: Draft, chance: random.Random) -> None:
    """Change a field of the head."""
    place, seed = chance.choice((0, 2, 3, 4)), chance.getrandbits(64)

    def change(fields: list[int]) -> list[int]:
        found = random.Random(seed)
        fields[place] = _number(found, fields[place], 2**32 - 1 if place == 0 else 2**64 - 1)
        if place in (2, 3) and found.random() < 0.5:  # both still add up to the file's size
            fields[5 - place] = min(max(fields[4] - fields[place], 0), 2**64 - 1)
        return fields

    draft.head.append(change)


def _other_codes(original: Original, draft: Draft, chance: random.Random) -> None:
    """Permute the lengths of the words of a kind, which gives another valid code."""
    name = chance.choice(("out.lengths", "into.lengths"))
    if name not in draft.arrays:
        return
    kind, data = draft.arrays[name]
    lengths = np.frombuffer(data, kind).copy()
    for _ in range(chance.choice((1, 3, 41))):
        row = chance.randrange(max(1, len(lengths) // CLASSES))
        part = lengths[row * CLASSES : (row + 1) * CLASSES]
        lengths[row * CLASSES : (row + 1) * CLASSES] = chance.sample(part.tolist(), len(part))
    draft.arrays[name] = kind, lengths.tobytes()


def _random_words(original: Original, draft: Draft, chance: random.Random) -> None:
    """Replace many words by random ones, so that valid codes give any numbers."""
    name = chance.choice(("out.words", "into.words"))
    if name in draft.arrays:
        kind, data = draft.arrays[name]
        low = chance.randrange(len(data) + 1)
        high = chance.randrange(low, len(data) + 1)
        draft.arrays[name] = kind, data[:low] + chance.randbytes(high - low) + data[high:]


def _changed_lists(original: Original, draft: Draft, chance: random.Random) -> None:
    """Change numbers of some lists, and write all lists again."""
    direction = chance.choice(("out", "into"))
    lists = list(original.lists[direction])
    if not lists:
        return
    for _ in range(chance.choice((1, 1, 2, 5))):
        page = chance.choice((chance.randrange(len(lists)), 1, len(lists) - 1))
        lists[page % len(lists)] = _changed_list(lists[page % len(lists)], len(lists), chance)
    words, starts = original.encoders[direction].written(lists)
    for name, data in (("words", words), ("starts", starts)):
        if f"{direction}.{name}" in draft.arrays:
            draft.arrays[f"{direction}.{name}"] = "<u8", data
    facts = draft.facts.get(direction)
    if chance.random() < 0.6 and isinstance(facts, dict):
        counts = [sum(one.counts) for one in lists]
        widths = [sum(counts[at : at + 64]) for at in range(0, len(counts), 64)]
        facts |= {"links": sum(counts), "longest": max(counts), "widest": max(widths)}


def _changed_list(one: Numbers, pages: int, chance: random.Random) -> Numbers:
    part, drawn = chance.randrange(2), chance.randrange(7)
    gaps = one.gaps[part]
    if drawn == 0:
        return with_count(one, part, _number(chance, one.counts[part], LARGEST))
    if drawn == 1:
        return with_first(one, part, _number(chance, 2 * pages, LARGEST))
    if drawn == 2:
        one = one if sum(one.counts) >= 32 else with_gaps(one, part, (0,) * 40, True)
        return Numbers(one.counts, one.firsts, one.gaps, _number(chance, 300, LARGEST))
    if drawn == 3 and gaps:
        at = chance.randrange(len(gaps))
        changed = (*gaps[:at], _number(chance, pages, LARGEST), *gaps[at + 1 :])
        return with_gaps(one, part, changed, False)
    if drawn == 4:
        return with_gaps(one, part, gaps + (0,) * chance.randrange(pages), True)
    if drawn == 5:
        return with_gaps(one, part, gaps[: chance.randrange(len(gaps) + 1)], False)
    return with_gaps(one, part, (*gaps, _number(chance, pages, LARGEST)), True)


def _changed_texts(original: Original, draft: Draft, chance: random.Random) -> None:
    """Write a block of a dictionary again, with other texts or as another frame."""
    kind = chance.choice(("pages", "names"))
    if not {f"{kind}.data", f"{kind}.starts"} <= set(draft.arrays):
        return
    data = draft.arrays[f"{kind}.data"][1]
    starts = np.frombuffer(draft.arrays[f"{kind}.starts"][1], "<u8").copy()
    if len(starts) < 2:
        return
    block = chance.randrange(len(starts) - 1)
    low, high = int(starts[block]), int(starts[block + 1])
    try:
        text = bytearray(zstandard.ZstdDecompressor().decompress(data[low:high]))
    except zstandard.ZstdError:
        return
    drawn = chance.randrange(7)
    if drawn == 0:
        text = bytearray(b"\xff\n") * chance.choice((1, 200, 100_000))
    elif drawn == 1:
        text = bytearray(1 << 26)
    elif drawn == 2:
        text = text[: chance.randrange(len(text) + 1)]
    elif text:
        text[chance.randrange(len(text))] = chance.choice((0, 10, 27, 255))
    sized = drawn != 6
    frame = zstandard.ZstdCompressor(write_content_size=sized).compress(bytes(text))
    more = len(frame) - (high - low)
    starts[block + 1 :] += np.uint64(more % 2**64)  # another mutation may have made them huge
    draft.arrays[f"{kind}.data"] = "u1", data[:low] + frame + data[high:]
    draft.arrays[f"{kind}.starts"] = "<u8", starts.tobytes()


MUTATIONS: dict[Mutation, int] = {
    _changed_lists: 40, _random_words: 10, _other_codes: 6, _changed_element: 12,
    _changed_bytes: 12, _other_size: 5, _exchanged: 2, _lost: 1, _changed_facts: 8,
    _changed_entry: 5, _other_directory: 2, _other_sums: 1, _other_head: 2, _changed_texts: 4,
}  # fmt: skip
"""All mutations, and how often each is drawn."""


def crafted(originals: list[Original], seed: int, number: int) -> bytes:
    """Return a crafted file.

    Parameters
    ----------
    originals : list of Original
    seed, number : int
        The same numbers give the same file.
    """
    chance = random.Random(f"{seed}/{number}")
    original = chance.choice(originals)
    draft = original.draft.copy()
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        (mutation,) = chance.choices(list(MUTATIONS), list(MUTATIONS.values()))
        if draft.arrays:
            mutation(original, draft, chance)
    return draft.written()
