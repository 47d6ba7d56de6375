"""GDAL's algorithms as tools."""
