"""The reports of the gate."""
