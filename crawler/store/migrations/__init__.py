"""Brings the tables of a link store up to date; the modules in ``versions`` are the steps.

Alembic runs them within the caller's transaction, without a file of settings and without
``env.py``. A new step is a module whose ``down_revision`` is `HEAD`; `HEAD` then becomes the
revision of the new module.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, text

from counterpoint.crawler.errors import CrawlError

if TYPE_CHECKING:  # it takes a while to load, and is needed only where something is to be done
    from alembic.script import ScriptDirectory

HEAD = "0007"
"""The revision of the tables as `counterpoint.crawler.store.schema` has them."""


def current(connection: Connection) -> str | None:
    """Return the revision of a database's tables."""
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)


def must_be_known(revision: str | None, where: str) -> None:
    """Refuse a revision that is not known, as one that a newer version has made."""
    if revision is None or revision == HEAD:
        return
    known = {step.revision for step in _steps().walk_revisions()}
    if revision not in known:
        what = f"its tables are of revision {revision}; the last one known here is {HEAD}"
        newer = "was made by a newer version of counterpoint: " if revision > HEAD else ""
        raise CrawlError(f"{where}: {newer}{what}")


def upgrade(connection: Connection) -> None:
    """Make the tables, or bring them up to date, within the connection's transaction."""
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext

    steps = _steps()

    def wanted(revision: Any, _: Any) -> Any:
        return steps._upgrade_revs(HEAD, revision)

    with EnvironmentContext(Config(), steps, fn=wanted) as environment:
        environment.configure(connection=connection)
        with environment.begin_transaction():
            environment.run_migrations()


def _steps() -> ScriptDirectory:
    from alembic.script import ScriptDirectory

    return ScriptDirectory(str(Path(__file__).parent))
