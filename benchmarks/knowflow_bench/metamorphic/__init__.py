"""Questions asked twice: of a random scene, and of the same scene changed in a way that cannot matter."""
