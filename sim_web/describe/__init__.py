"""A synthetic web described: measures, pictures, and the memory that it takes."""
