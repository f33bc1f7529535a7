"""What histories can be recorded of."""
