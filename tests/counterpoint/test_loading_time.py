"""What a command loads before it works: libraries that take longer than the work."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("engine", ["exhaustive", "stateful"])
def test_z3_is_loaded_only_by_engines_that_ask_it(engine: str) -> None:
    """A check that loads z3, which takes as long as the whole check of a small spec."""
    script = (
        "import sys; from counterpoint.main import counterpoint; "
        f"counterpoint.main(['check', 'peterson', '--engine', '{engine}'], standalone_mode=False); "
        "print([name for name in sys.modules if name.partition('.')[0] == 'z3'])"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\n[]\n")
