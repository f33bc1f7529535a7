"""Fast schedulers; `counterpoint.spec.crawl` specifies what they must do."""
