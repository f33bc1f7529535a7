"""Policies as users name them."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any, NamedTuple

from crawler.errors import CrawlError
from crawler.protocol import Policy


class Chosen(NamedTuple):
    policy: Policy
    parameters: dict[str, Any]


def chosen(text: str) -> Chosen:
    name, _, rest = text.partition(",")
    parameters = {}
    for part in rest.split(",") if rest else ():
        key, _, value = part.partition("=")
        parameters[key] = int(value)
    if ":" not in name:
        from crawler.protocol import Scope
        from crawler.schedulers import rules, web

        known = {
            "R1": rules.R1,
            "R2": rules.R2,
            "R3": rules.R3,
            "breadth-first": web.BreadthFirst,
            "random": web.Random,
        }
        if name in known:
            return Chosen(
                Policy(name, name, known[name], Scope.SITE if name[0] == "R" else Scope.WEB),
                parameters,
            )
        raise CrawlError(f"there is no policy '{name}'")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except Exception as error:
        raise CrawlError(f"{name}: {error}") from None
    if isinstance(found, Policy):
        return Chosen(found, parameters)
    return Chosen(Policy(name, "", found), parameters)
