"""How a result becomes a baseline, and where that is refused."""

from __future__ import annotations

import os
import shlex


def accepting(name: str) -> str:
    """Return the command that makes the present result of a policy or a crawler its baseline."""
    return f"counterpoint gate --accept {shlex.quote(name)}"


def is_ci() -> bool:
    """Return whether this is a run of CI, which should not accept results: nobody reviews them.

    CI systems set the variable ``CI``. If it is empty, 0 or false, that is as if it was not set.
    """
    return os.environ.get("CI", "").strip().lower() not in ("", "0", "false")
