"""What the gate makes of its outcomes: a folder with a page, and texts for CI systems."""

from .data import as_json
from .github import append_step_summary, github
from .junit import junit
from .order import totals
from .sarif import sarif
from .writing import CRAWLERS, refuse_foreign, write

__all__ = [
    "CRAWLERS",
    "append_step_summary",
    "as_json",
    "github",
    "junit",
    "refuse_foreign",
    "sarif",
    "totals",
    "write",
]
