"""Specs as a stranger writes them: rings, registers and long counters, some without an index."""

from __future__ import annotations

from counterpoint.spec.notation import (
    ANY,
    Array,
    Boolean,
    Choice,
    Index,
    Integer,
    Number,
    Spec,
    action,
    count,
    every,
    implies,
    initially,
    invariant,
    no,
    require,
    sometimes,
)


class TokenRing(Spec):
    """A token goes round; only its holder may work. A lost token is made again."""

    stations = Index(4, names="i", labels="S", at_least=2)
    maker = Choice("first", "anyone", help="who may make a lost token again")

    token = Array(stations, Boolean(), initially=ANY)
    wants = Array(stations, Boolean())
    works = Array(stations, Boolean())
    doubts = Array(stations, Boolean())

    @initially
    def the_first_has_it(s):
        """Give the token to the first station."""
        return every(s.token[i] == (i == 0) for i in s.stations)

    @action
    def want(s, i):
        """Ask for a turn."""
        require(no(s.wants[i]), no(s.works[i]))
        s.wants[i] = True

    @action
    def listen(s, i):
        """Listen to the ring; nothing changes."""
        require(no(s.works[i]))

    @action
    def work(s, i):
        """Begin to work, with the token."""
        require(s.token[i], s.wants[i])
        s.wants[i], s.works[i] = False, True

    @action
    def stop(s, i):
        """Stop working."""
        require(s.works[i])
        s.works[i] = False

    @action
    def give(s, i):
        """Pass the token on."""
        require(s.token[i], no(s.works[i]))
        s.token[i] = False
        s.token[(i + 1) % len(s.stations)] = True

    @action
    def lose(s, i):
        """Lose the token."""
        require(s.token[i], no(s.works[i]))
        s.token[i] = False

    @action
    def doubt(s, i):
        """See that no token is there."""
        require(every(no(s.token[j]) for j in s.stations), no(s.doubts[i]))
        s.doubts[i] = True

    @action
    def make(s, i):
        """Make a new token."""
        require(s.doubts[i], (i == 0) | (s.maker == "anyone"))
        s.token[i], s.doubts[i] = True, False

    @invariant
    def one_works(s):
        """At most one station works."""
        return count(s.works[i] for i in s.stations) <= 1


class AlternatingBit(Spec):
    """Messages with one bit over channels that lose and repeat; no index at all."""

    acknowledges = Choice("new", "any", help="which acknowledgements move the sender on")

    sent = Integer(0, 3)
    received = Integer(0, 4)
    message = Integer(-1, 1, initially=-1)
    reply = Integer(-1, 1, initially=-1)

    @action
    def send(s):
        """Put the present message on the channel, again and again."""
        s.message = s.sent % 2

    @action
    def lose_message(s):
        """Lose it."""
        s.message = -1

    @action
    def lose_reply(s):
        """Lose it."""
        s.reply = -1

    @action
    def deliver(s):
        """Take a message that has the expected bit; acknowledge any."""
        require(s.message >= 0)
        s.reply = s.message
        if (s.message == s.received % 2) & (s.received < 4):
            s.received += 1

    @action
    def confirm(s):
        """Take an acknowledgement; go on if it is the right one."""
        require(s.reply >= 0)
        if ((s.reply == s.sent % 2) | (s.acknowledges == "any")) & (s.sent < 3):
            s.sent += 1
        s.reply = -1

    @invariant
    def nothing_is_skipped(s):
        """What was sent and what was received differ by one at most."""
        return (s.received <= s.sent + 1) & (s.sent <= s.received)


class Combination(Spec):
    """A lock with wheels: each wrong key begins again, so that only one order opens it."""

    keys = Index(3, names="k", labels="K")
    length = Number(5, at_least=1)

    right = Integer(0, lambda s: s.length)

    @action
    def press(s, k):
        """Press a key: the next of 0, 1, 2, 0, 1, 2 ... or the lock begins again."""
        s.right = s.right + 1 if (k == s.right % 3) & (s.right < s.length) else 0

    @invariant
    def it_stays_shut(s):
        """Nobody finds the order."""
        return s.right < s.length


class Odometer(Spec):
    """A counter that only long runs bring to its end, with a rare reset."""

    last = Number(60, at_least=1)

    value = Integer(0, lambda s: s.last)
    armed = Boolean()

    @action
    def add(s):
        """Add one."""
        require(s.value < s.last)
        s.value += 1

    @action
    def arm(s):
        """Make the reset ready, or take that back."""
        s.armed = no(s.armed)

    @action
    def reset(s):
        """Begin again, at the half at the earliest."""
        require(s.armed, s.value > s.last // 2)
        s.value, s.armed = 0, False

    @sometimes
    def the_end(s):
        """The end is reached."""
        return s.value == s.last


class Cache(Spec):
    """Caches that invalidate each other: modified, shared or invalid lines."""

    caches = Index(3, names="c", labels="C")
    writes = Choice("invalidate", "quietly", help="whether a write of a shared line tells others")

    state = Array(caches, Integer(0, 2))
    dirty = Array(caches, Boolean())

    @action
    def hit(s, c):
        """Read what is there; nothing changes."""
        require(s.state[c] > 0)

    @action
    def load(s, c):
        """Read from memory; a modified line elsewhere becomes shared."""
        require(s.state[c] == 0)
        for d in s.caches:
            if s.state[d] == 2:
                s.state[d], s.dirty[d] = 1, False
        s.state[c] = 1

    @action
    def store(s, c):
        """Write; the line is modified here and invalid elsewhere."""
        if (s.writes == "invalidate") | (s.state[c] == 0):
            for d in s.caches:
                s.state[d], s.dirty[d] = 0, False
        s.state[c], s.dirty[c] = 2, True

    @action
    def evict(s, c):
        """Drop a line."""
        require(s.state[c] > 0)
        s.state[c], s.dirty[c] = 0, False

    @invariant
    def one_writer(s):
        """A modified line is the only one."""
        return every(
            implies(s.state[c] == 2, every(s.state[d] == 0 for d in s.caches if d != c))
            for c in s.caches
        )


class Election(Spec):
    """Candidates gather votes in terms; a voter may forget its vote when it restarts."""

    voters = Index(3, names="v w", labels="V")
    disk = Choice("kept", "lost", help="whether a vote survives a restart")

    term = Array(voters, Integer(0, 2))
    vote = Array(voters, Integer(-1, 2), initially=-1)
    votes = Array((voters, voters), Boolean())
    leads = Array(voters, Boolean())

    @action
    def stand(s, v):
        """Begin a term and vote for oneself."""
        require(s.term[v] < 2, no(s.leads[v]))
        s.term[v] += 1
        s.vote[v] = v
        for w in s.voters:
            s.votes[v, w] = w == v

    @action
    def ask(s, v, w):
        """Ask for a vote of one who has none in this term."""
        require(v != w, s.vote[v] == v, s.term[v] >= s.term[w])
        if s.term[v] > s.term[w]:
            s.term[w], s.vote[w], s.leads[w] = s.term[v], -1, False
        if s.vote[w] == -1:
            s.vote[w] = v
        if s.vote[w] == v:
            s.votes[v, w] = True

    @action
    def lead(s, v):
        """Lead with a majority."""
        require(s.vote[v] == v, count(s.votes[v, w] for w in s.voters) >= 2)
        s.leads[v] = True

    @action
    def restart(s, w):
        """Start again."""
        s.leads[w] = False
        if s.disk == "lost":
            s.vote[w] = -1

    @invariant
    def one_leader_of_a_term(s):
        """Two never lead in one term."""
        return every(
            implies(s.leads[v] & s.leads[w], s.term[v] != s.term[w])
            for v in s.voters
            for w in s.voters
            if v != w
        )

    @invariant
    def terms_are_few(s):
        """No term is beyond the second."""
        return every(s.term[v] <= 2 for v in s.voters)
