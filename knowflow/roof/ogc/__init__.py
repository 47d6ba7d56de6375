"""The door for clients of OGC API - Processes: templates as processes of pygeoapi, an existing server.

``configuration`` writes what pygeoapi is started with, ``processor`` is the plugin that it then loads; pygeoapi is an
extra, which the second imports alone.
"""
