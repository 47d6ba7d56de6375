"""Results of nodes that several machines share: there whole, or not there, and never what a run depends on.

``results/<first two of key>/<key>`` describes a result, and names its files by their SHA-256, under which they lie in
``files/``. A file is there before what names it; a name is given once; whoever fetches compares every digest. So no
lock is needed for a result to be right, whoever is killed when.

``leases/<key>`` only saves work: who holds it makes the result, the others wait. Its holder writes into it every few
seconds. Whoever waits, and sees by its own clock that nothing was written for longer, takes it over: its holder is
dead, or cut off. If it is not, two machines make the same result, and the second finds it there.

What the store refuses, or does not answer, leaves a run with its own cache: it is told once, and tried again later.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from knowflow.execution.content import file_digest
from knowflow.execution.shared_objects import Held, Objects, inside

T = TypeVar("T")

_FORMAT = 1
_BEAT_S, _SILENCE_S = 5.0, 30.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 2.0
_REST_S = 60.0  # after a failure, and twice as long after each further one
_AT_ONCE = 8


class _WrongError(Exception):
    """An object is not what was written."""


class SharedCache:
    """Results in a store of objects. Safe for threads.

    ``beat_s``: how often the holder of a lease writes into it (s); ``silence_s``: for how long it has written nothing
    when another takes it over.
    """

    def __init__(self, objects: Objects, beat_s: float = _BEAT_S, silence_s: float = _SILENCE_S) -> None:
        self.where = objects.where
        self.failure = ""
        self._objects = objects
        self._beat_s, self._silence_s = beat_s, silence_s
        self._holder = uuid.uuid4().hex
        self._held: dict[str, float] = {}  # leases, with when we wrote into each
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._beating: threading.Thread | None = None
        self._rests_until, self._rest_s = 0.0, _REST_S

    def close(self) -> None:
        """Give up what is held."""
        self._ending.set()
        for key in tuple(self._held):
            self._release(key)

    @property
    def told(self) -> str:
        """What a person is told of a store that failed, without its address; nothing of one that did not."""
        if not self.failure:
            return ""
        return f"the shared cache {self.where} was not used all the time ({self.failure}); the run has its own"

    # --- results -----------------------------------------------------------------------------------------------------

    def pull(self, wanted: Mapping[str, Path], place: Callable[[str, Path], bool]) -> frozenset[str]:
        """Fetch results into folders that are made, by key; ``place`` is called with each that has come whole, and says
        whether it is of use. Returns the keys of these.

        A result that is not what was written is taken out of the store.
        """
        if not wanted or self._rests():
            return frozenset()
        if len(wanted) == 1:
            return frozenset(key for key, folder in wanted.items() if self._pulled(key, folder, place))
        with ThreadPoolExecutor(min(len(wanted), _AT_ONCE)) as threads:
            came = threads.map(lambda key: self._pulled(key, wanted[key], place), wanted)
            return frozenset(key for key, there in zip(wanted, came, strict=True) if there)

    def push(self, key: str, folder: Path, document: str, files: Sequence[str], *, told: bool) -> None:
        """Have a result that lies in a folder; ``told``: it is only told of what was not kept."""
        self._tried(lambda: self._pushed(key, folder, document, files, told=told))

    def _pulled(self, key: str, folder: Path, place: Callable[[str, Path], bool]) -> bool:
        def fetch() -> bool:
            held = self._objects.read(_result(key))
            if held is None:
                return False
            told: Any = None
            try:
                told = _opened(held.data)
                for name, (size, digest) in told["files"].items():
                    self._fetch(folder / inside(name), size, digest)
                document = folder / "result.json"
                document.parent.mkdir(parents=True, exist_ok=True)
                document.write_text(told["document"], encoding="utf-8")
                return place(key, folder)
            except (_WrongError, ValueError, KeyError, TypeError, AttributeError):
                self._objects.remove(_result(key))
                for _, digest in told["files"].values() if isinstance(told, dict) else ():
                    self._objects.remove(_file(digest))
                return False

        return self._tried(fetch) or False

    def _fetch(self, to: Path, size: int, digest: str) -> None:
        to.parent.mkdir(parents=True, exist_ok=True)
        if not self._objects.fetch(_file(digest), to) or to.stat().st_size != size or file_digest(to) != digest:
            raise _WrongError(digest)

    def _pushed(self, key: str, folder: Path, document: str, files: Sequence[str], *, told: bool) -> None:
        named = {name: ((folder / name).stat().st_size, file_digest(folder / name)) for name in files}
        for name, (_, digest) in named.items():
            if not self._objects.has(_file(digest)):
                self._objects.put(_file(digest), folder / name, new=True)
        data = _closed({"shared": _FORMAT, "document": document, "files": named, "told": told})
        if self._objects.put(_result(key), data, new=True) or told:
            return
        there = self._objects.read(_result(key))
        with suppress(_WrongError, ValueError, KeyError, TypeError):
            if there is not None and not _opened(there.data)["told"]:
                return  # somebody else was first
        self._objects.put(_result(key), data)  # in the place of what is only told of it, or of what is damaged

    # --- who makes a result ------------------------------------------------------------------------------------------

    @contextmanager
    def making(self, key: str, come: Callable[[], bool], while_waiting: Callable[[], None]) -> Iterator[None]:
        """While this machine makes the result of a key; or nobody does, because ``come`` says that it is there.

        Waits as long as another machine is at it; ``while_waiting`` may raise to give up. Where the store does not
        answer, nobody is waited for.
        """
        held = False
        while not come() and not held and not self._rests():
            held = self._taken(key) or self._wait(key, while_waiting)  # and look again: it may have come meanwhile
        try:
            yield
        finally:
            if held:
                self._release(key)

    def _taken(self, key: str) -> bool:
        """Whether this machine has the lease of a key now, which nobody had."""
        if not self._tried(lambda: self._objects.put(_lease(key), self._beat(), new=True)):
            return False
        self._hold(key)
        return True

    def _wait(self, key: str, while_waiting: Callable[[], None]) -> bool:
        """Wait until a lease was given up, or its holder is silent: whether it was taken over from that one."""
        seen: Held | None = None
        since, pause = time.monotonic(), _FIRST_PAUSE_S
        while (held := self._tried(lambda: self._objects.read(_lease(key)))) is not None:
            if held != seen:
                seen, since = held, time.monotonic()
            elif time.monotonic() - since > self._silence_s:
                if self._tried(partial(self._objects.replace, _lease(key), held, self._beat())):
                    self._hold(key)
                    return True
                return False
            while_waiting()
            time.sleep(min(pause, self._silence_s / 4))
            pause = min(pause * 2, _LONGEST_PAUSE_S)
        return False

    def _hold(self, key: str) -> None:
        with self._lock:
            self._held[key] = time.monotonic()
            if self._beating is None:
                self._beating = threading.Thread(target=self._keep_beating, daemon=True)
                self._beating.start()

    def _release(self, key: str) -> None:
        with self._lock:
            beaten = self._held.pop(key, None)
        if beaten is not None and time.monotonic() - beaten < self._silence_s:  # else it may be another's by now
            self._tried(lambda: self._objects.remove(_lease(key)))

    def _keep_beating(self) -> None:
        while not self._ending.wait(self._beat_s):
            for key, beaten in tuple(self._held.items()):
                if time.monotonic() - beaten < self._beat_s or not self._tried(partial(self._beaten, key)):
                    continue
                with self._lock:
                    given_up = key not in self._held
                    if not given_up:
                        self._held[key] = time.monotonic()
                if given_up:
                    self._tried(partial(self._objects.remove, _lease(key)))

    def _beaten(self, key: str) -> bool:
        return self._objects.put(_lease(key), self._beat())

    def _beat(self) -> bytes:
        """What a holder writes: never the same twice."""
        return json.dumps({"holder": self._holder, "beat": uuid.uuid4().hex}).encode()

    # --- a store that fails ------------------------------------------------------------------------------------------

    def _tried(self, ask: Callable[[], T]) -> T | None:
        """What the store does; None where it rests, or fails."""
        if self._rests():
            return None
        try:
            return ask()
        except OSError as error:
            with self._lock:
                self.failure = self.failure or error.strerror or str(error) or type(error).__name__
                self._rests_until = time.monotonic() + self._rest_s
                self._rest_s *= 2
            return None

    def _rests(self) -> bool:
        return time.monotonic() < self._rests_until


def _result(key: str) -> str:
    return f"results/{key[:2]}/{key}"


def _file(digest: str) -> str:
    return f"files/{digest[:2]}/{digest}"


def _lease(key: str) -> str:
    return f"leases/{key}"


def _closed(document: Mapping[str, Any]) -> bytes:
    """The text of a document below its digest."""
    text = json.dumps(document).encode()
    return hashlib.sha256(text).hexdigest().encode() + b"\n" + text


def _opened(data: bytes) -> Mapping[str, Any]:
    """What :func:`_closed` has closed.

    Raises:
        _WrongError, ValueError: it is not what was written, or of another format.
    """
    digest, _, text = data.partition(b"\n")
    if hashlib.sha256(text).hexdigest().encode() != digest:
        raise _WrongError("document")
    found: Mapping[str, Any] = json.loads(text)
    if found["shared"] != _FORMAT:
        raise _WrongError("format")
    return found
