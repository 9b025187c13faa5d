"""What mpptest prints: a line of two ranks, their distance, a size, a time and a rate."""

from groma.programs.printed import Importer

IMPORTER = Importer.of(__file__)
