"""For tests of one's own: a spec as a Hypothesis test, a run that was once found, replayed.

A file of pytest's that holds::

    from counterpoint.testing import machine
    from my_spec import Counter

    TestCounter = machine(Counter(processes=3)).TestCase

runs the spec at random, in plain Python, whenever the tests run. What ``counterpoint export --to
pytest`` writes uses `load` and `ends_so`.
"""

from counterpoint.models.checking.replaying import ends_so
from counterpoint.models.loading import load
from counterpoint.models.random.stateful import machine

__all__ = ["ends_so", "load", "machine"]
