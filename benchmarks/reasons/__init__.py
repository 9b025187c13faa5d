"""The reasons of the comparison on an SGI Altix, beside what `groma explain` measures here."""
