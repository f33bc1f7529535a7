"""Logs of running systems against a spec: is there a run of the spec that explains the log?"""
