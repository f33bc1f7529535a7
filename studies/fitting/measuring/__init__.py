"""What is measured in a captured web, and a synthetic web as a capture."""
