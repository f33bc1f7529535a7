"""Crawls that look for something: start sets, answers, growth; the experiment of [HITS]."""
