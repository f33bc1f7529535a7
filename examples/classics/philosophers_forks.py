"""Philosophers who hand clean forks to each other: nobody starves.

Each fork is held by one of its two philosophers. After a meal it is dirty; who holds a dirty fork
cleans it and gives it away, and who holds two clean ones may eat. By Mani Chandy and Jayadev
Misra (1984); module DiningPhilosophers of tlaplus/Examples, by Jeff Hemphill.

    counterpoint check philosophers_forks.py --set philosophers=5
"""

from enum import IntEnum

from counterpoint import (
    Array,
    Boolean,
    Index,
    Integer,
    Member,
    Spec,
    action,
    infinitely_often,
    invariant,
    no,
    require,
)


class At(IntEnum):
    """The next step of a philosopher."""

    LOOK, EAT, THINK = range(3)


class PhilosophersForks(Spec):
    """Fork p is to the left of philosopher p, and to the right of the one before."""

    philosophers = Index(3, names="p", labels="P", at_least=3)
    holder = Array(
        philosophers,
        Integer(0, lambda s: len(s.philosophers) - 1, initially=lambda s, p: 0 if p == 1 else p),
    )
    clean = Array(philosophers, Boolean())
    hungry = Array(philosophers, Boolean(initially=True))
    at = Array(philosophers, Member(At))

    @action(fair="weak")
    def look(s, p):
        """Give a dirty fork away, and see whether there is something to do."""
        require(s.at[p] == At.LOOK)
        n = len(s.philosophers)
        left, right = p, (p + 1) % n
        both = (s.holder[left] == p) & (s.holder[right] == p)
        can_eat = both & s.clean[left] & s.clean[right]
        if s.hungry[p] == 0:
            s.at[p] = At.THINK
        elif can_eat:
            s.at[p] = At.EAT
        if (s.holder[left] == p) & (s.clean[left] == 0):
            s.holder[left] = (p - 1) % n
            s.clean[left] = True
        elif (s.holder[right] == p) & (s.clean[right] == 0):
            s.holder[right] = (p + 1) % n
            s.clean[right] = True

    @action(fair="weak")
    def eat(s, p):
        """Eat, and make both forks dirty."""
        require(s.at[p] == At.EAT)
        s.hungry[p] = False
        s.clean[p] = False
        s.clean[(p + 1) % len(s.philosophers)] = False
        s.at[p] = At.LOOK

    @action(fair="weak")
    def think(s, p):
        """Think, and become hungry."""
        require(s.at[p] == At.THINK)
        s.hungry[p] = True
        s.at[p] = At.LOOK

    @invariant
    def neighbours_do_not_eat_together(s):
        """Two philosophers who share a fork do not eat at the same time."""
        n = len(s.philosophers)
        return no((s.at[p] == At.EAT) & (s.at[(p + 1) % n] == At.EAT) for p in s.philosophers)

    @infinitely_often
    def the_first_eats(s):
        """The first philosopher, who begins with two forks, is satisfied again and again."""
        return s.hungry[0] == 0

    @infinitely_often
    def the_second_eats(s):
        """The second one, who begins without forks."""
        return s.hungry[1] == 0

    @infinitely_often
    def the_third_eats(s):
        """The third one, who begins with one fork."""
        return s.hungry[2] == 0
