"""The policy regression gate: crawls run again and held against what was committed."""
