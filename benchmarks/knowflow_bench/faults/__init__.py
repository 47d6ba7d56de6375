"""The campaign of faults: known faults put into runs, and what becomes of each."""
