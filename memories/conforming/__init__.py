"""Real code beside a spec: after each step its state must be one that the spec allows."""

from .comparing import Comparison, RunDiffers, Watch

__all__ = ["Comparison", "RunDiffers", "Watch"]
