"""Evaluates rankings and crawls by relevance judgments."""
