"""The specifications that come with the project, by name."""

SPECS = {
    "breadth-first": "spec.crawl.breadth_first:BreadthFirst",
    "dstm": "spec.stm.dstm:DSTM",
    "equal-quanta": "spec.crawl.equal_quanta:EqualQuanta",
    "filter-lock": "spec.locks.filter:Filter",
    "focused-hits": "spec.crawl.focused:FocusedHits",
    "frontier": "spec.crawl.frontier:Frontier",
    "jvstm": "spec.stm.jvstm:JVSTM",
    "mcrt": "spec.stm.mcrt:McRT",
    "norec": "spec.stm.norec:NOrec",
    "peterson": "spec.locks.peterson:Peterson",
    "philosophers": "spec.locks.philosophers:Philosophers",
    "r1": "spec.crawl.r1:R1",
    "r2": "spec.crawl.r2:R2",
    "r3": "spec.crawl.r3:R3",
    "retrieval": "spec.crawl.measures:Retrieval",
    "scent": "spec.crawl.scent:Scent",
    "tl2": "spec.stm.tl2:TL2",
    "window-stm": "spec.stm.window:Window",
}
"""Public name to ``module:class``."""

PROOFS = {
    "spec.crawl.scent:Scent": ("spec.crawl.scent_proof:EndlessScent",),
    "spec.stm.window:Window": (
        "spec.stm.window_proof:EndlessWindow",
        "spec.stm.recorded_window:RecordedWindow",
    ),
}
"""For a spec's class, the classes that have the lemmas of its proofs."""

MUTANTS = {
    "breadth-first": "spec.crawl.mutants.breadth_first",
    "equal-quanta": "spec.crawl.mutants.equal_quanta",
    "focused-hits": "spec.crawl.mutants.focused",
    "frontier": "spec.crawl.mutants.frontier",
    "jvstm": "spec.stm.mutants.jvstm",
    "norec": "spec.stm.mutants.norec",
    "r1": "spec.crawl.mutants.r1",
    "r2": "spec.crawl.mutants.r2",
    "r3": "spec.crawl.mutants.r3",
    "retrieval": "spec.crawl.mutants.measures",
    "scent": "spec.crawl.mutants.scent",
    "tl2": "spec.stm.mutants.tl2",
    "window-stm": "spec.stm.mutants.window",
}
"""Public name to the module that declares its mutants; a mutant is named ``spec/mutant``."""
