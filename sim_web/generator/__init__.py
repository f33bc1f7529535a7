"""The generator plants a bow-tie; it computes the links of each page and stores none."""

from .explicit import Explicit
from .layout import Component
from .web import Web

__all__ = ["Component", "Explicit", "Web"]
