"""Crawls by several processes that are killed, stopped, interrupted and joined at random.

After each run the store must equal that of an undisturbed crawl, no process may have printed a
traceback, and the referee must find in the server's log that each host was asked by one process at
a time, after its delay. Times are real, so a seed repeats what is done and when, but not how the
processes take turns.
"""
