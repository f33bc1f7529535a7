"""Studies: what papers and policies bring, measured on webs whose truth is known."""
