"""The states of very many files, noted folder by folder: which files of a folder belong to a dataset is asked when the
dataset is looked at, not of each of them before the first node starts."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from pathlib import Path

# all parts of these stand beside them
_ALONE_OR_BESIDE = (".tif", ".tiff", ".jp2")


class Standing:
    """What stood in some folders at one time. Folders that cannot be listed count as not noted."""

    def __init__(self, stamp: Callable[[os.stat_result], str]) -> None:
        self._stamp = stamp
        self._folders: dict[str, dict[str, os.stat_result]] = {}
        self._sorted: dict[str, list[str]] = {}
        self._noted: set[str] = set()

    def __contains__(self, path: str) -> bool:
        return path in self._noted

    def note(self, paths: Iterable[str]) -> list[str]:
        """Note the folders of datasets; returns the paths that are to be looked at one by one instead."""
        others = []
        for path in paths:
            folder, name = os.path.split(path)
            if name.lower().endswith(_ALONE_OR_BESIDE) and name in self._listed(folder or "."):
                self._noted.add(path)
            else:
                others.append(path)
        return others

    def _listed(self, folder: str) -> Mapping[str, os.stat_result]:
        if folder not in self._folders:
            try:
                with os.scandir(folder) as entries:
                    found = {one.name: os.stat(one.path) for one in entries if one.is_file()}
            except OSError:
                found = {}
            self._folders[folder] = found
            self._sorted[folder] = sorted(found)
        return self._folders[folder]

    def stayed(self, path: str, parts: Mapping[str, str]) -> bool:
        """Whether the files of a dataset, with the states that they have now, are those that stood there; nothing that
        goes by its name may be gone."""
        file = Path(path)
        folder = os.path.split(path)[0] or "."
        before, names = self._folders[folder], self._sorted[folder]
        for part, state in parts.items():
            stood = before.get(Path(part).name)
            if stood is None or self._stamp(stood) != state:
                return False
        for name in islice(names, bisect_left(names, file.stem), None):
            if not name.startswith(file.stem):
                break
            if not os.path.exists(os.path.join(folder, name)):
                return False
        return True
