"""The counterexample of a test, kept in Hypothesis' database: the next test tries it first.

Hypothesis itself keeps the bytes of a failed run. They do not suffice here, since the steps of a
run also depend on what the runs before it have visited.
"""

from __future__ import annotations

import json

from hypothesis.database import ExampleDatabase

from counterpoint.models.verdict import Trace
from counterpoint.spec.notation import Step, Values

from .walker import Walker


def keep(database: ExampleDatabase | None, walker: Walker, trace: Trace) -> None:
    """Store a violation as the only one of its spec and parameters.

    Parameters
    ----------
    database : ExampleDatabase or None
        Where tests keep what failed, if anywhere.
    walker : Walker
        Knows the spec.
    trace : Trace
        The violation.
    """
    if database is not None:
        steps = [[s.action, *s.binding] for s in trace.steps]
        text = json.dumps({"start": trace.states[0], "steps": steps}).encode()
        for old in list(database.fetch(_key(walker))):
            if old != text:
                database.delete(_key(walker), old)
        database.save(_key(walker), text)


def recall(database: ExampleDatabase | None, walker: Walker) -> None:
    """Visit the states of stored runs, so that they are judged; forget what violates nothing.

    Parameters
    ----------
    database : ExampleDatabase or None
        Where tests keep what failed, if anywhere.
    walker : Walker
        Visits the states.
    """
    if database is not None:
        for text in list(database.fetch(_key(walker))):
            if not (_visited(walker, text) and walker.violated()):
                database.delete(_key(walker), text)


def _key(walker: Walker) -> bytes:
    spec = walker.model.spec
    kind = type(spec)
    return f"counterpoint {kind.__module__}:{kind.__qualname__} {spec.parameters!r}".encode()


def _visited(walker: Walker, text: bytes) -> bool:
    """Return whether a stored run exists, as far as its last step, which may leave a range."""
    try:
        stored = json.loads(text)
        state: Values | None = tuple(stored["start"])
        steps = [Step(action, tuple(binding)) for action, *binding in stored["steps"]]
    except (ValueError, TypeError, KeyError):
        return False
    if state not in walker.starts:
        return False
    for step in steps:
        walker.visit(state)
        state = dict(walker.moves[state]).get(step)
        if state is None:
            return step == steps[-1]
    walker.visit(state)
    return True
