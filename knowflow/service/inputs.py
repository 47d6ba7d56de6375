"""The files behind a plan that was made earlier: still there, and still what the plan says of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from knowflow.ground.errors import DataNotFoundError, PlanningError
from knowflow.ground.references import reference_of
from knowflow.ground.report import Problem
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Fact, Origin
from knowflow.model.literal import same
from knowflow.model.plan import Plan
from knowflow.reason.inventory import read_artifact

# The facts that say what the numbers of a file mean and where they lie. Other numbers in the same frame are welcome:
# a plan may be run again on newer pixels, which is told.
CONTEXT = ("quantity", "unit", "crs", "transform", "shape", "dtype", "nodata", "scale", "offset", "bands", "datetime")

# how far the clock of a file system may be behind
_CLOCK_NS = 20_000_000


def require_unchanged(plan: Plan) -> None:
    """Refuse a plan whose inputs are no longer what their facts in the plan say: facts go before headers in a run.

    Raises:
        DataNotFoundError: a file is gone. UnreadableDataError: one cannot be read any more.
        PlanningError: the context of one has changed; every change is listed.
    """
    problems = [
        problem for artifact in plan.inputs.values() for leaf in artifact.leaves() for problem in _changes(leaf)
    ]
    if problems:
        raise PlanningError(
            "files have changed since the plan was made",
            where=problems[0].where,
            expected=problems[0].expected,
            found=problems[0].found,
            hint="plan again: `knowflow plan ... --save FILE`",
            problems=problems,
        )


def states(plan: Plan) -> dict[str, str]:
    """The size of each input file of a plan and when it was written, by path; of what lies elsewhere its address and
    ETag, of what is no file nothing."""
    found: dict[str, str] = {}
    for path in dict.fromkeys(leaf.path for one in plan.inputs.values() for leaf in one.leaves() if leaf.path):
        with suppress(OSError):
            if (reference := reference_of(path)) is not None:
                found[path] = f"{reference.addresses}: {reference.states}"
                continue
            status = Path(path).stat()
            written = datetime.fromtimestamp(status.st_mtime, UTC)
            found[path] = f"{status.st_size} bytes, written {written:%Y-%m-%d %H:%M:%S.%f} UTC"
    return found


def newer(plan: Plan) -> tuple[str, ...]:
    """That files were written again since a plan was made: it is of what they hold now."""
    changed = [(path, now) for path, now in states(plan).items() if plan.files.get(path, now) != now]
    if not changed:
        return ()
    path, now = changed[0]
    more = f"; so do {len(changed) - 1} more files" if len(changed) > 1 else ""
    return (
        f"{path} is not as it was when the plan was made, and counts as it is now: {now};"
        f" then {plan.files[path]}{more}",
    )


def settled(plan: Plan, began: int) -> Plan:
    """A plan with the states of its files, of which none was written since planning began (nanoseconds).

    Raises: as :func:`require_unchanged`, where one was, and says something else now.
    """
    settled = replace(plan, files=states(plan))
    if any(_written(path) >= began - _CLOCK_NS for path in settled.files):
        require_unchanged(plan)
    return settled


def as_planned(plan: Plan) -> tuple[str, ...]:
    """What is to be told of files that were written since a plan was made; nothing where none was.

    Raises: as :func:`require_unchanged`, where one says something else now.
    """
    told = newer(plan)
    if told:
        require_unchanged(plan)
    return told


def _written(path: str) -> int:
    """When a file was written or put in its place, in nanoseconds; 0 of one that is gone."""
    with suppress(OSError):
        status = Path(path).stat()
        return max(status.st_mtime_ns, status.st_ctime_ns)
    return 0


def _changes(leaf: Artifact) -> Iterator[Problem]:
    if leaf.path is None:
        return
    path = Path(leaf.path)
    if not path.is_file():
        raise DataNotFoundError(
            "a file of the plan is gone",
            where=str(path),
            expected="the file that the plan was made for",
            found="nothing",
            hint="put it back, or plan again with the data there are",
        )
    now = read_artifact(path, leaf.type, leaf.band).facts
    for name in CONTEXT:
        before, after = leaf.known(name), now.known(name)
        if _differ(before, after):
            expected = f"{name} {'unknown' if before is None else before.value}"
            found = f"{name} {'unknown' if after is None else after.value}"
            yield Problem("changed_input", expected, found, where=str(path))


def _differ(before: Fact | None, after: Fact | None) -> bool:
    """Whether a file says otherwise than it did; what was known from elsewhere (the user, a companion) stands."""
    if before is None or after is None:
        alone = before or after
        return alone is not None and alone.origin is Origin.MEASURED
    return before.source == after.source and not same(before.value, after.value)
