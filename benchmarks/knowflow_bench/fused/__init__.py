"""What does one pass over blocks save? Beside our own nodes one by one, whole-array code, and xarray with dask.

NDVI, clouds left out, a threshold, an area: of one large scene; and NDVI of many dates without their clouds, over time.
Whoever writes, writes the same types with the same codec; only what nobody asks for is not written in one pass. Every
run is a process of its own, runs alternate, processor times are medians, without imports: each variant runs once on a
tiny scene before.
"""
