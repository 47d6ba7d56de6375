"""Plain questions of every kind on real data, in three wordings each, beside NumPy on the same files."""
