"""Takes deleted links from the totals of sites."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Subtract the links that were deleted while the totals still counted them."""
    for kind in ("internal", "external", "bad"):
        op.execute(
            f"UPDATE seeds SET {kind} = {kind} - (SELECT count(*) FROM {kind}_links AS links "
            "WHERE links.seed = seeds.number AND links.deleted)"
        )
