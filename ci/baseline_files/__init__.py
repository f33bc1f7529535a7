"""What the files of all baselines have in common: reading, writing, names, who may accept them."""
