"""Commands for crawls that are kept."""
