"""Adds the table of pages that were named as sitemaps."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table of sitemaps."""
    spelled = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "sitemaps",
        sa.Column("page", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("named_on", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("host", spelled, nullable=False),
        sa.ForeignKeyConstraint(["page"], ["pages.id"], name=op.f("fk_sitemaps_page")),
        sa.ForeignKeyConstraint(["named_on"], ["pages.id"], name=op.f("fk_sitemaps_named_on")),
        sa.PrimaryKeyConstraint("page", "named_on", "host", name=op.f("pk_sitemaps")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_sitemaps_named_on", "sitemaps", ["named_on", "page"])
