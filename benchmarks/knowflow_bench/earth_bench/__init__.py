"""Earth-Bench: questions with an expert's calls, planned from the question and the names of the files alone."""
