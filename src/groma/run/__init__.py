"""A campaign: launches one after another into a run directory, within a budget, and resumable."""
