"""What a whole run costs, from the shell prompt to the report, beside programs that compute the same and no more."""
