"""Our own benchmark: questions of users, answered by running workflows on data whose truth is known."""
