"""The synthetic web whose truth is known: planted, served, and a referee of crawlers."""
