r"""The visits of a synthetic web, against which the access log of its server is held.

Is the order of a crawl breadth first? The web has 80 pages, and its server writes an access log,
whichever crawler asks it::

    counterpoint web serve --profile examples/breadth_first_log.toml --seed 7 --port 8080 \
        --log access.jsonl
    counterpoint try breadth-first --start http://bibaba.test/ --proxy http://127.0.0.1:8080
    counterpoint trace examples/breadth_first_log.py access.jsonl \
        --map examples/breadth_first_log.py:as_visit
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.profile import load
from counterpoint.spec.crawl.breadth_first_visits import BreadthFirstVisits

WEB = Web(load(str(Path(__file__).with_suffix(".toml"))), pages=80, seed=7)


class Order(BreadthFirstVisits):
    """Visits of the web of 80 pages, from its first page on."""

    name = "order"

    web = tuple(tuple(WEB.out_links(page).tolist()) for page in range(WEB.pages))
    starts = (0,)


def as_visit(record: dict[str, Any]) -> dict[str, Any] | None:
    """Return the step that a line of the access log stands for; None if it asks for no page."""
    page = record.get("page")
    if page is None:
        return None
    action = "visit" if record["status"] == 200 else "fail"
    return {"step": f"{action} P{page}", "note": record["url"]}
