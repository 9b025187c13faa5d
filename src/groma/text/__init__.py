"""What people write and read: sizes, numbers, counts, checks, and the two outputs. Each is a module of its own."""
