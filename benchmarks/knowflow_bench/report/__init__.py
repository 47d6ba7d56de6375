"""All that is measured, in one file of one revision, and the tables that pages show of it."""
