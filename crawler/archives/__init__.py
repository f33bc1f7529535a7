"""Web archives: WARC files, their index, and the captured web in them."""
