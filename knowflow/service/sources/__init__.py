"""Where data come from: folders, lists of files, buckets, web servers, catalogues, cubes, one or several of them.

Everything but a single folder becomes a folder of its own in the state folder, once: local files are linked, rasters
elsewhere become references, small files are copied. It is frozen: the same sources, area and period are the same folder
until somebody refreshes it. To the rest of the house it is a folder.
"""

from knowflow.service.sources.places import local, notes_of

__all__ = ["local", "notes_of"]
