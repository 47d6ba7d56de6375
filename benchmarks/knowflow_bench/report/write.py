"""The stored figures of a checkout, and its pages brought up to them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from knowflow_bench.report.figures import when_made
from knowflow_bench.report.ledger import ledger, require_older
from knowflow_bench.report.pages import pages_of, rendered
from knowflow_bench.report.tables import blocks

FIGURES = Path("docs/figures.json")
LEDGER = Path("docs/first_met.yaml")


def tables_of(checkout: Path) -> dict[str, str]:
    """The tables of the figures that a checkout stores."""
    document = json.loads((checkout / FIGURES).read_text(encoding="utf-8"))
    return blocks(document, ledger(checkout / LEDGER))


def written(checkout: Path, document: Mapping[str, Any]) -> list[Path]:
    """Store figures, and render every page that shows them; the pages that changed.

    Raises:
        DocumentError: the ledger says that a sealed set is older than the revision that met it.
    """
    require_older(ledger(checkout / LEDGER), partial(when_made, checkout))
    (checkout / FIGURES).write_text(json.dumps(document, indent=1, sort_keys=False) + "\n", encoding="utf-8")
    tables = tables_of(checkout)
    changed = []
    for page in pages_of(checkout):
        old = page.read_text(encoding="utf-8")
        new = rendered(old, tables)
        if new != old:
            page.write_text(new, encoding="utf-8")
            changed.append(page)
    return changed
