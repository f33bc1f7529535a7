"""A run as a pytest file, for the tests of a project with a spec."""

from __future__ import annotations

import re

from counterpoint.models.present.chart import outcome
from counterpoint.models.present.formats import command
from counterpoint.models.present.lanes import traced
from counterpoint.models.verdict import Verdict, in_steps

FIXED = """\
The test fails as long as the run below is possible and {ends}.
It passes once the spec is right: some step of the run is not possible any more, or it ends well.
If the spec has no such action or property any more, it ends with an error: export it again."""

STILL = """\
The test passes as long as the run below is possible and {ends}.
It fails once that has changed, be it that the spec or that the notation was changed."""


def regression(verdict: Verdict, still: bool = False) -> str:
    """Return a pytest file that replays a verdict's run.

    Parameters
    ----------
    verdict : Verdict
        With a trace.
    still : bool
        Whether the test passes as long as the run exists, as for a known error; otherwise it passes
        once the run no longer violates its property. The run to a witness is always expected to
        exist.

    Raises
    ------
    SpecError
        If the verdict has no trace.
    """
    model, trace, claim = verdict.model, traced(verdict), verdict.claim
    witness = claim.kind == "sometimes"
    still = still or witness
    ends = f"{'reaches' if witness else 'violates'} {claim.name}"
    about = (STILL if still else FIXED).format(ends=ends)
    given = [f"{n}={v}" for n, v in model.changed_parameters().items()]
    lines = [
        f'"""{_plain(f"{model.name}: a run of {in_steps(len(trace.steps))} that {ends}")}.',
        "",
        *map(_plain, about.splitlines()),
        "",
        _plain(f"Found by: {command(verdict)}"),
        _plain(outcome(verdict)),
        *(_plain(line) for line in verdict.explanation.lines),
        '"""',
        "",
        "from counterpoint.testing import ends_so, load",
        "",
        f"SPEC = {model.reference!r}  # a file is looked for from where pytest is started",
        f"PARAMETERS = {given!r}",
        f"PROPERTY = {claim.name!r}",
        f"INITIAL = {model.show_open_cells(trace.states[0])!r}",
        "RUN = [",
        *(f"    ({s.action!r}, {model.show_binding(s)!r})," for s in trace.steps),
        "]",
        *(
            []
            if trace.loop is None
            else [f"LOOP = {trace.loop}  # steps before those of the cycle"]
        ),
        "",
        "",
        f"def test_{_name(verdict, still)}() -> None:",
        "    model = load(SPEC, PARAMETERS)",
        f"    assert {'' if still else 'not '}ends_so(model, PROPERTY, RUN, INITIAL"
        f"{'' if trace.loop is None else ', LOOP'})",
    ]
    return "\n".join(lines) + "\n"


def _name(verdict: Verdict, still: bool) -> str:
    what = re.sub(r"\W+", "_", verdict.claim.name)
    if verdict.claim.kind == "sometimes":
        return f"this_run_reaches_{what}"
    return f"this_run_{'violates' if still else 'does_not_violate'}_{what}"


def _plain(text: str) -> str:
    """Return a text that is safe within a docstring."""
    return text.replace("\\", "\\\\").replace('"""', "'''")
