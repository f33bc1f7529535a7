"""Commands for policies."""
