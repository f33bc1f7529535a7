"""The steps by which the tables of a link store came to be as they are."""
