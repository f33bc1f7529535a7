"""Whether the tools are there that some tests need."""

from __future__ import annotations

import os

import pytest

from counterpoint.models.explore.compiled import compiler


def require_compiler() -> None:
    """Skip a test where no C compiler is; in CI, where .ci/run installs one, fail."""
    if compiler.found() is not None:
        return
    if os.environ.get("CI") == "true":
        pytest.fail("needs a C compiler")
    pytest.skip("needs a C compiler")
