"""One point as a plain C program: what measured it, for those who do not have Groma."""
