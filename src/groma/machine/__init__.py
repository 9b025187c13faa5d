"""This machine, and what each of its properties means for a measurement (`groma check`)."""
