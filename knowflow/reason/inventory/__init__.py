"""A folder of Earth-observation files as facts: what is there, what it means, and how that is known."""
