"""What KnowFlow shows in a terminal: plans, live progress, answers, tables, problems and errors."""
