"""A synthetic web as a site that answers, and as a world that a policy crawls."""
