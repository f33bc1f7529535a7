"""Topical crawls: their start sets, answers and growth, and the experiment of [HITS]."""
