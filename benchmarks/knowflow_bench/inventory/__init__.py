"""How much of a folder is understood: files of which the truth is known, under published and other names."""
