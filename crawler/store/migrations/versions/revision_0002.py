"""Adds the table of the contents of pages, for policies that read them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table of contents."""
    op.create_table(
        "contents",
        sa.Column("page", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["page"], ["pages.id"], name=op.f("fk_contents_page")),
        sa.PrimaryKeyConstraint("page", name=op.f("pk_contents")),
    )
