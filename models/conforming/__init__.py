"""The state of real code beside the states that a spec allows, by the user's mapping."""
