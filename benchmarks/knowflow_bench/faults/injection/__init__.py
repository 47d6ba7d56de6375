"""Faults of known cause, put into data, tools, parameters, the machine and the answers of language models."""
