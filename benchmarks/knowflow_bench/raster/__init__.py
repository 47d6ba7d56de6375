"""How fast is the raster core? Beside its limit, beside whole-array code, and beside loops of other libraries.

The *limit* of an index: the same bytes read and decompressed, and a ready array of the same type, tiling and codec
compressed and written, with the same windows and two threads, nothing computed. The limit of statistics of many scenes:
their bytes read and decompressed. Every run is a process of its own, runs alternate, times are medians, without
imports. Peak memory is the largest resident size of a process, imports included.
"""
