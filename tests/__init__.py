"""The tests; a package, so that no other one of that name, which some distributions install, is taken for it."""
