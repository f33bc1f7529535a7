"""A plugin of pytest for runs that cannot run all tests: each begins with another module."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that says where to begin."""
    parser.addoption(
        "--begin-with", type=lambda text: int(text, 0), metavar="N", default=0,
        help="begin with the N-th module, counted on from the first one after the last one",
    )  # fmt: skip


@pytest.hookimpl(trylast=True)  # after -m, so that modules without a chosen test do not count
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Turn the order of the modules so that another one is the first."""
    begins = [at for at, item in enumerate(items)
              if at == 0 or item.path != items[at - 1].path]  # fmt: skip
    if begins:
        at = begins[config.getoption("--begin-with") % len(begins)]
        items[:] = items[at:] + items[:at]
