"""Policies in crawlers of others: a queue that a policy orders, for Scrapy, Crawlee and others."""

from __future__ import annotations
