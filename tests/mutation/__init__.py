"""Mutation testing of the modules that decide: which small changes of them no test notices."""
