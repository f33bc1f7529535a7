"""The gate: which properties, which budgets, reports."""
