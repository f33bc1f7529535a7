"""Adds the time at which the next visit of a plan is due."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add a column to the plans."""
    op.add_column("plans", sa.Column("due", sa.Float(), nullable=False, server_default="0"))
