"""Captured webs as worlds: served over HTTP, and crawled by policies in process."""
