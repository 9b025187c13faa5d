"""`python -m groma.report > docs/figures.md` writes the page of definitions."""

from groma.report.definitions import page

print(page(), end="")
