"""Policies in crawlers of others: a queue that a policy orders, and a scheduler for Scrapy."""

from __future__ import annotations
