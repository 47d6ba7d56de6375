"""One action, carried out: checked before, run on drafts, read back, checked after, published whole or not at all."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from knowflow.execution.action import Action, Outcome
from knowflow.execution.cache import Cache, DamagedResultError, Stored
from knowflow.execution.conditions import ensure, require
from knowflow.execution.content import written_meanwhile
from knowflow.execution.elsewhere import fetched
from knowflow.execution.handover import keyword_arguments, output_paths, returned_artifact
from knowflow.execution.keys import Keyed, Keyring
from knowflow.execution.screening import screen
from knowflow.execution.written import written_artifact
from knowflow.graph.effects import predicted_outputs
from knowflow.ground.errors import KnowFlowError, NoSpaceError, RunInterruptedError, ToolError
from knowflow.ground.syntax import text_of
from knowflow.ground.system import FULL, refusal
from knowflow.model.artifact import Artifact
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Check
from knowflow.tools.context import Lasting, running

if TYPE_CHECKING:
    from knowflow.execution.workers import WorkerPool

OnProgress: TypeAlias = "Callable[[float], None]"

# what every worker process has imported before it gets its first task
_PRELOAD = ("knowflow.tools.registry", "knowflow.tools.gdal.binding")
_MEMORY_SHARE = 0.8
_ATTEMPTS = 3  # at a node whose files are touched while they are read
_LONGEST_MESSAGE = 2000  # characters of a tool's own words that are kept: some quote their whole input
_LONGEST_LOG = 200_000
# what the system refuses of a place where results are kept: nothing is wrong with the tool
_OF_PLACES = frozenset({errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.EPERM, errno.EROFS})
_OF_NAMES = frozenset({errno.ENAMETOOLONG, errno.ELOOP})
_NO_SPACE_WORDS = ("no space left on device", "disk quota exceeded", "file too large")


class Workshop:
    """Where actions are carried out: cache, keys, logs, and killable processes for the tools that ask for one.

    Safe for threads. ``stop`` asks everything that runs here to end; ``made`` is above 0 once something was made here.
    """

    def __init__(self, cache: Cache, keyring: Keyring, logs: Path | None = None, processes: int = 2) -> None:
        self.cache = cache
        self.keyring = keyring
        self.logs = logs
        self._processes = processes
        self._pool: WorkerPool | None = None
        self._pool_lock = threading.Lock()
        self._stop = threading.Event()
        self._lasting = Lasting()
        self.made = 0

    def stop(self) -> None:
        self._stop.set()

    def close(self) -> None:
        """End the processes, and what tools opened; what still runs in them ends with RunInterruptedError."""
        self._lasting.close()
        if self.cache.shared is not None:
            self.cache.shared.close()
        with self._pool_lock:
            if self._pool is not None:
                self._pool.close()
                self._pool = None

    @property
    def pool(self) -> WorkerPool:
        """The killable processes, started when the first tool asks for one."""
        from knowflow.execution.workers import WorkerPool

        with self._pool_lock:
            if self._pool is None:
                self._pool = WorkerPool(self._processes, memory_mb=_memory_share_mb(self._processes), preload=_PRELOAD)
            return self._pool

    def stopping(self) -> bool:
        return self._stop.is_set()

    def __call__(self, action: Action, on_progress: OnProgress | None = None) -> Outcome:
        """Carry out an action. Never raises for a failed one: the outcome holds the error."""
        started = time.time()
        key = ""
        try:
            written = ""
            for _ in range(_ATTEMPTS):
                self.check_stop()
                keyed = self.keyring.keyed(action.schema, action.arguments)
                key = keyed.key
                self.keyring.digests.rely(keyed.files)
                made = self._result(action, keyed, on_progress)
                if isinstance(made, Outcome):
                    return replace(made, started=started, finished=time.time())
                written = made
            raise written_meanwhile(written)
        except (Exception, SystemExit) as error:  # a script that was made a tool may end itself, and nothing else
            named = as_named_error(error, action)
            if not isinstance(named, RunInterruptedError):
                self._log(action, named, error)
            return Outcome(action.node, error=named, key=key, started=started, finished=time.time())

    def agreed(self, outcome: Outcome, told: Mapping[str, str]) -> Outcome:
        """The outcome of an action that was carried out elsewhere; ``told`` are digests of the files that it rests on,
        which are to be those of all other results of the run."""
        self.made += not outcome.cached
        for path, digest in told.items():
            if self.keyring.digests.told.setdefault(path, digest) != digest:
                return replace(outcome, outputs={}, parts=(), error=written_meanwhile(path))
        return outcome

    def check_stop(self) -> None:
        if self._stop.is_set():
            raise RunInterruptedError("stopped on request")

    def _result(self, action: Action, keyed: Keyed, on_progress: OnProgress | None) -> Outcome | str:
        """What came of an action; or the name of a file that was written while it was read, for another attempt."""
        stored = self.cache.find(keyed.key)
        if stored is None:
            with self.cache.claim(keyed.key, self.check_stop) as draft:
                stored = self.cache.find(keyed.key)  # somebody may have made it while we waited
                if stored is None:
                    with self.cache.alone({keyed.key: draft}, self.check_stop):
                        stored = self.cache.find(keyed.key)  # another machine may have made it
                        if stored is None:
                            return self._made(action, keyed, draft, on_progress)
        return _outcome(action, stored, cached=True)

    def _made(self, action: Action, keyed: Keyed, draft: Path, on_progress: OnProgress | None) -> Outcome | str:
        """A result made in a draft, and published where everything that it was made of stayed as it was."""
        self.require_whole(keyed)
        try:
            result = self.make(action, draft, on_progress)
        except Exception:
            self.require_whole(keyed)  # whatever is told of the contents of such a file, the cause is another
            changed = self.keyring.digests.changed(keyed.files)
            if changed is not None:
                return changed
            raise
        changed = self.keyring.digests.changed(keyed.files)
        if changed is not None:
            return changed
        self.made += 1
        return _outcome(action, self.cache.publish(keyed.key, draft, action.schema, *result), cached=False)

    def require_whole(self, keyed: Keyed) -> None:
        """Go on only with inner results that are what their nodes made.

        Raises:
            DamagedResultError: some are not; they are out of the cache.
        """
        used = keyed.results | {key for path in keyed.files if (key := self.cache.key_of(path)) is not None}
        damaged = frozenset(key for key in sorted(used) if not self.cache.whole(key))
        if damaged:
            raise DamagedResultError(damaged)

    def make(
        self, action: Action, draft: Path, on_progress: OnProgress | None = None
    ) -> tuple[dict[str, Artifact], tuple[Check, ...], float]:
        """Outputs in a draft, what was checked, and how long the tool took; nothing is kept. A small file is opened
        once for all.

        Raises: whatever the tool does, and the errors of its conditions.
        """
        from knowflow.tools.raster import lending

        schema, where = action.schema, action.title or action.node
        fetched(action.arguments, self.check_stop)
        with lending() as lender:
            with lender.looking():
                doubts = screen(schema, action.arguments, where)
            return self._carried(action, draft, doubts, on_progress)

    def _carried(
        self, action: Action, draft: Path, doubts: tuple[Check, ...], on_progress: OnProgress | None
    ) -> tuple[dict[str, Artifact], tuple[Check, ...], float]:
        schema, where = action.schema, action.title or action.node
        arguments, before = require(schema, action.arguments, where)
        paths = output_paths(schema, draft)
        begun = time.perf_counter()
        told: list[str] = []
        value = self._call(schema, keyword_arguments(schema, arguments, paths), on_progress, told.append)
        seconds = time.perf_counter() - begun
        predicted = predicted_outputs(schema, arguments, action.node)
        outputs = {
            name: written_artifact(schema, name, path, predicted[name], where)
            for name, path in paths.items()
            if path.exists() or not schema.parameters[name].optional
        }
        if schema.returns is not None:
            outputs["value"] = returned_artifact(schema, value, predicted["value"])
        outputs, after = ensure(schema, arguments, outputs, where)
        said = (Check("told", schema.tool, None, words) for words in dict.fromkeys(told))
        return dict(outputs), (*doubts, *before, *after, *said), seconds

    def _call(
        self,
        schema: ToolSchema,
        call: Mapping[str, Any],
        on_progress: OnProgress | None,
        on_told: Callable[[str], None],
    ) -> Any:
        if schema.isolate == "process":
            return self.pool.submit(
                f"{call_tool.__module__}:{call_tool.__name__}",
                {"schema": schema, "call": call},
                timeout_s=schema.timeout_s,
                on_progress=on_progress,
                cancelled=self._stop.is_set,
                on_told=on_told,
            )
        with running(on_progress, self._stop.is_set, on_told, self._lasting):
            return call_tool(schema, call)

    def _log(self, action: Action, named: KnowFlowError, error: BaseException) -> None:
        """Keep what a person who debugs needs, and a user must not be shown; where the disk takes it."""
        if self.logs is None:
            return
        moment = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        told = f"{moment} {action.node} ({action.schema.tool}) failed\n{named}\n\n"
        with suppress(OSError):
            self.logs.mkdir(parents=True, exist_ok=True)
            with log_file(self.logs, action.node).open("a", encoding="utf-8", errors="backslashreplace") as log:
                log.write(told + _cut(text_of(error), _LONGEST_LOG) + "\n")


def _outcome(action: Action, stored: Stored, *, cached: bool) -> Outcome:
    return Outcome(action.node, stored.outputs, None, stored.checks, cached, stored.key)


def _memory_share_mb(processes: int) -> float:
    """What one of several processes may take, so that together they leave the machine some of its memory."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return _MEMORY_SHARE * total / processes / 2**20


def call_tool(schema: ToolSchema, call: Mapping[str, Any]) -> Any:
    """Call the implementation of a tool; also what a worker process is asked to do."""
    from knowflow.tools.registry import bind

    return bind(schema)(**call)


def log_file(logs: Path, node: str) -> Path:
    """The log of a node; its id may hold characters that file names must not."""
    return logs / ("".join(c if c.isalnum() or c in "-_." else "_" for c in node) + ".log")


def as_named_error(error: BaseException, action: Action) -> KnowFlowError:
    """The error a user is shown: named, with the node it happened in, and no longer than somebody reads."""
    where = action.title or action.node
    if isinstance(error, KnowFlowError):
        if error.where is None:
            error.where = where
        error.message = _cut(error.message)
        error.found = None if error.found is None else _cut(str(error.found))
        return error
    if _is_full_disk(error):
        return NoSpaceError(
            "the disk is full",
            where=where,
            found=_words_of(error),
            hint="free some space, or set KNOWFLOW_HOME to a larger disk; then `knowflow runs resume`",
        )
    if isinstance(error, OSError) and error.errno in _OF_PLACES and error.filename:
        return refusal(error, str(error.filename))
    if isinstance(error, OSError) and error.errno in _OF_NAMES:
        return refusal(error, writing=False)
    return ToolError(
        f"{action.schema.tool} failed",
        where=where,
        found=f"{type(error).__name__}: {_words_of(error)}".strip().rstrip(":"),
        hint="the log of the node has the details: `knowflow runs show`",
    )


def _words_of(error: BaseException) -> str:
    """What an exception says of itself; some fail at that, too."""
    try:
        return _cut(str(error))
    except Exception as defect:
        return f"it cannot say why ({type(defect).__name__})"


def _cut(text: str, longest: int = _LONGEST_MESSAGE) -> str:
    """A text as it can be written anywhere, without its middle where it is long."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= longest else f"{text[: longest // 2]} ... {text[-longest // 2 :]}"


def _is_full_disk(error: BaseException) -> bool:
    """Whether a full disk is behind an error; GDAL tells it in words only."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and seen.errno in FULL:
            return True
        if any(words in _words_of(seen).casefold() for words in _NO_SPACE_WORDS):
            return True
        seen = seen.__cause__ or seen.__context__
    return False
