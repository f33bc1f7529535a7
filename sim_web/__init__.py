"""The synthetic web whose truth is known. Nothing is built here yet."""
