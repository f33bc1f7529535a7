"""The trees of pages and of hosts, in which a hash chooses the parent of each member."""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import compiled

from .kernels import unit

BLOCK = 8
"""The size of a block of parents in a tree: each child of a block chooses one of its members."""

_TREE = 1
"""The stream of the hashes by which pages and hosts choose their parents."""


@compiled
def tree_parent(key: np.uint64, child: int, block: int) -> int:
    """Return the parent of ``child`` (from 1 on), a number below it; ``block`` as in `deeper`."""
    first = (child - 1) // block * BLOCK
    choices = min(BLOCK, child - first) if first > 0 else 1 + (child - 1) * BLOCK // block
    return first + int(unit(key, _TREE, child, 0) * choices)


@compiled
def tree_level(key: np.uint64, member: int, block: int) -> int:
    """Return the number of ancestors of a member of a tree."""
    level = 0
    while member > 0:
        member = tree_parent(key, member, block)
        level += 1
    return level


@compiled
def _first_child(member: int, block: int) -> int:
    """Return a lower bound of a member's children; it grows with the member."""
    first = member // BLOCK * block + 1
    if member < BLOCK:  # in the first block, later children choose among more members
        first = 1 + (member * block + BLOCK - 1) // BLOCK
    return max(member + 1, first)


@compiled
def _reach(member: int, members: int, block: int, enough: int) -> int:
    """Return the greatest possible number of generations below a member, at most ``enough``.

    Parameters
    ----------
    member, members : int
        The member, and the number of members of the tree.
    block : int
        The number of children of a block.
    enough : int
        Where the count ends.
    """
    generations = 0
    while generations < enough:
        member = _first_child(member, block)
        if member >= members:
            break
        generations += 1
    return generations


@compiled
def deeper(key: np.uint64, members: int, block: int, depth: int) -> bool:
    """Return whether the greatest level of a tree is above a depth.

    The search goes down from the root, the first child first, and only to members below which there
    can be enough generations. Higher numbers have room for fewer generations, so that the first
    child without enough room ends the search of a block. So a deep tree is recognized at once, and
    in another tree the search visits few members.

    Parameters
    ----------
    key : uint64
        The key of the tree.
    members : int
        The number of members.
    block : int
        The number of children of a block.
    depth : int
        The depth.
    """
    path = np.zeros(depth + 1, dtype=np.int64)
    next_child = np.zeros(depth + 1, dtype=np.int64)
    level = 0
    next_child[0] = _first_child(0, block)
    while level >= 0:
        parent, child = path[level], next_child[level]
        last = min(members, (parent // BLOCK + 1) * block + 1)
        below = depth - level  # generations that a child needs to have
        if child >= last or _reach(child, members, block, below) < below:
            level -= 1
            continue
        next_child[level] = child + 1
        if tree_parent(key, child, block) != parent:
            continue
        if below == 0:
            return True
        level += 1
        path[level] = child
        next_child[level] = _first_child(child, block)
    return False


def block_for_depth(pages: int, depth: int, key: np.uint64) -> int:
    """Return the least number of children of a block for which no page is below a depth."""
    block = BLOCK + 1
    while block < BLOCK * pages and deeper(key, pages, block, depth):
        block = block + max(1, block // 8)
    return block
