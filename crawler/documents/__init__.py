"""Documents and addresses, as they are found on the Web."""
