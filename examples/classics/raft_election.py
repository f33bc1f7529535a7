"""Raft's election of a leader: one leader in each term, whatever messages are lost.

A server that waits too long begins a new term and asks all for their votes. A server votes once in
a term, and not for one whose log is behind its own. By Diego Ongaro and John Ousterhout, "In search
of an understandable consensus algorithm" (2014); after their TLA+ module raft, which is not a part
of tlaplus/Examples. Logs do not change here: the first servers have a shorter log than the others.

    counterpoint check raft_election.py
    counterpoint check raft_election.py --set votes=forgotten
"""

from enum import IntEnum

from counterpoint import (
    Array,
    Choice,
    Index,
    Integer,
    Member,
    Messages,
    Number,
    Reference,
    Set,
    Spec,
    action,
    choose,
    every,
    implies,
    invariant,
    no,
    require,
    sometimes,
)


class Role(IntEnum):
    """What a server is."""

    FOLLOWER, CANDIDATE, LEADER = range(3)


class Nobody(IntEnum):
    """A server has not voted in its term."""

    NONE = -1


class RaftElection(Spec):
    """Messages are never removed: they may arrive late, again, or never."""

    servers = Index(3, names="i j", labels="S")
    terms = Number(2, at_least=1, at_most=4)
    votes = Choice("kept", "forgotten", help="whether a server that restarts knows its vote")
    behind = Number(1, at_least=0, at_most=16, help="how many servers have the shorter log")
    term = Array(servers, Integer(0, lambda s: s.terms))
    role = Array(servers, Member(Role))
    voted_for = Array(servers, Reference(servers, Nobody))
    granted = Array(servers, Set(servers))
    net = Messages(
        ask=dict(by=servers, term=Integer(1, lambda s: s.terms)),
        grant=dict(by=servers, to=servers, term=Integer(1, lambda s: s.terms)),
    )

    @action
    def time_out(s, i):
        """Begin a new term, vote for itself and ask the others."""
        require(s.role[i] != Role.LEADER, s.term[i] < s.terms)
        s.term[i] = s.term[i] + 1
        s.role[i] = Role.CANDIDATE
        s.voted_for[i] = i
        s.granted[i] = {i}
        s.net.ask.send(by=i, term=s.term[i])

    def is_up_to_date(s, i, j):
        """Whether the log of i is at least as long as that of j."""
        return (i >= s.behind) or (j < s.behind)

    def step_down(s, i, term):
        """Follow a greater term."""
        if s.term[i] < term:
            s.term[i] = term
            s.role[i] = Role.FOLLOWER
            s.voted_for[i] = Nobody.NONE
            s.granted[i].clear()

    @action
    def vote(s, j, m=choose(net.ask)):
        """Hear a candidate, and vote for it if this is its first vote in the term."""
        require(m.by != j, s.net.has(m), m.term >= s.term[j])
        s.step_down(j, m.term)
        require(s.is_up_to_date(m.by, j))
        require((s.voted_for[j] == Nobody.NONE) | (s.voted_for[j] == m.by))
        s.voted_for[j] = m.by
        s.net.grant.send(by=j, to=m.by, term=m.term)

    @action
    def see_term(s, j, m=choose(net.ask)):
        """Hear of a greater term, and vote for nobody."""
        require(s.net.has(m), m.term > s.term[j])
        s.step_down(j, m.term)

    @action
    def hear_vote(s, m=choose(net.grant)):
        """A candidate counts a vote of its term."""
        require(s.net.has(m), s.role[m.to] == Role.CANDIDATE, s.term[m.to] == m.term)
        s.granted[m.to].add(m.by)

    @action
    def restart(s, i):
        """Lose what is not on disk."""
        s.role[i] = Role.FOLLOWER
        s.granted[i].clear()
        if s.votes == "forgotten":
            s.voted_for[i] = Nobody.NONE

    @action
    def win(s, i):
        """Become the leader with the votes of a majority."""
        require(s.role[i] == Role.CANDIDATE, 2 * s.granted[i].size > len(s.servers))
        s.role[i] = Role.LEADER

    @invariant
    def one_leader_in_a_term(s):
        """No two servers are leaders of the same term."""
        return no(
            (s.role[i] == Role.LEADER) & (s.role[j] == Role.LEADER) & (s.term[i] == s.term[j])
            for i in s.servers
            for j in s.servers
            if i < j
        )

    @invariant
    def a_leader_is_up_to_date(s):
        """Where most have the longer log, no leader has the shorter one."""
        return every(
            implies(s.role[i] == Role.LEADER, i >= s.behind or 2 * s.behind > len(s.servers))
            for i in s.servers
        )

    @sometimes
    def there_is_a_leader(s):
        """A server can win."""
        return s.role[len(s.servers) - 1] == Role.LEADER
