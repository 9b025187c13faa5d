"""Real programs beside the profiles that stand for them, on the same library with the same binding."""
