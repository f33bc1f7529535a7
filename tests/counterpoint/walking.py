"""Specs for walks and scenarios, and a walk through a pipe."""

from __future__ import annotations

import io

import pytest

from .test_command_line import call

COUNTER = '''\
from counterpoint import *

class Counter(Spec):
    """Processes add one to a shared counter; reading and writing are two steps."""
    processes = Index(2, names="p", labels="P")
    counter = Integer(0, 2)
    copy = Array(processes, Integer(0, 2))
    step = Array(processes, Integer(0, 2))

    @action
    def read(s, p):
        require(s.step[p] == 0)
        s.copy[p], s.step[p] = s.counter, 1

    @action
    def write(s, p):
        require(s.step[p] == 1)
        s.counter, s.step[p] = s.copy[p] + 1, 2

    @invariant
    def nothing_is_lost(s):
        return implies(every(s.step[p] == 2 for p in s.processes), s.counter == len(s.processes))

    @sometimes
    def done(s):
        return every(s.step[p] == 2 for p in s.processes)

    @finished
    def all_have_written(s):
        return every(s.step[p] == 2 for p in s.processes)
'''

QUORUM = '''\
from counterpoint import *

class Quorum(Spec):
    """Votes on their way, and a quorum that is chosen."""
    nodes = Index(3, names="n", labels="A B C")
    net = Messages(vote=dict(by=nodes, on=Integer(3, 4)), stop=dict())
    ready = Set(nodes)
    level = Integer(0, 2, initially=ANY)

    @action
    def send(s, n, v=choose(Integer(3, 4))):
        s.net.vote.send(by=n, on=v)

    @action
    def hear(s, m=choose(net)):
        s.net.receive(m)

    @action
    def elect(s, q=some_subset(nodes), how=choose("with all", "some; not all", "a=b")):
        require(s.ready.empty)
        for n in s.nodes:
            if n in q:
                s.ready.add(n)

    @action
    def back(s):
        s.level = s.level + 1

    @transition
    def level_rises_alone(s, after):
        return (s.level == after.level) | (s.ready.size == after.ready.size)
'''


def walk(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    lines: str,
    *arguments: str,
) -> tuple[int, str, str]:
    """Run ``counterpoint step`` with lines on standard input; return code, output and errors."""
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    return call(capsys, "step", *arguments)
