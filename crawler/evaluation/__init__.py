"""Rankings and crawls judged by what is relevant."""
