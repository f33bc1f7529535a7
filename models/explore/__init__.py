"""All reachable states, by plain Python or by compiled code."""
