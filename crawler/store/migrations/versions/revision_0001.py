"""The tables as they were first."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables, and write down whose they are."""
    spelled = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    identity = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "hosts",
        sa.Column("host", spelled, nullable=False),
        sa.Column("free_at", sa.Float(), server_default="0", nullable=False),
        sa.Column("delay", sa.Float(), server_default="0", nullable=False),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("robots", sa.Text(), server_default="", nullable=False),
        sa.Column("robots_at", sa.Float(), nullable=True),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("host", name=op.f("pk_hosts")),
    )
    op.create_index("ix_hosts_worker", "hosts", ["worker"], **only(sa.text("worker IS NOT NULL")))
    op.create_table(
        "workers",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("until", sa.Float(), nullable=False),
        sa.Column("waits", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_workers")),
    )
    op.create_table(
        "plans",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("budget", sa.BigInteger(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("starts", sa.Text(), nullable=False),
        sa.Column("told", sa.Text(), nullable=False),
        sa.Column("spent", sa.Float(), server_default="0", nullable=False),
        sa.Column("pages", sa.BigInteger(), nullable=False),
        sa.Column("events", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("visits", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("fetched", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("ended", sa.Text(), server_default="", nullable=False),
        sa.Column("failed", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_plans")),
    )
    op.create_table(
        "seeds",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("full_name", sa.Text(), server_default="", nullable=False),
        sa.Column("short_name", sa.Text(), server_default="", nullable=False),
        sa.Column("start", spelled, nullable=False),
        sa.Column("site", spelled, nullable=False),
        sa.Column("level", sa.Integer(), nullable=True),
        sa.Column("cap", sa.Integer(), nullable=True),
        sa.Column("standing", sa.Text(), server_default="waiting", nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("known", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("fetched", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("internal", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("external", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("bad", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_seeds")),
        sa.UniqueConstraint("start", name=op.f("uq_seeds_start")),
        sa.UniqueConstraint("site", name=op.f("uq_seeds_site")),
    )
    op.create_table(
        "settings",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_settings")),
    )
    op.create_table(
        "pages",
        sa.Column("id", identity, autoincrement=False, nullable=False),
        sa.Column("seed", sa.Integer(), nullable=True),
        sa.Column("address", spelled, nullable=False),
        sa.Column("key", spelled, nullable=False),
        sa.Column("place", sa.BigInteger(), nullable=True),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("found_on", sa.BigInteger(), nullable=True),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=True),
        sa.Column("final", sa.Text(), server_default="", nullable=False),
        sa.Column("problem", sa.Text(), server_default="", nullable=False),
        sa.Column("size", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("external", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["seed"], ["seeds.number"], name=op.f("fk_pages_seed")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pages")),
        sa.UniqueConstraint("key", name=op.f("uq_pages_key")),
    )
    op.create_index(
        "ix_pages_apart", "pages", ["state", "id"], **only(sa.text("state IN (1, 3, 4)"))
    )
    op.create_index(
        "ix_pages_frontier", "pages", ["seed", "level", "place"],
        **only(sa.text("state IN (0, 3)")),
    )  # fmt: skip
    op.create_index("ix_pages_level", "pages", ["level", "id"], **only(sa.text("status = 200")))
    op.create_index("ix_pages_place", "pages", ["place"])
    op.create_index("ix_pages_seed", "pages", ["seed", "id"])
    op.create_index("ix_pages_status", "pages", ["status", "id"], **only(sa.text("status <> 200")))
    op.create_table(
        "bad_links",
        sa.Column("page", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("reason", spelled, nullable=False),
        sa.Column("deleted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(["page"], ["pages.id"], name=op.f("fk_bad_links_page")),
        sa.PrimaryKeyConstraint("page", "position", name=op.f("pk_bad_links")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_bad_links_reason", "bad_links", ["reason", "page", "position"])
    op.create_index("ix_bad_links_seed", "bad_links", ["seed", "page", "position"])
    op.create_table(
        "copies",
        sa.Column("page", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("etag", sa.Text(), server_default="", nullable=False),
        sa.Column("modified", sa.Text(), server_default="", nullable=False),
        sa.Column("blocks", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["page"], ["pages.id"], name=op.f("fk_copies_page")),
        sa.PrimaryKeyConstraint("page", name=op.f("pk_copies")),
    )
    op.create_table(
        "external_links",
        sa.Column("page", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=True),
        sa.Column("address", spelled, nullable=False),
        sa.Column("host", spelled, nullable=False),
        sa.Column("domain", spelled, nullable=False),
        sa.Column("anchor", sa.Text(), server_default="", nullable=False),
        sa.Column("target", sa.BigInteger(), nullable=True),
        sa.Column("deleted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(["page"], ["pages.id"], name=op.f("fk_external_links_page")),
        sa.PrimaryKeyConstraint("page", "position", name=op.f("pk_external_links")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_external_links_domain", "external_links", ["domain", "page", "position"])
    if op.get_context().dialect.name == "sqlite":
        op.create_index(
            "ix_external_links_address", "external_links", ["address", "page", "position"]
        )
    else:
        head = sa.text("substr(address, 1, 500)")
        op.create_index("ix_external_links_head", "external_links", [head, "page", "position"])
    op.create_index("ix_external_links_host", "external_links", ["host", "page", "position"])
    op.create_index(
        "ix_external_links_target",
        "external_links",
        ["target"],
        **only(sa.text("target IS NOT NULL")),
    )
    op.create_index("ix_external_links_seed", "external_links", ["seed", "page", "position"])
    op.create_table(
        "internal_links",
        sa.Column("page", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=True),
        sa.Column("target", sa.BigInteger(), nullable=False),
        sa.Column("deleted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(["page"], ["pages.id"], name=op.f("fk_internal_links_page")),
        sa.ForeignKeyConstraint(["target"], ["pages.id"], name=op.f("fk_internal_links_target")),
        sa.PrimaryKeyConstraint("page", "position", name=op.f("pk_internal_links")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_internal_links_seed", "internal_links", ["seed", "page", "position"])
    op.create_index("ix_internal_links_target", "internal_links", ["target", "page", "position"])
    op.create_table(
        "visits",
        sa.Column("plan", sa.Integer(), nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("page", sa.BigInteger(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=True),
        sa.Column("host", spelled, nullable=False),
        sa.Column("issued", sa.BigInteger(), nullable=False),
        sa.Column("observed", sa.BigInteger(), nullable=True),
        sa.Column("recalled", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=True),
        sa.Column("external", sa.Integer(), server_default="0", nullable=False),
        sa.Column("fresh", sa.Integer(), server_default="0", nullable=False),
        sa.Column("size", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("difference", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("time", sa.Float(), nullable=True),
        sa.Column("problem", sa.Text(), server_default="", nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["page"], ["pages.id"], name=op.f("fk_visits_page")),
        sa.ForeignKeyConstraint(["plan"], ["plans.number"], name=op.f("fk_visits_plan")),
        sa.PrimaryKeyConstraint("plan", "number", name=op.f("pk_visits")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_visits_flying", "visits", ["plan", "number"], **only(sa.text("observed IS NULL"))
    )
    op.create_index("ix_visits_observed", "visits", ["plan", "observed"], unique=True)
    op.create_index("ix_visits_page", "visits", ["page"])
    op.execute(
        "INSERT INTO settings (name, value) VALUES ('format', '\"counterpoint link store\"')"
    )


def only(condition: sa.TextClause) -> dict[str, Any]:
    """Return what makes an index hold only some rows."""
    return {"sqlite_where": condition, "postgresql_where": condition}
