"""The specifications of this project, by name."""

SPECS = {
    "breadth-first": "counterpoint.spec.crawl.breadth_first:BreadthFirst",
    "dstm": "counterpoint.spec.stm.dstm:DSTM",
    "equal-quanta": "counterpoint.spec.crawl.equal_quanta:EqualQuanta",
    "filter-lock": "counterpoint.spec.locks.filter:Filter",
    "focused-hits": "counterpoint.spec.crawl.focused:FocusedHits",
    "frontier": "counterpoint.spec.crawl.frontier:Frontier",
    "gittins": "counterpoint.spec.crawl.gittins:Gittins",
    "jvstm": "counterpoint.spec.stm.jvstm:JVSTM",
    "link-store": "counterpoint.spec.locks.link_store:LinkStore",
    "mcrt": "counterpoint.spec.stm.mcrt:McRT",
    "norec": "counterpoint.spec.stm.norec:NOrec",
    "peterson": "counterpoint.spec.locks.peterson:Peterson",
    "philosophers": "counterpoint.spec.locks.philosophers:Philosophers",
    "r1": "counterpoint.spec.crawl.r1:R1",
    "r2": "counterpoint.spec.crawl.r2:R2",
    "r3": "counterpoint.spec.crawl.r3:R3",
    "retrieval": "counterpoint.spec.crawl.measures:Retrieval",
    "scent": "counterpoint.spec.crawl.scent:Scent",
    "scent-in-time": "counterpoint.spec.crawl.scent_time:ScentInTime",
    "tl2": "counterpoint.spec.stm.tl2:TL2",
    "window-stm": "counterpoint.spec.stm.window:Window",
}
"""For each public name, ``module:class``."""

PROOFS = {
    "counterpoint.spec.crawl.scent:Scent": ("counterpoint.spec.crawl.scent_proof:EndlessScent",),
    "counterpoint.spec.stm.window:Window": (
        "counterpoint.spec.stm.window_proof:EndlessWindow",
        "counterpoint.spec.stm.recorded_window:RecordedWindow",
    ),
}
"""For a spec's class, the classes with the lemmas of its proofs."""

MUTANTS = {
    "breadth-first": "counterpoint.spec.crawl.mutants.breadth_first",
    "equal-quanta": "counterpoint.spec.crawl.mutants.equal_quanta",
    "focused-hits": "counterpoint.spec.crawl.mutants.focused",
    "frontier": "counterpoint.spec.crawl.mutants.frontier",
    "gittins": "counterpoint.spec.crawl.mutants.gittins",
    "jvstm": "counterpoint.spec.stm.mutants.jvstm",
    "link-store": "counterpoint.spec.locks.mutants.link_store",
    "norec": "counterpoint.spec.stm.mutants.norec",
    "r1": "counterpoint.spec.crawl.mutants.r1",
    "r2": "counterpoint.spec.crawl.mutants.r2",
    "r3": "counterpoint.spec.crawl.mutants.r3",
    "retrieval": "counterpoint.spec.crawl.mutants.measures",
    "scent": "counterpoint.spec.crawl.mutants.scent",
    "scent-in-time": "counterpoint.spec.crawl.mutants.scent_time",
    "tl2": "counterpoint.spec.stm.mutants.tl2",
    "window-stm": "counterpoint.spec.stm.mutants.window",
}
"""For each public name, the module with its mutants; a mutant is named ``spec/mutant``."""
