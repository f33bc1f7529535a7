"""The generator: plants a bow-tie and gives each page its links, without storing any."""

from .explicit import Explicit
from .layout import Component
from .web import Web

__all__ = ["Component", "Explicit", "Web"]
