"""What an exported model says of the constraints of its spec."""

from __future__ import annotations

from counterpoint.models.symbolic.trace import Command, System


def promised_outside(system: System) -> list[Command]:
    """Return the steps that constraints leave out although fairness promises them."""
    promised = {step for promise in system.model.fairness for step in promise.steps}
    return [command for command in system.left_out if command.step in promised]


def bounds_of(system: System, *, runs: bool) -> list[str]:
    """Return what a header says of the constraints; nothing if there are none.

    Parameters
    ----------
    system : System
        The traced spec.
    runs : bool
        Whether the model has temporal properties.
    """
    names = ", ".join(name.replace("_", "-") for name in system.model.constraints)
    if not names:
        return []
    lines = [f"Bounded by {names}: steps that lead out are left out."]
    if runs and promised_outside(system):
        lines += [
            "Fairness promises some of these steps. A run that would have to take one is",
            "no error here; Counterpoint's verdict may be unknown then.",
        ]
    return lines
