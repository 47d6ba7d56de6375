"""Metamorphic relations: what may change about a folder of data without changing the answer to a question about it.

Each relation rewrites a folder (with rasterio, NumPy and the file system only: never by KnowFlow's own readers and
writers) and says how near the answers must be. `table.RELATIONS` lists them; the bench that runs questions on both
folders is in `knowflow_bench.metamorphic`.
"""
