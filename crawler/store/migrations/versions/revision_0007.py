"""Adds the table of pages that are alike, for detectors of traps that count them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from counterpoint.crawler.store.schema import Spelled

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "alike",
        sa.Column("name", Spelled, nullable=False),
        sa.Column("pages", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_alike")),
        sqlite_with_rowid=False,
    )
