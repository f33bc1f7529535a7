"""Reads and validates the fields of submitted forms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from counterpoint.studio.rendering import Form


def read(submitted: Mapping[str, Any], *names: str) -> Form:
    """Return a form with the submitted values of some fields; missing fields are empty."""
    values = {name: submitted.get(name, "") for name in names}
    return Form({name: v.strip() if isinstance(v, str) else "" for name, v in values.items()})


def whole(form: Form, name: str, least: int, most: int) -> int | None:
    """Return the whole number in a field; None if it is empty or wrong, with an error in the form.

    Parameters
    ----------
    form : Form
        Gets the error.
    name : str
        The field.
    least, most : int
        The allowed range.
    """
    text = form.values[name]
    if not text:
        return None
    digits = text.replace(",", "").replace(" ", "")
    if digits.isascii() and digits.isdigit() and len(digits) < 20 and least <= int(digits) <= most:
        return int(digits)
    form.errors[name] = f"A whole number from {least:,} to {most:,}."
    return None


def number(form: Form, name: str, least: float, most: float) -> float | None:
    """Return the number in a field; None if it is empty or wrong, with an error in the form.

    Parameters
    ----------
    form : Form
        Gets the error.
    name : str
        The field.
    least, most : float
        The allowed range.
    """
    text = form.values[name]
    if not text:
        return None
    with_point = text.replace(",", ".") if text.count(",") == 1 and "." not in text else text
    try:
        value = float(with_point)
    except ValueError:
        value = math.nan
    if least <= value <= most:
        return value
    form.errors[name] = f"A number from {least:,g} to {most:,g}."
    return None
