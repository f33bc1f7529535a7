"""Pages of the synthetic web: addresses, text, change, and all that hosts say."""
