"""What the names of files end in that are tables."""

from __future__ import annotations

WORKBOOKS = frozenset({".xlsx", ".xlsm", ".ods"})
"""What the names of workbooks end in that are read."""
OLD_WORKBOOKS = frozenset({".xls", ".xlsb"})
"""What the names of those end in of which is told how they can be read."""
TABLES = WORKBOOKS | {".csv"}
"""What the names of tables end in."""
