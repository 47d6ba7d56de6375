"""The inventory of a folder, brought back as a whole where no file in it, and nothing it was read with, is another.

It is kept beside the headers (:mod:`knowflow.reason.inventory.remembered`), where each of these could be remembered and
no file has changed so lately that its time stamp may hide a change. To look at five thousand names and headers one by
one takes four times as long.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from knowflow.ground.kept_rows import KeptRows, digest
from knowflow.ground.kept_values import AMISS, pickled, state
from knowflow.ground.resources import state_home
from knowflow.reason.inventory.inventory import Inventory
from knowflow.reason.inventory.remembered import STORE, Identity, code, settled

_MOST_ROWS, _MOST_BYTES = 8, 16 << 20  # of a hundred thousand files an inventory is taken each time


class KeptInventory:
    """What was found in a folder, among files of given stamps, when it was asked for in the same way."""

    def __init__(self, folder: Path, stamps: Mapping[Path, tuple[Identity, ...]], asked: object) -> None:
        self._begun, self._stamps = time.time_ns(), stamps
        told = sorted((str(path), stamp) for path, stamp in stamps.items())
        self._key = digest(state() + repr((str(folder), os.path.abspath(folder), code(), asked, told)).encode())
        self._rows = KeptRows(state_home() / STORE, "inventories", _MOST_ROWS)

    def told(self) -> Inventory | None:
        """The inventory as it was kept; None where none is."""
        told = self._rows.told(self._key)
        if told is not None:
            with suppress(*AMISS):
                found = pickle.loads(told)
                if isinstance(found, Inventory):
                    self._rows.close(())
                    return found
        return None

    def keep(self, found: Inventory, files: Iterable[Path], remembered: Collection[Path]) -> None:
        """Keep it where all that is read of its ``files`` is remembered, and nothing changed lately."""
        rows = []
        lasting = all(settled(stamp, self._begun) for stamp in self._stamps.values())
        if lasting and all(path in remembered for path in files):
            with suppress(*AMISS):
                rows = [(self._key, pickled(found))]
        self._rows.close(row for row in rows if len(row[1]) <= _MOST_BYTES)
