"""Formulas of linear temporal logic: normal forms, automata, and their truth on lassos."""
