"""The door for agents: KnowFlow as a server of the Model Context Protocol, over standard streams or HTTP.

What is offered is in ``questions`` (the facade) and ``pack`` (a pack of tools under its published names); ``server``
carries out what a client calls, ``serving`` opens the streams. The ``mcp`` package is an extra; these two alone import
it.
"""
