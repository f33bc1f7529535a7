"""Which modules are mutated, and which tests must notice."""

from __future__ import annotations

ORACLE = ("tests/models/test_oracle_slips.py", "tests/models/test_oracle_searches.py")
PROOFS = (
    "tests/models/test_oracle_slips.py",
    "tests/models/strangers/test_any_number.py",
    "tests/models/test_oracle_proofs.py",
    "tests/models/test_induction.py",
)
ANY = (
    "tests/models/strangers/test_any_number.py",
    "tests/models/test_oracle_slips.py",
    "tests/models/test_oracle_proofs.py",
    "tests/models/test_any_number.py",
)

LONG: dict[str, tuple[str, ...]] = {
    "models/trace.py": (*ORACLE, "tests/models/test_agreement.py"),
    "models/paths.py": ("tests/models/test_soundness.py", *ORACLE),
    "models/smt.py": (*ORACLE, "tests/models/test_agreement.py"),
    "models/bounded.py": (*ORACLE, "tests/models/test_engines.py"),
    "models/induction.py": PROOFS,
    "models/proving.py": PROOFS,
    "models/k_induction.py": PROOFS,
    "models/parametric.py": ANY,
    "models/loops.py": ANY,
    "models/quantified.py": ANY,
    "models/quantifiers.py": ANY,
    "models/ways.py": ANY,
    "models/any_number.py": ANY,
    "models/small_sizes.py": ANY,
    "models/comparing.py": ("tests/models/strangers/test_one_meaning.py", *ORACLE),
    "models/symmetry.py": ("tests/models/test_reductions.py", *ORACLE),
    "models/partial_order.py": ("tests/models/test_reductions.py", *ORACLE),
    "models/generate.py": ("tests/models/test_soundness.py", *ORACLE),
    "models/compiled/circuit.py": ("tests/models/test_compiled.py",),
}
"""For each module, the tests for what survives the quick ones."""

QUICK: dict[str, tuple[str, ...]] = {
    "models/paths.py": (
        "tests/models/test_paths.py",
        "tests/models/test_soundness.py::test_facts_conclude_nothing_false",
    ),
}
"""For each module, the tests that every mutant of it meets first: some seconds in all."""
