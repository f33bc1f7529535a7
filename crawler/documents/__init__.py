"""Reads documents and addresses from the Web: links, text, encodings, robots.txt."""
