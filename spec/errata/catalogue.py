"""What papers printed that does not hold, each with the specs and parameters that show it.

An entry holds no result: `counterpoint.models.sweeps.errata` runs it.
"""

from __future__ import annotations

from .erratum import Erratum
from .rules import ERRATA as OF_RULES

__all__ = ["ERRATA", "Erratum"]


ERRATA = {
    e.name: e
    for e in (
        *OF_RULES,
        Erratum(
            name="window-stm-clock",
            source="Imbs and Raynal, a software transactional memory with windows of logical time "
            "(PaCT 2009, LNCS 5698, pp. 26-40; corrected in The Journal of Supercomputing, 2010)",
            printed="Fetch&Increment, inside the commit operation, returns the clock's old value.",
            corrected="It returns the new value.",
            caveat="The protocol is our reconstruction: of the verification study that found the "
            "error only the conclusion is available to us, not the paper's pseudo-code.",
            reference="window-stm",
            as_printed={"fetch-and-increment": "old"},
            as_corrected={"fetch-and-increment": "new"},
            breaks="opacity",
        ),
        Erratum(
            name="dstm-write-skew",
            source="Herlihy, Luchangco, Moir and Scherer, software transactional memory for "
            "dynamic-sized data structures (PODC 2003, pp. 92-101)",
            printed="A transaction commits if all that it has read is the last committed version.",
            corrected="Whenever it looks at what it has read, it aborts whoever owns it by now.",
            caveat="Found by Lesani and Palsberg (Proving Non-opacity, DISC 2013). The spec is "
            "after descriptions of the protocol; its steps, and the mend, are ours.",
            reference="dstm",
            as_printed={"validation": "versions"},
            as_corrected={"validation": "owners"},
            breaks="serializability",
        ),
        Erratum(
            name="mcrt-write-exposure",
            source="Saha, Adl-Tabatabai, Hudson, Minh and Hertzberg, McRT-STM: a high performance "
            "software transactional memory system for a multi-core runtime (PPoPP 2006, "
            "pp. 187-197)",
            printed="A read notes the version of its record and loads; versions are compared when "
            "the transaction commits.",
            corrected="After each load it compares the versions of all that it has read.",
            caveat="Found by Lesani and Palsberg (Proving Non-opacity, DISC 2013); what commits is "
            "serializable all the same. The spec follows descriptions of the protocol; its steps, "
            "and the mend, are ours.",
            reference="mcrt",
            as_printed={"read-check": "nothing"},
            as_corrected={"read-check": "all-records"},
            breaks="opacity",
        ),
        Erratum(
            name="scent-harvest",
            source="Sotnik, the S.C.E.N.T. crawling algorithm",
            printed="The harvest of a visit takes the difference in bytes, and returns the "
            "logarithm of the page's size + 1.",
            corrected="It returns the logarithm of the difference + 1.",
            caveat="The paper's formulas are lost in our copy; the text is clear. Harvests are "
            "whole numbers here, and pages of one size. The claim that fails is the paper's own: "
            "without gain, pages found unchanged several times are no longer visited.",
            reference="scent",
            as_printed={"harvest": "size"},
            as_corrected={"harvest": "difference"},
            breaks="unchanged-is-left",
            bounds={"delta-s": 0, "pages": 2, "static": 1, "iterations": 6},
        ),
        Erratum(
            name="hits-precision",
            source="Blekanov and Bondarenko, topical crawling based on HITS",
            printed="Precision is a / (a + b), where b is the number of documents found.",
            corrected="b is the number of documents found that are not relevant.",
            caveat="The paper's figures are of the corrected formula: as printed no precision "
            "exceeds 1/2, and the paper reports 0.93.",
            reference="retrieval",
            as_printed={"b": "all"},
            as_corrected={"b": "irrelevant"},
            breaks="no-fault-is-full-precision",
        ),
    )
}
"""By name."""
