"""The regression gate of policies: repeats crawls, and compares them with committed baselines."""
