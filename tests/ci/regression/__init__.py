"""The policy regression gate."""
