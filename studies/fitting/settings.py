"""A key of a fitted profile: its value, and what the value rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

from counterpoint.sim_web.profile import Profile

Value: TypeAlias = float | str | Mapping[str, float]


@dataclass(frozen=True)
class Setting:
    """A key of the profile.

    Attributes
    ----------
    section, key : str
        The section is "" for a key at the top.
    value : float, str or mapping
        The value in the profile.
    rests_on : str
        What the value rests on, or why it could not be measured.
    fitted : bool
        Whether the capture determines the value; else it is the default.
    """

    section: str
    key: str
    value: Value
    rests_on: str
    fitted: bool = True


class Settings:
    """Keys that are collected one by one, and the profile that they make so far.

    Parameters
    ----------
    name : str
        The name of the profile.
    """

    def __init__(self, name: str) -> None:
        self.profile = Profile(name)
        self.all: list[Setting] = []

    def fit(self, section: str, key: str, value: Value, rests_on: str) -> None:
        """Set a key to a value that the capture determines; it is moved into the key's range."""
        if isinstance(value, int | float):
            value, rests_on = self._in_range(section, key, float(value), rests_on)
        self.all.append(Setting(section, key, value, rests_on))
        self.profile = put(self.profile, section, key, value)

    def keep(self, section: str, key: str, why: str) -> None:
        """Keep a key at its default, and say why."""
        held = self.profile if not section else getattr(self.profile, _attribute(section))
        default = getattr(held, _attribute(key))
        self.all.append(Setting(section, key, default, f"not measurable: {why}", False))

    def share(self, section: str, key: str, count: float, of: float, what: str) -> None:
        """Set a key to a share of a number of things; keep it if there are none."""
        if of > 0:
            self.fit(section, key, count / of, f"measured on {of:,.0f} {what}")
        else:
            self.keep(section, key, f"no {what}")

    def _in_range(self, section: str, key: str, value: float, rests_on: str) -> tuple[float, str]:
        held = self.profile if not section else getattr(self.profile, _attribute(section))
        about = next(one for one in fields(held) if one.name == _attribute(key)).metadata
        within = min(max(value, about["least"]), about["most"])
        within = int(within) if within == int(within) else float(f"{within:.6g}")
        if within != value and not about["least"] <= value <= about["most"]:
            rests_on += f": {value:.4g}, which is out of the range of the key"
        return within, rests_on


def put(profile: Profile, section: str, key: str, value: Value) -> Profile:
    """Return a profile with another value of a key."""
    changed: dict[str, Any] = {_attribute(key): value}
    if not section:
        return replace(profile, **changed)
    held = replace(getattr(profile, _attribute(section)), **changed)
    return replace(profile, **{_attribute(section): held})


def _attribute(key: str) -> str:
    return "in_" if key == "in" else key
