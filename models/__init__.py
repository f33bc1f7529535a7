"""How a specification is checked: engines behind one `Verdict`."""
