"""Where learned documents are: files in a folder of the home, or rows of a database that several machines share.

Either holds the same text, in YAML. Every change is made under a lock and replaces a text in one step: several
processes may learn at once, and one that is killed leaves the old text or the new one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import BaseModel

from knowflow.ground.locks import locked
from knowflow.ground.yamldoc import parse
from knowflow.knowledge.documents import Loaded, load_model, validated
from knowflow.knowledge.memory_database import MemoryDatabase, shared_memory

M = TypeVar("M", bound=BaseModel)


class Place(Protocol):
    """Texts of one kind by name, in one project. Raises what the disk does, or ``MemoryDatabaseError``."""

    @property
    def where(self) -> str: ...

    @property
    def empty(self) -> bool:
        """Whether there is none, without a look into any."""
        ...

    def loaded(self, model: type[M], name: str | None = None) -> Iterator[Loaded[M]]:
        """All of them, or the one of a name, as they are, in order of names."""
        ...

    def changing(self) -> AbstractContextManager[None]:
        """While nobody else changes what is here."""
        ...

    def put(self, name: str, text: str) -> None:
        """Keep a text in the place of what has its name. Call within :meth:`changing`."""
        ...

    def remove(self, name: str) -> None:
        """Forget what has a name. Call within :meth:`changing`."""
        ...


def place(folder: Path, project: str, kind: str, lock: Path) -> Place:
    """Where documents of a kind are: in the database that is set, else in ``folder``.

    Raises:
        MemoryDatabaseError: it cannot be used. DocumentError: the settings are not valid.
    """
    shared = shared_memory()
    return InFolder(folder, lock) if shared is None else InDatabase(shared, project, kind)


class InFolder:
    """A YAML file each, in a folder, that a person may read and change."""

    def __init__(self, folder: Path, lock: Path) -> None:
        self._folder, self._lock = folder, lock

    @property
    def where(self) -> str:
        return str(self._folder)

    @property
    def empty(self) -> bool:
        try:
            with os.scandir(self._folder) as entries:
                return not any(entry.name.endswith(".yaml") for entry in entries)
        except OSError:
            return True

    def loaded(self, model: type[M], name: str | None = None) -> Iterator[Loaded[M]]:
        if self.empty:
            return
        paths = self._folder.glob("*.yaml") if name is None else [self._path(name)]
        for path in sorted(path for path in paths if path.is_file()):
            yield _loaded(path, model, path.stat().st_mtime_ns, path.stat().st_size)  # type: ignore[misc]

    @contextmanager
    def changing(self) -> Iterator[None]:
        self._folder.mkdir(parents=True, exist_ok=True)
        with locked(self._lock):
            yield

    def put(self, name: str, text: str) -> None:
        temporary = self._folder / f".{name}.{os.getpid()}"
        try:
            with temporary.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self._path(name))
        finally:
            temporary.unlink(missing_ok=True)

    def remove(self, name: str) -> None:
        self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.yaml"


class InDatabase:
    """A row each, in a database."""

    def __init__(self, shared: MemoryDatabase, project: str, kind: str) -> None:
        self._shared, self._project, self._kind = shared, project, kind

    @property
    def where(self) -> str:
        return f"{self._shared.where} {self._project}/{self._kind}"

    @property
    def empty(self) -> bool:
        return not self._shared.texts(self._project, self._kind)

    def loaded(self, model: type[M], name: str | None = None) -> Iterator[Loaded[M]]:
        for one, text in self._shared.texts(self._project, self._kind, name).items():
            yield _parsed(f"{self.where}/{one}.yaml", model, text)  # type: ignore[misc]

    def changing(self) -> AbstractContextManager[None]:
        return self._shared.changing()

    def put(self, name: str, text: str) -> None:
        self._shared.put(self._project, self._kind, name, text)

    def remove(self, name: str) -> None:
        self._shared.remove(self._project, self._kind, name)


@lru_cache(maxsize=512)
def _loaded(path: Path, model: type[BaseModel], changed: int, size: int) -> Loaded[BaseModel]:
    """A file, parsed once for as long as nobody changes it."""
    return load_model(path, model)


@lru_cache(maxsize=512)
def _parsed(where: str, model: type[BaseModel], text: str) -> Loaded[BaseModel]:
    """A text, parsed once."""
    return validated(Path(where), parse(text, where), model)
