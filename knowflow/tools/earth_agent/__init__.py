"""The tool pack `earth_agent`: 104 published names and argument lists, carried out by this project's own tools.

The functions here are thin: they turn file names and lists into artifacts, and call the tools and kernels. Each takes
what a workflow hands over (artifacts, a path to write) and what the published signatures say (file names, lists).
"""
