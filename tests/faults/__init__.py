"""A laboratory of faults: processes, databases, disks and clocks that fail while a crawl runs."""
