"""A fitted profile as TOML, with what each key rests on."""

from __future__ import annotations

import json

from .fit import Fit
from .settings import Setting

_SECTIONS = ("shares", "degrees", "hosts", "distances", "change", "style", "robots", "faults")


def to_toml(fit: Fit, source: str) -> str:
    """Return the TOML text of a fitted profile; `profile.read` makes an equal profile of it.

    Parameters
    ----------
    fit : Fit
    source : str
        What it was fitted to.
    """
    lines = [
        f"about = {_text('fitted to a captured web')}",
        f"source = {_text(source)}",
        *map(_line, (one for one in fit.settings if not one.section)),
    ]
    for section in _SECTIONS:
        settings = [one for one in fit.settings if one.section == section]
        lines += ["", f"[{section}]", *map(_line, settings)]
    lines += ["", "# not fitted, at their defaults: [articles], [themes], [forms], [addresses],",
              "# [limits], and all keys that are not named here"]  # fmt: skip
    return "\n".join(lines) + "\n"


def _line(one: Setting) -> str:
    return f"{one.key} = {_value(one)}  # {'' if one.fitted else 'default; '}{one.rests_on}"


def _value(one: Setting) -> str:
    if isinstance(one.value, str):
        return _text(one.value)
    if isinstance(one.value, int | float):
        return f"{one.value!r}"
    return f"{{ {', '.join(f'{name} = {weight:g}' for name, weight in one.value.items())} }}"


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=True).replace("\x7f", "\\u007f")
