"""``counterpoint list``: the specs, engines, export formats, policies and profiles."""

from __future__ import annotations

import json

import click

from counterpoint import show
from counterpoint.console import printing
from counterpoint.extras import EXTRAS, command_to_install
from counterpoint.memory import TooLittleMemoryError, must_be_enough
from counterpoint.models.checking.engines import ENGINES
from counterpoint.models.loading import load
from counterpoint.spec.catalogue import SPECS


@click.command("list")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True, help="Output format.")  # fmt: skip
@click.argument("reference", required=False, metavar="[SPEC]")
def list_(reference: str | None, form: str) -> None:
    r"""List specs, engines, export formats, policies and web profiles.

    With SPEC, list the parameters, properties, actions and mutants of this spec.

    \b
    counterpoint list
    counterpoint list window-stm
    """
    found = _overview() if reference is None else _describe(reference)
    with printing():
        if form == "json":
            click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        else:
            _show_entries(found)
            if reference is None:
                click.echo(
                    "counterpoint list SPEC shows its parameters, properties, actions and mutants."
                )


def _show_entries(found: dict[str, dict[str, str]]) -> None:
    for section, entries in found.items():
        click.echo(click.style(section, bold=True))
        for name, text in entries.items():
            show.entry(name, text)
        click.echo()


def _overview() -> dict[str, dict[str, str]]:
    from counterpoint.models.export import FORMATS

    specs = {name: show.first_line(type(load(name).spec)) for name in SPECS}
    return {
        "specs": specs,
        "engines": {e.name: e.description for e in ENGINES.values()},
        "exports": {f.name: f.description for f in FORMATS.values()},
        **_policies_and_profiles(),
    }


def _policies_and_profiles() -> dict[str, dict[str, str]]:
    try:
        from counterpoint.sim_web import profile

        profiles = {name: profile.load(name).about for name in profile.names()}
        must_be_enough()
        from counterpoint.crawler.schedulers.catalogue import POLICIES  # with Numba
    except TooLittleMemoryError as error:
        return {"policies": {"not listed": str(error)}, "web profiles": profiles}
    except ModuleNotFoundError:
        needed = {"not installed": command_to_install(EXTRAS["list"])}
        return {"policies": needed, "web profiles": needed}
    about = {name: policy.about for name, policy in POLICIES.items()}
    return {"policies": about, "web profiles": profiles}


def _describe(reference: str) -> dict[str, dict[str, str]]:
    from counterpoint.commands.specs import mutants

    model = load(reference)
    parameters = model.spec.declared_parameters
    return {
        "parameters": {
            n: f"{p.help} ({p.allowed()}; default {'none' if p.default == '' else p.default})"
            for n, p in parameters.items()
        },
        "properties": {p.name: f"{p.description} ({p.kind})" for p in model.all_properties},
        "actions": {
            f"{a.name}({', '.join(n for n, _ in a.parameters)})": a.description
            for a in model.actions
        },
        **mutants.section(reference),
    }
