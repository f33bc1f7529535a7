"""The checks of one spec or of several, and what is printed of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import click

from counterpoint import show
from counterpoint.console import (
    FELL,
    OK,
    UNKNOWN,
    WRONG,
    printing,
    progress,
    user_code,
    without_memory,
)
from counterpoint.memory import is_exhausted
from counterpoint.models.checking.engines import Options, check, engines_named, left_out_of_all
from counterpoint.models.checking.temporal import JUDGES, PROVER
from counterpoint.models.importing.files import line_of_user
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.models.named_specs import own_modules, references
from counterpoint.models.present import formats
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Model, SpecError


@dataclass(frozen=True)
class Wish:
    """What is to be checked of each spec, and how it is printed.

    Attributes
    ----------
    engine : str
        The name of an engine, or ``all``.
    settings : sequence of str
        Parameters as ``name=value``.
    names : sequence of str
        The properties; all if empty.
    limits : Limits
        Time and memory for each engine.
    options : Options
        Options of the engines.
    form : str
        ``text``, ``json``, ``junit`` or ``github``.
    html : Path or None
        Where a page is written.
    verbose, quiet : bool
        Whether everything is printed, or only what does not hold.
    """

    engine: str
    settings: Sequence[str]
    names: Sequence[str]
    limits: Limits
    options: Options
    form: str
    html: Path | None = None
    verbose: bool = False
    quiet: bool = False


@dataclass
class Checked:
    """A spec that was checked.

    Attributes
    ----------
    reference : str
        As the user named it.
    verdicts : list of Verdict
        Those of the engines that have finished.
    error : str
        Why it could not be checked; "" if it could.
    undecided : bool
        Whether this was for lack of memory.
    """

    reference: str
    verdicts: list[Verdict] = field(default_factory=list)
    error: str = ""
    undecided: bool = False

    @property
    def answer(self) -> str:
        """Return the worst of the answers."""
        if self.error and not self.undecided:
            return "error"
        answers = {v.answer for v in self.verdicts} | ({"unknown"} if self.undecided else set())
        return next((a for a in ("violated", "unknown") if a in answers), "holds")


CODES = {"error": WRONG, "violated": FELL, "unknown": UNKNOWN, "holds": OK}
"""The exit codes of answers, the worst first."""


def check_all(written: Sequence[str], wish: Wish) -> int:
    """Check the specs that some arguments name, print the verdicts, and return the exit code.

    One spec after the other is imported and checked; each gets its own helpers. A spec that cannot
    be checked is reported on standard error, and the others are checked all the same.

    Raises
    ------
    SpecError
        If there is one spec only, and it cannot be checked.
    """
    engines_named(wish.engine)
    with user_code():
        named = references(written)
    if len(named) > 1 and (wish.html or wish.options.smtlib):
        option = "--html" if wish.html else "--smtlib"
        raise click.UsageError(f"{option} takes one spec, and these are {len(named)}")
    done: list[Checked] = []
    try:
        for reference in named:
            done.append(Checked(reference))
            _check(done[-1], wish, several=len(named) > 1)
    except KeyboardInterrupt:
        if not any(one.verdicts for one in done):
            raise
        if wish.form == "text" and done[-1].verdicts:
            _print_text(done[-1], wish, several=len(named) > 1)
        _print_whole(done, wish)
        raise KeyboardInterrupt(_what_had_finished(done, wish)) from None
    _print_whole(done, wish)
    if wish.form == "text" and len(done) > 1 and not wish.quiet:
        _print_summary(done)
    return next(code for answer, code in CODES.items() if any(one.answer == answer for one in done)
                or answer == "holds")  # fmt: skip


def _check(one: Checked, wish: Wish, several: bool) -> None:
    """Check one spec of several; in text, print its verdicts."""
    own: AbstractContextManager[None] = own_modules() if several else nullcontext()
    with own:
        try:
            model = _verdicts(one, wish)
        except Exception as error:
            if not several or not (message := _message(error)):
                raise
            _report_error(one, message, is_exhausted(error))
            return
        if wish.form == "text":
            _print_text(one, wish, several)
        if wish.engine == "all" and not wish.quiet:
            _name_left_out(model)
            _name_judges(model)
        _name_files(wish.options.smtlib)
        if wish.html is not None:
            _write_page(one.verdicts, wish.html)


def _verdicts(one: Checked, wish: Wish) -> Model:
    """Import and check a spec; its verdicts are stored as soon as each engine has finished."""
    with user_code():
        model = load(one.reference, wish.settings)
        wanted = [model.property_named(n) for n in dict.fromkeys(wish.names)]
    with progress(f"checking {model.name}") as tell:
        limits = Limits(wish.limits.seconds, wish.limits.bytes, tell)
        check(model, wish.engine, limits, wanted or list(model.all_properties), wish.options,
              one.verdicts.extend)  # fmt: skip
    return model


def _message(error: Exception) -> str:
    """Return what is said of an error if others are checked all the same; "" for one of ours."""
    if is_exhausted(error):
        return without_memory(error)
    if isinstance(error, SpecError):
        return str(error)
    place = line_of_user(error)  # in the user's code, outside of actions and properties
    return f"{place}: {type(error).__name__}: {error}" if place else ""


def _report_error(one: Checked, message: str, undecided: bool) -> None:
    one.error, one.undecided = " ".join(message.split()), undecided
    where = "" if one.reference.partition(":")[0] in one.error else f"{one.reference}: "
    click.echo(f"counterpoint: {where}{one.error}", err=True)


def _print_text(one: Checked, wish: Wish, several: bool) -> None:
    with printing():
        if wish.quiet:
            show.not_holding(one.verdicts)
            return
        if several:
            click.echo(click.style(one.reference, bold=True))
        show.report(one.verdicts, wish.verbose)
        if several:
            click.echo()


def _print_whole(done: Sequence[Checked], wish: Wish) -> None:
    """Print the verdicts on all specs in one document; in text, they are printed already."""
    verdicts = [verdict for one in done for verdict in one.verdicts]
    if wish.form == "text":
        return
    with user_code():
        if wish.form == "json":
            text = formats.as_json(verdicts)
        elif wish.form == "junit":
            text = formats.as_junit(formats.by_suite(verdicts))
        else:
            text = _annotations(verdicts)
    with printing():
        click.echo(text)


def _annotations(verdicts: Sequence[Verdict]) -> str:
    # loaded only here, for it takes a tenth of a small check
    from counterpoint.ci.converting import of_verdict
    from counterpoint.ci.reports.github import github

    return github([of_verdict(one) for one in verdicts], command="check")


def _print_summary(done: Sequence[Checked]) -> None:
    """Print a line for each spec."""
    with printing():
        click.echo(click.style(f"{len(done)} specs", bold=True))
        for one in done:
            answer = click.style(f"{one.answer:8}", fg=show.COLOURS.get(one.answer, "red"))
            click.echo(f"  {answer}  {one.reference}")


def _what_had_finished(done: Sequence[Checked], wish: Wish) -> str:
    if len(done) > 1 and wish.engine != "all":
        whole = sum(bool(one.verdicts) for one in done)
        return f"{whole} spec{'' if whole == 1 else 's'} had been checked"
    last = next(one for one in reversed(done) if one.verdicts)
    engines = ", ".join(dict.fromkeys(v.engine for v in last.verdicts))
    return f"of {last.reference}, these engines had finished: {engines}"


def _name_files(smtlib: Path | None) -> None:
    """Print how many files ``--smtlib`` has written."""
    if smtlib is not None:
        click.echo(
            f"{smtlib} contains the queries to z3: {len(list(smtlib.iterdir()))} files", err=True
        )


def _name_left_out(model: Model) -> None:
    """Print which engines ``--engine all`` leaves out, if there are any."""
    for engine in left_out_of_all(model):
        why = "indices in any_number" if engine == "any-number" else "lemmas or ranks"
        click.echo(f"counterpoint: --engine all leaves out {engine}, since the spec has no {why}; "
                   f"--engine {engine} tries it all the same", err=True)  # fmt: skip


def _name_judges(model: Model) -> None:
    """Print which engines judge temporal properties."""
    if model.temporal:
        click.echo("counterpoint: --engine all asks about temporal properties only the engines "
                   f"{' and '.join(JUDGES)}, and {PROVER} about those with a rank",
                   err=True)  # fmt: skip


def _write_page(verdicts: list[Verdict], path: Path) -> None:
    from counterpoint.models.present.page import write  # Jinja2 only where a page is wanted

    shown = show.first_to_break(verdicts) or next((v for v in verdicts if v.trace), None)
    if shown is None:
        click.echo("no page was written: nothing is violated and no witness has a trace", err=True)
        return
    try:
        write(path, shown, formats.command(shown))
    except OSError as error:  # its message names a temporary file
        raise click.UsageError(f"--html: {path}: {error.strerror}") from error
    click.echo(f"{path} shows {shown.claim.name}", err=True)
