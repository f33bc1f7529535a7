"""All claims of the papers that no finding of a study answers."""

from __future__ import annotations

from .claims.beebot import BEEBOT
from .claims.beebot_rules import BEEBOT_RULES
from .claims.claim import ANSWERS, OPEN, UNKNOWABLE, Elsewhere
from .claims.cov import COV
from .claims.cov_quality import COV_QUALITY
from .claims.hits import HITS
from .claims.scent import SCENT
from .claims.stm import STM
from .claims.web import WEB

__all__ = ["ANSWERS", "ELSEWHERE", "OPEN", "UNKNOWABLE", "Elsewhere"]

ELSEWHERE = (*STM, *HITS, *BEEBOT, *BEEBOT_RULES, *COV, *COV_QUALITY, *WEB, *SCENT)
"""The claims in the order of the papers, and of their texts."""
