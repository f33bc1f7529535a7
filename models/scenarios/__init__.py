"""Scenarios: runs written by hand, with what must be true in them, as tests and documentation."""

from .files import MARK, files_of, is_scenario
from .notation import Line, Scenario, ScenarioError, read_scenarios
from .player import Player, Unmet
from .playing import Failure, Played, play, play_file
from .writing import as_scenario

__all__ = [
    "MARK",
    "Failure",
    "Line",
    "Played",
    "Player",
    "Scenario",
    "ScenarioError",
    "Unmet",
    "as_scenario",
    "files_of",
    "is_scenario",
    "play",
    "play_file",
    "read_scenarios",
]
