"""Crafts hostile files of graphs with right checksums, and reads them with every reader."""
