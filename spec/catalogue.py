"""The specifications that come with the project, by name."""

SPECS = {
    "filter-lock": "spec.locks.filter:Filter",
    "peterson": "spec.locks.peterson:Peterson",
    "philosophers": "spec.locks.philosophers:Philosophers",
    "window-stm": "spec.stm.window:Window",
}
"""Public name to ``module:class``."""

PROOFS = {
    "spec.stm.window:Window": (
        "spec.stm.window_proof:EndlessWindow",
        "spec.stm.recorded_window:RecordedWindow",
    ),
}
"""For a spec's class, the classes that have the lemmas of its proofs."""
