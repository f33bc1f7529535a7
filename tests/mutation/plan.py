"""Which modules are mutated, and which tests must notice."""

from __future__ import annotations

LTL = ("tests/models/ltl/test_normal.py", "tests/models/ltl/test_automata.py")
LIVENESS = "tests/models/liveness"
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

QUICK_ORACLE = "tests/mutation/quick.py"
AGREE = "tests/models/test_agreement.py"
SOUND = "tests/models/test_soundness.py"
SLIPS = "tests/models/test_oracle_slips.py"
REDUCED = "tests/models/test_reductions.py"
BITS = "tests/models/test_compiled.py"

PROVER = ("tests/models/test_prover.py", "tests/models/test_prover_limits.py")

READ_FOR_ANY = ("tests/models/test_any_size.py", "tests/models/test_any_size_refused.py")

LONG: dict[str, tuple[str, ...]] = {
    "models/symbolic/trace.py": (*ORACLE, "tests/models/test_agreement.py"),
    "models/symbolic/paths.py": ("tests/models/test_soundness.py", *ORACLE),
    "models/symbolic/smt.py": (*ORACLE, "tests/models/test_agreement.py"),
    "models/prove/bounded.py": (
        *ORACLE,
        "tests/models/test_engines.py",
        "tests/models/test_engine_corners.py",
    ),
    "models/prove/induction.py": PROOFS,
    "models/prove/proving.py": PROOFS,
    "models/prove/k_induction.py": PROOFS,
    "models/prove/sizes/parametric.py": ANY,
    "models/prove/sizes/loops.py": ANY,
    "models/prove/sizes/quantified.py": ANY,
    "models/prove/sizes/quantifiers.py": ANY,
    "models/prove/sizes/ways.py": ANY,
    "models/prove/sizes/any_number.py": ANY,
    "models/prove/sizes/small_sizes.py": ANY,
    "models/symbolic/comparing.py": (
        "tests/models/strangers/test_one_meaning.py",
        "tests/models/strangers/test_declarations.py",
        *ORACLE,
    ),
    "models/symbolic/symmetry.py": ("tests/models/test_reductions.py", *ORACLE),
    "models/symbolic/partial_order.py": ("tests/models/test_reductions.py", *ORACLE),
    "models/explore/python/generate.py": ("tests/models/test_soundness.py", *ORACLE),
    "models/explore/compiled/circuit.py": ("tests/models/test_compiled.py",),
    "models/ltl/normal.py": (f"{LIVENESS}/test_formulas.py",),
    "models/ltl/construction.py": (f"{LIVENESS}/test_formulas.py",),
    "models/explore/liveness/graph.py": (f"{LIVENESS}/test_compiled.py",),
    "models/explore/liveness/search.py": (f"{LIVENESS}/test_compiled.py",),
    "models/explore/liveness/product.py": (f"{LIVENESS}/test_formula_verdicts.py",),
}
"""For each module, the tests for what survives the quick ones."""

QUICK: dict[str, tuple[str, ...]] = {
    "models/symbolic/trace.py": (
        "tests/models/test_trace.py",
        "tests/models/test_trace_checks.py",
        f"{QUICK_ORACLE}::test_all_states",
        f"{AGREE}::test_random_specs_step_alike_in_all_engines",
        f"{SLIPS}::test_an_error_of_an_action_is_one",
    ),
    "models/symbolic/paths.py": (
        "tests/models/test_paths.py",
        f"{SOUND}::test_facts_conclude_nothing_false",
    ),
    "models/symbolic/smt.py": (
        "tests/models/test_z3_terms.py",
        f"{AGREE}::test_z3_agrees_on_random_states[peterson-some]",
    ),
    "models/prove/bounded.py": (
        "tests/models/test_bounded.py",
        "tests/models/test_bounded_ends.py",
        f"{QUICK_ORACLE}::test_runs_of_few_steps",
    ),
    "models/prove/induction.py": (
        "tests/models/test_small_proofs.py",
        *PROVER,
        "tests/models/test_slips.py",
    ),
    "models/prove/proving.py": (*PROVER, "tests/models/test_small_proofs.py"),
    "models/prove/k_induction.py": PROVER,
    "models/symbolic/comparing.py": (
        "tests/models/test_comparing.py",
        "tests/models/test_compared_states.py",
    ),
    "models/symbolic/symmetry.py": (
        "tests/models/test_alike.py",
        "tests/models/test_exchanges.py",
        f"{REDUCED}::test_what_is_interchangeable",
        f"{REDUCED}::test_a_representative_is_the_same_for_a_whole_class",
    ),
    "models/symbolic/partial_order.py": ("tests/models/test_waiting.py",),
    "models/explore/python/generate.py": (
        "tests/models/test_generated_code.py",
        f"{QUICK_ORACLE}::test_all_states",
        f"{SOUND}::test_expressions_mean_what_python_means",
    ),
    "models/explore/compiled/circuit.py": (
        "tests/models/test_circuit.py",
        f"{BITS}::test_expressions_become_bits",
    ),
    "models/ltl/normal.py": LTL,
    "models/ltl/construction.py": LTL,
    "models/explore/liveness/graph.py": (
        f"{LIVENESS}/test_lassos.py",
        f"{LIVENESS}/test_verdicts.py",
        f"{LIVENESS}/test_agreement.py",
    ),
    "models/explore/liveness/search.py": (
        f"{LIVENESS}/test_lassos.py",
        f"{LIVENESS}/test_verdicts.py",
        f"{LIVENESS}/test_agreement.py",
    ),
    "models/explore/liveness/product.py": (f"{LIVENESS}/test_formulas.py",),
    "models/prove/sizes/loops.py": ("tests/models/test_loops.py",),
    "models/prove/sizes/ways.py": READ_FOR_ANY,
    "models/prove/sizes/parametric.py": READ_FOR_ANY,
    "models/prove/sizes/quantified.py": ("tests/models/test_quantified.py",),
    "models/prove/sizes/quantifiers.py": (
        "tests/models/test_quantifiers.py",
        "tests/models/test_any_number_verdicts.py",
        "tests/models/test_slips.py",
    ),
    "models/prove/sizes/any_number.py": (
        "tests/models/test_any_number_verdicts.py",
        "tests/models/test_slips.py",
    ),
    "models/prove/sizes/small_sizes.py": (
        "tests/models/test_small_sizes.py",
        "tests/models/test_slips.py",
    ),
}
"""For each module, the tests that every mutant of it meets first: some seconds in all."""
