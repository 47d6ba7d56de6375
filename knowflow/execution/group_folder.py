"""The folder through which a run hands groups of nodes to processes that see its state folder, and no more of it.

``todo`` holds actions, each a file; whoever takes one moves it into its own folder below ``taken``, in one step, and
puts what came of it into ``done``. ``alive`` is written into by the run and ``beats`` by whoever works for it, so that
each knows of the other that it lives: by what changes there, whatever clocks say. ``stop`` asks all to end.
"""

from __future__ import annotations

import os
import pickle
import shutil
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from knowflow.execution.persist import read_json, write_json
from knowflow.ground.errors import KnowFlowError

if TYPE_CHECKING:
    from knowflow.execution.action import Action, Outcome

BEAT_S = 2.0
SILENCE_S = 30.0  # after which whoever does not beat any more counts as lost
_TURN_S = 0.2
_LEFT_S = 7 * 86400.0  # a folder of a run that was killed is removed after this
_ALL = "handover"  # the folder of all of them, in the state folder

Carried: TypeAlias = "tuple[Outcome, dict[str, str]]"
"""What came of an action, and the digests of the files that were read for it."""


class HandoverError(KnowFlowError):
    """Groups of nodes cannot be handed over to this process."""

    code = "handover"


class Heard:
    """Whether something that beats has done so lately, by the clock of whoever listens."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last = ""
        self._at = time.monotonic()

    def silent_s(self) -> float:
        """For how many seconds nothing has changed there."""
        with suppress(OSError):
            found = self._path.read_text()
            if found != self._last:
                self._last, self._at = found, time.monotonic()
        return time.monotonic() - self._at


class GroupFolder:
    """The folder as the run sees it. Safe for threads."""

    def __init__(self, home: Path) -> None:
        """Raises ``OSError`` where the state folder cannot be written to."""
        _sweep(home / _ALL)
        self.path = home / _ALL / uuid.uuid4().hex
        for name in ("todo", "taken", "done", "beats", "lost"):
            (self.path / name).mkdir(parents=True)
        told = {"home": str(home), "cwd": os.getcwd(), "path": [os.path.abspath(entry) for entry in sys.path]}
        write_json(self.path / "run.json", {**told, "versions": _versions()})
        self._lock = threading.Lock()
        self._count = 0
        self._beats = 0
        self.beat()

    def beat(self) -> None:
        self._beats += 1
        _write(self.path / "alive", str(self._beats).encode())

    def named(self) -> str:
        """A name for an action; what has a lower one is taken first."""
        with self._lock:
            self._count += 1
            return f"{self._count:08}"

    def put(self, name: str, action: Action, logs: Path) -> None:
        """Have an action carried out by whoever takes it.

        Raises:
            Exception: what it is made of cannot be carried to another process.
        """
        _write(self.path / "todo" / name, pickle.dumps((action, str(logs))))

    def done(self) -> Iterator[tuple[str, Carried]]:
        """What has been done since the last look."""
        for entry in os.listdir(self.path / "done"):
            if not entry.startswith("."):
                path = self.path / "done" / entry
                carried: Carried = pickle.loads(path.read_bytes())
                path.unlink()
                yield entry, carried

    def waiting(self) -> int:
        """How many actions nobody has taken yet."""
        return sum(not name.startswith(".") for name in os.listdir(self.path / "todo"))

    def heard(self, who: str) -> Heard:
        return Heard(self.path / "beats" / who)

    def lose(self, who: str) -> tuple[list[str], bool]:
        """Give up somebody, who can take nothing any more: what was taken and not done, and whether it ever came."""
        away = self.path / "lost" / who
        try:
            (self.path / "taken" / who).rename(away)
        except FileNotFoundError:
            return [], False
        return sorted(os.listdir(away)), True

    def again(self, who: str, name: str) -> None:
        """Have what somebody lost be taken by another."""
        (self.path / "lost" / who / name).rename(self.path / "todo" / name)

    def stop(self) -> None:
        """Ask all who work for the run to end."""
        with suppress(OSError):
            _write(self.path / "stop", b"")

    def remove(self) -> None:
        """Forget it all; whoever still works for the run finds nothing, and ends."""
        shutil.rmtree(self.path, ignore_errors=True)


class Hand:
    """The folder as somebody sees it who works for the run, and is called ``who``."""

    def __init__(self, path: Path, who: str) -> None:
        """Raises:
        HandoverError: the folder is not seen here, or the run is of another version.
        """
        self._path, self._who = path, who
        self._run = Heard(path / "alive")
        try:
            told = read_json(path / "run.json")
        except OSError as error:
            raise HandoverError(
                "the state folder of the run is not seen here",
                where=str(path),
                found=f"{type(error).__name__}: {error.strerror}",
                hint="workers need the state folder (KNOWFLOW_HOME) and the data under the same paths",
            ) from error
        if told["versions"] != (own := _versions()):
            raise HandoverError(
                "the worker is of another version than the run", expected=str(told["versions"]), found=str(own)
            )
        self.home = Path(told["home"])
        self._told = told
        (path / "taken" / who).mkdir()

    def stand_in(self) -> None:
        """Have this process be where the run is (its paths may be relative), and find the tools of its project."""
        with suppress(OSError):  # who has no such folder may have all paths whole
            os.chdir(self._told["cwd"])
        sys.path += [entry for entry in self._told["path"] if entry not in sys.path]

    @property
    def wanted(self) -> bool:
        """Whether the run is there, and wants more to be done."""
        return not (self._path / "stop").exists() and self._run.silent_s() < SILENCE_S

    def take(self) -> tuple[str, Action, Path] | None:
        """The action that has waited longest, with the folder for its logs; None where there is none, or nothing is to
        be taken by us any more."""
        with suppress(FileNotFoundError):
            for name in sorted(os.listdir(self._path / "todo")):
                if name.startswith("."):
                    continue
                taken = self._path / "taken" / self._who / name
                with suppress(FileNotFoundError):
                    (self._path / "todo" / name).rename(taken)
                    action, logs = pickle.loads(taken.read_bytes())
                    return name, action, Path(logs)
        return None

    def give(self, name: str, carried: Carried) -> None:
        """Give back what came of an action; to a run that has gone nothing is given."""
        with suppress(FileNotFoundError):
            _write(self._path / "done" / name, pickle.dumps(carried))
            (self._path / "taken" / self._who / name).unlink()

    @contextmanager
    def beating(self, end: Callable[[], None]) -> Iterator[None]:
        """Within this, the run hears that we live; ``end`` is called, once, when it wants nothing any more."""
        ended = threading.Event()

        def beat() -> None:
            count = 0
            while not ended.wait(_TURN_S):
                if count % round(BEAT_S / _TURN_S) == 0:
                    with suppress(OSError):
                        _write(self._path / "beats" / self._who, str(count).encode())
                count += 1
                if not self.wanted:
                    end()
                    return

        threading.Thread(target=beat, daemon=True).start()
        try:
            yield
        finally:
            ended.set()


def _versions() -> dict[str, Any]:
    """What has to be the same on both sides for results and what is sent to mean the same."""
    return {"knowflow": version("knowflow"), "python": f"{sys.version_info[0]}.{sys.version_info[1]}"}


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all, in one step."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    temporary.write_bytes(content)
    os.replace(temporary, path)


def _sweep(folder: Path) -> None:
    """Remove what runs left that were killed."""
    for one in folder.glob("*/alive"):
        with suppress(OSError):
            if time.time() - one.stat().st_mtime > _LEFT_S:
                shutil.rmtree(one.parent, ignore_errors=True)
