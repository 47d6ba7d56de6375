"""Data that lie elsewhere: object stores and web servers, listed, described by their headers, fetched by their tiles.

What a source is (a bucket, a catalogue) and which of its objects a question is about belongs to
:mod:`knowflow.service.sources`; here is the network, and nothing else of the house goes to it for data.
"""
