"""Pure functions of arrays: the mathematics of the tools, without files, facts or blocks."""
