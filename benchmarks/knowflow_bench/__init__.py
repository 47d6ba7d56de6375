"""Benchmarks: what was measured, on what, and how it compares with what others published."""
