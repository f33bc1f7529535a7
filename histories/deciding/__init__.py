"""How a criterion is decided: edges between transactions, orders of versions, and cycles."""
