"""Adds the marks of links: what documents say about following them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add a column to the two tables of links that can be followed."""
    for table in ("internal_links", "external_links"):
        op.add_column(
            table, sa.Column("mark", sa.SmallInteger(), nullable=False, server_default="0")
        )
