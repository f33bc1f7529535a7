"""What [STM] says of the window protocol, of which our copy has the conclusion."""

from __future__ import annotations

from counterpoint.studies.papers.report import IN_PART, REPRODUCED

from .claim import UNKNOWABLE, Elsewhere

PAPER = "[STM]"

STM = (
    Elsewhere(
        PAPER,
        "the pseudo-code of the protocol",
        "in the body of the study",
        "a reconstruction of ours, with 10 choices as parameters",
        UNKNOWABLE,
        "our copy has the study's conclusion alone",
    ),
    Elsewhere(
        PAPER,
        "the counterexample that Spin found",
        "mentioned",
        "ours has 13 steps",
        UNKNOWABLE,
        "our copy has neither its length nor its steps",
    ),
    Elsewhere(
        PAPER,
        "the sizes up to which the protocol was verified",
        "not in our copy",
        "2 x 2 by default, up to 6 x 6 as parameters, and a proof for any number",
        UNKNOWABLE,
        "our copy has the study's conclusion alone",
    ),
    Elsewhere(
        PAPER,
        "the published proof of correctness is wrong",
        "wrong",
        "with the old value two lemmas of our own proof fail, at Fetch&Increment",
        UNKNOWABLE,
        "the proof is in an article that is not among the documents",
    ),
    Elsewhere(
        PAPER,
        "the protocol is verified by the model checker Spin",
        "Spin",
        "the spec is exported for Spin, and five engines of ours check it",
        REPRODUCED,
        "counterpoint export window-stm --to promela; docs/explanation/for-spin-and-tla-users.md",
    ),
    Elsewhere(
        PAPER,
        "such errors show rarely, and only in special cases",
        "rarely",
        "random runs of two transactions, and the code under a short load, do show the old value's "
        "error; another slip, a re-check that ignores locks, shows from four transactions on",
        IN_PART,
        "counterpoint check window-stm --set fetch-and-increment=old --engine stateful; "
        "counterpoint papers stm; counterpoint search window-stm/recheck-ignores-locks --objects 2",
    ),
    Elsewhere(
        PAPER,
        "automatic verification is needed beside proofs by hand",
        "needed",
        "it also finds the errors of DSTM and McRT, which were published as correct",
        REPRODUCED,
        "counterpoint errata dstm-write-skew; counterpoint errata mcrt-write-exposure",
    ),
    Elsewhere(
        PAPER,
        "the criterion of correctness for transactional memories",
        "that of Guerraoui and Kapalka, by its reference",
        "opacity, which is theirs, and four other criteria, are properties of each spec",
        REPRODUCED,
        "counterpoint check window-stm --property opacity; docs/reference/glossary.md",
    ),
    Elsewhere(
        PAPER,
        "the protocol's authors adopted the correction",
        "adopted",
        "named as the source of the erratum, and not verified",
        UNKNOWABLE,
        "the corrected article is not among the documents",
    ),
)
"""Claims of the conclusion."""
