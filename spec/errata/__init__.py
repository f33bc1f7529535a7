"""What papers printed, and what breaks."""
