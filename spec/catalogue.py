"""The specifications that come with the project, by name."""

SPECS = {
    "peterson": "spec.locks.peterson:Peterson",
    "window-stm": "spec.stm.window:Window",
}
"""Public name to ``module:class``."""

MUTANTS = {
    "window-stm": "spec.stm.mutants.window",
}
"""Public name to the module that declares its mutants; a mutant is named ``spec/mutant``."""
