"""What is typed into forms, read and judged field by field."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from counterpoint.studio.rendering import Form


def read(told: Mapping[str, Any], *names: str) -> Form:
    """Return a form with what was typed into some fields; what was not sent is empty."""
    values = {name: told.get(name, "") for name in names}
    return Form({name: v.strip() if isinstance(v, str) else "" for name, v in values.items()})


def whole(form: Form, name: str, least: int, most: int) -> int | None:
    """Return a field that is a whole number or empty (None); what it is else is an error."""
    text = form.values[name]
    if not text:
        return None
    digits = text.replace(",", "").replace(" ", "")
    if digits.isascii() and digits.isdigit() and len(digits) < 20 and least <= int(digits) <= most:
        return int(digits)
    form.errors[name] = f"A whole number from {least:,} to {most:,}."
    return None


def number(form: Form, name: str, least: float, most: float) -> float | None:
    """Return a field that is a number or empty (None); what it is else is an error."""
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
