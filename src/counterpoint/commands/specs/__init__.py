"""Commands for specs."""
