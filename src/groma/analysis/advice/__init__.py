"""The cost of anti-patterns, and the best placement and number of ranks, from the figures of a run."""
