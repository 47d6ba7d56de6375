"""Plans as process graphs of openEO, and process graphs as plans.

``terms``: arithmetic of pixels as a child process graph. ``graph``: cubes, and what is computed of them.
``counterparts``, ``temperature`` and ``terrain``: what each tool is, that has one. ``document``: what is written.
``reading``: what is read, ``shapes`` of which forms.
"""

from __future__ import annotations

from knowflow.roof.exports.openeo.document import COLLECTIONS, write_openeo
from knowflow.roof.exports.openeo.reading import template_of

__all__ = ["COLLECTIONS", "template_of", "write_openeo"]
