"""Runs real threads under many schedules, and judges what they did."""

from .cases import Case
from .exploring import Explored, Fault, explored
from .schedules import Schedules

__all__ = ["Case", "Explored", "Fault", "Schedules", "explored"]
