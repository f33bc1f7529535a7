"""``counterpoint init``: looks at a repository, and writes a configuration with examples."""

from .looking import Found, look
from .spiders import FoundSpider
from .writing import Step, start

__all__ = ["Found", "FoundSpider", "Step", "look", "start"]
