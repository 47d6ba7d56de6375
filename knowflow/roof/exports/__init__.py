"""A run or a plan in the documents of others: STAC, RO-Crate, openEO and CWL. What one of them cannot express is
refused with the node that it is about; nothing is exported half.

Not here: plans as KnowFlow's own YAML (``knowledge/plan_document``), reports (``roof/report``).
"""

from __future__ import annotations

from knowflow.roof.exports.leaving import FORMATS, export

__all__ = ["FORMATS", "export"]
