"""What papers printed that does not hold, each with the specs and parameters that show it.

An entry holds no result: `models.sweeps.errata` runs it.
"""

from __future__ import annotations

from .crawl.errata_of_rules import ERRATA as OF_RULES
from .erratum import Erratum

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
    )
}
"""By name."""
