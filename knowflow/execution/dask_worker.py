"""What a worker of a dask cluster does: an action of some run, or blocks of a raster that another worker is at.

It looks an action up in the cache of the state folder or makes it there, in the thread that was given to it, as it
would be made anywhere: block by block in one order, so that it is the same to the last bit. While other workers have
nothing else to do, they take blocks of large rasters.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowflow.execution.action import Action, Outcome
from knowflow.execution.cache import Cache
from knowflow.execution.carry_out import Workshop
from knowflow.execution.content import FileDigests
from knowflow.execution.keys import Keyring
from knowflow.execution.shared_setting import shared_cache
from knowflow.execution.together import carried

if TYPE_CHECKING:
    from distributed import Client
    from rasterio.windows import Window

    from knowflow.tools.raster.spreading import Help

_MOST_SESSIONS = 8
_LOOK_S = 0.25  # between two looks at who has nothing to do
_BLOCKS = "knowflow-blocks"
_AFTER_ALL_ELSE = -10  # of priorities
_LARGEST_WORK = 4 << 20  # bytes of what is sent with each batch of blocks


def carried_on_worker(action: Action, home: str, logs: str, session: str) -> tuple[Outcome, dict[str, str]]:
    """Carry out an action here, in a process that may serve many runs; with the digests of files that were not told
    of yet."""
    from knowflow.tools.raster.engine import in_one_thread

    at = _session(home, logs, session)
    with in_one_thread(_others()):
        outcome = carried(at.workshop, action)
    return outcome, at.news()


class AtWork:
    """One session in this process, of whichever runner, as what it relies on holds for one session."""

    def __init__(self, home: str, logs: str) -> None:
        from knowflow.tools.registry import implementation_digest

        self._digests = FileDigests(Path(home) / "digests.sqlite")
        cache = Cache(Path(home), shared_cache())
        self.workshop = Workshop(cache, Keyring(self._digests, implementation_digest), Path(logs), processes=1)
        self._told = 0
        self._telling = threading.Lock()

    def news(self) -> dict[str, str]:
        """The digests that results rest on and that were not told of yet, by path."""
        self._digests.keep()
        with self._telling:
            found = dict(islice(self._digests.told.copy().items(), self._told, None))
            self._told += len(found)
        return found


_MAKING = threading.Lock()
_SESSIONS: dict[tuple[str, str, str], AtWork] = {}


def _session(home: str, logs: str, session: str) -> AtWork:
    """What a session has in this process; the oldest of several goes."""
    with _MAKING:
        known = _SESSIONS.get((home, logs, session))
        if known is None:
            if len(_SESSIONS) >= _MOST_SESSIONS:
                _SESSIONS.pop(next(iter(_SESSIONS))).workshop.close()
            known = _SESSIONS[home, logs, session] = AtWork(home, logs)
        return known


# --- blocks of rasters that others are at ---------------------------------------------------------------------------


class Others:
    """The other workers of a cluster, as helpers of one of them. Safe for threads."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._looked = time.monotonic()
        self._free = 0

    def free(self) -> int:
        """How many threads of the cluster do nothing, or blocks of others, as of a moment ago."""
        now = time.monotonic()
        if now - self._looked >= _LOOK_S:
            self._looked, self._free = now, 0
            with suppress(Exception):  # who cannot be asked does not help
                processing, threads = self._client.processing(), self._client.nthreads()
                self._free = sum(
                    max(0, count - sum(not str(key).startswith(_BLOCKS) for key in processing.get(worker, ())))
                    for worker, count in threads.items()
                )
        return self._free

    def packed(self, work: Callable[[Window], Any]) -> bytes | None:
        import cloudpickle

        try:
            packed: bytes = cloudpickle.dumps(work)
        except Exception:  # a tool may hold what belongs to its process: then it works alone
            return None
        return packed if len(packed) <= _LARGEST_WORK else None

    def submit(self, packed: bytes, windows: Sequence[Window]) -> Help:
        key = f"{_BLOCKS}-{uuid.uuid4().hex}"
        help_: Help = self._client.submit(blocks_on_worker, packed, windows, key=key, priority=_AFTER_ALL_ELSE)
        return help_


def blocks_on_worker(packed: bytes, windows: Sequence[Window]) -> tuple[list[Any], list[str]]:
    """Do with some blocks what another worker asks for."""
    import cloudpickle

    from knowflow.tools.raster.spreading import carried as blocks_carried

    return blocks_carried(cloudpickle.loads(packed), windows)


_OTHERS: dict[str, Others] = {}


def _others() -> Others:
    """The other workers, as this one sees them."""
    from distributed import get_client, get_worker

    address = get_worker().address
    with _MAKING:
        if address not in _OTHERS:
            _OTHERS[address] = Others(get_client())
        return _OTHERS[address]
