"""The moving cat: find a cat that moves to a neighbouring box each night.

Look into box 2, 3, ... up to the last but one, into that one again, and back, for ever. Module Cat
of tlaplus/Examples, by Florian Schanda.

    counterpoint check moving_cat.py --set boxes=5
    counterpoint check moving_cat.py --set boxes=6
"""

from counterpoint import (
    ANY,
    Boolean,
    Integer,
    Number,
    Spec,
    action,
    choose,
    eventually,
    require,
)


class MovingCat(Spec):
    """The cat and the observer move at the same time."""

    boxes = Number(6, at_least=3, at_most=16)
    cat = Integer(1, lambda s: s.boxes, initially=ANY)
    observed = Integer(2, lambda s: s.boxes - 1, initially=ANY)
    to_the_right = Boolean(initially=ANY)

    @action(fair="weak", fair_for=())
    def night(s, to=choose("left", "right")):
        """The cat moves, and the observer goes on or turns round."""
        require(s.cat > 1 if to == "left" else s.cat < s.boxes)
        s.cat = s.cat + (1 if to == "right" else -1)
        if s.to_the_right:
            if s.observed == s.boxes - 1:
                s.to_the_right = False
            else:
                s.observed = s.observed + 1
        else:
            if s.observed == 2:
                s.to_the_right = True
            else:
                s.observed = s.observed - 1

    @eventually
    def found(s):
        """The cat is found."""
        return s.observed == s.cat
