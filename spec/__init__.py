"""What is right: specifications and definitions, pure and without input or output."""
