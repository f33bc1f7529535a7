"""Sets, bags, maps, records, sequences, queues and messages, made of cells."""
