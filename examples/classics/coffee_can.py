"""The coffee can: a game with black and white beans, and the colour of the last bean.

Two beans are taken. If they have the same colour a black one is put back, otherwise the white one.
The last bean is white if and only if the number of white beans was odd. By David Gries, "The
Science of Programming" (1981), from a letter of Dijkstra; module CoffeeCan of tlaplus/Examples,
by Andrew Helwer.

    counterpoint check coffee_can.py --set beans=100
"""

from counterpoint import (
    ANY,
    Integer,
    Number,
    Spec,
    action,
    choose,
    eventually,
    initially,
    leads_to,
    require,
    tabulated,
    transition,
)


def is_odd(n):
    """Whether a number of beans is odd."""
    return n % 2 == 1


class CoffeeCan(Spec):
    """All cans with at most so many beans."""

    beans = Number(10, at_least=1, at_most=1000)
    black = Integer(0, lambda s: s.beans, initially=ANY)
    white = Integer(0, lambda s: s.beans, initially=ANY)

    @initially
    def some_beans(s):
        """The can is not empty."""
        return (s.black + s.white >= 1) & (s.black + s.white <= s.beans)

    @action(fair="weak", fair_for=())
    def take(s, two=choose("black", "white", "both")):
        """Take two beans, and put one back."""
        if two == "black":
            require(s.black >= 2)
            s.black = s.black - 1
        elif two == "white":
            require(s.white >= 2)
            s.black = s.black + 1
            s.white = s.white - 2
        else:
            require(s.black >= 1, s.white >= 1)
            s.black = s.black - 1

    @transition
    def one_bean_less(s, after):
        """Each step takes one bean out."""
        return after.black + after.white < s.black + s.white

    @transition
    def white_stays_odd_or_even(s, after):
        """The number of white beans stays odd, or stays even."""
        return tabulated(is_odd, s.white) == tabulated(is_odd, after.white)

    @eventually
    def one_bean_is_left(s):
        """In the end there is one bean."""
        return s.black + s.white == 1

    @leads_to
    def odd_ends_white(s):
        """An odd number of white beans ends with a white one."""
        return tabulated(is_odd, s.white), (s.black == 0) & (s.white == 1)

    @leads_to
    def even_ends_black(s):
        """An even number of white beans ends with a black one."""
        return tabulated(is_odd, s.white) == 0, (s.black == 1) & (s.white == 0)
