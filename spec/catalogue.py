"""The specifications of this project, by name."""

SPECS = {
    "breadth-first": "counterpoint.spec.crawl.breadth_first:BreadthFirst",
    "dstm": "counterpoint.spec.stm.dstm:DSTM",
    "dstm-progress": "counterpoint.spec.stm.progressing:DSTMProgress",
    "equal-quanta": "counterpoint.spec.crawl.equal_quanta:EqualQuanta",
    "filter-lock": "counterpoint.spec.locks.filter:Filter",
    "focused-for-ever": "counterpoint.spec.crawl.focused_for_ever:FocusedForEver",
    "focused-hits": "counterpoint.spec.crawl.focused:FocusedHits",
    "frontier": "counterpoint.spec.crawl.frontier:Frontier",
    "frontier-for-ever": "counterpoint.spec.crawl.frontier_for_ever:FrontierForEver",
    "gittins": "counterpoint.spec.crawl.gittins:Gittins",
    "jvstm": "counterpoint.spec.stm.jvstm:JVSTM",
    "jvstm-progress": "counterpoint.spec.stm.progressing:JVSTMProgress",
    "link-store": "counterpoint.spec.locks.link_store:LinkStore",
    "mcrt": "counterpoint.spec.stm.mcrt:McRT",
    "mcrt-progress": "counterpoint.spec.stm.progressing:McRTProgress",
    "norec": "counterpoint.spec.stm.norec:NOrec",
    "norec-progress": "counterpoint.spec.stm.progressing:NOrecProgress",
    "peterson": "counterpoint.spec.locks.peterson:Peterson",
    "philosophers": "counterpoint.spec.locks.philosophers:Philosophers",
    "r1": "counterpoint.spec.crawl.r1:R1",
    "r2": "counterpoint.spec.crawl.r2:R2",
    "r3": "counterpoint.spec.crawl.r3:R3",
    "r3-visits": "counterpoint.spec.crawl.visits:VisitsOfR3",
    "retrieval": "counterpoint.spec.crawl.measures:Retrieval",
    "scent": "counterpoint.spec.crawl.scent:Scent",
    "scent-for-ever": "counterpoint.spec.crawl.scent_for_ever:ScentForEver",
    "scent-in-time": "counterpoint.spec.crawl.scent_time:ScentInTime",
    "tl2": "counterpoint.spec.stm.tl2:TL2",
    "tl2-progress": "counterpoint.spec.stm.progressing:TL2Progress",
    "tms2": "counterpoint.spec.stm.tms2:TMS2",
    "window-progress": "counterpoint.spec.stm.progressing:WindowProgress",
    "window-stm": "counterpoint.spec.stm.window:Window",
    "window-tms2": "counterpoint.spec.stm.tms2:RefiningWindow",
}
"""For each public name, ``module:class``."""

PROOFS = {
    "counterpoint.spec.crawl.scent:Scent": ("counterpoint.spec.crawl.scent_proof:EndlessScent",),
    "counterpoint.spec.stm.tms2:RefiningWindow": (
        "counterpoint.spec.stm.tms2_proof:RefiningRecordedWindow",
    ),
    "counterpoint.spec.stm.window:Window": (
        "counterpoint.spec.stm.window_proof:EndlessWindow",
        "counterpoint.spec.stm.recorded_window:RecordedWindow",
    ),
}
"""For a spec's class, the classes with the lemmas of its proofs."""

MUTANTS = {
    "breadth-first": "counterpoint.spec.crawl.mutants.breadth_first",
    "dstm-progress": "counterpoint.spec.stm.mutants.progress",
    "equal-quanta": "counterpoint.spec.crawl.mutants.equal_quanta",
    "focused-hits": "counterpoint.spec.crawl.mutants.focused",
    "frontier": "counterpoint.spec.crawl.mutants.frontier",
    "frontier-for-ever": "counterpoint.spec.crawl.mutants.frontier_for_ever",
    "gittins": "counterpoint.spec.crawl.mutants.gittins",
    "jvstm": "counterpoint.spec.stm.mutants.jvstm",
    "jvstm-progress": "counterpoint.spec.stm.mutants.progress",
    "link-store": "counterpoint.spec.locks.mutants.link_store",
    "mcrt-progress": "counterpoint.spec.stm.mutants.progress",
    "norec": "counterpoint.spec.stm.mutants.norec",
    "norec-progress": "counterpoint.spec.stm.mutants.progress",
    "r1": "counterpoint.spec.crawl.mutants.r1",
    "r2": "counterpoint.spec.crawl.mutants.r2",
    "r3": "counterpoint.spec.crawl.mutants.r3",
    "retrieval": "counterpoint.spec.crawl.mutants.measures",
    "scent": "counterpoint.spec.crawl.mutants.scent",
    "scent-for-ever": "counterpoint.spec.crawl.mutants.scent_for_ever",
    "scent-in-time": "counterpoint.spec.crawl.mutants.scent_time",
    "tl2": "counterpoint.spec.stm.mutants.tl2",
    "tl2-progress": "counterpoint.spec.stm.mutants.progress",
    "window-progress": "counterpoint.spec.stm.mutants.progress",
    "window-stm": "counterpoint.spec.stm.mutants.window",
}
"""For each public name, the module with its mutants; a mutant is named ``spec/mutant``."""
