"""What pages say."""
