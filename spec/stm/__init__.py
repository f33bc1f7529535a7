"""Software transactional memory: one protocol in each module, and criteria of correctness."""
