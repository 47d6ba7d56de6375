"""A second opinion: what tools compute, computed again with NumPy, SciPy and shapely on pixels that rasterio reads.

Nothing here imports any other part of KnowFlow (a test sees to it): neither kernels, nor readers, nor units.
`book.OPINIONS` has one function for each tool that has a counterpart; `book.WITHOUT` says why others have none.
"""
