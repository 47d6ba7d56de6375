"""GDAL's algorithms as tools: ``bind`` and ``check_binding`` for authored schemas, ``generated_schemas`` for the rest."""
