"""What a policy is, the tables that policies share, and how one is watched and judged."""
