"""What people write and read: sizes, numbers, counts, checks, tables, charts, and the two outputs."""
