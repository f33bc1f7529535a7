"""Software transactional memory: protocols, one a file, and what it means for them to be right."""
