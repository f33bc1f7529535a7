"""The HTTP API of the studio: what its pages show and do, as JSON."""
