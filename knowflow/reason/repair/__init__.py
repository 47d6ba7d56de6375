"""What is done about a failure: its diagnosis, the rules that match, and validated edits of the plan."""
