"""Specs as users write them who do not know how the engines read them."""
