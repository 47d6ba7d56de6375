"""Which files a client may have read and written: those below the folders that the user opened to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowflow.ground.errors import KnowFlowError

if TYPE_CHECKING:
    from knowflow.model.plan import Plan

_NUMBERS = re.compile(r"\s*[-+\d.eE]+\s*(,\s*[-+\d.eE]+\s*){1,3}")
_HINT = "whoever starts the server opens folders to clients: --root DIR"


class OutsideRootsError(KnowFlowError):
    """A client named a place that the user did not open to it."""

    code = "outside_roots"


@dataclass(frozen=True, slots=True)
class Roots:
    """The folders that are open to a client; names that are not absolute are below the first."""

    open: tuple[Path, ...]

    def allowed(self, path: Path | str) -> Path:
        """The place that a name means, links followed.

        Raises:
            OutsideRootsError: it is below none of the folders.
        """
        if not self.open:
            raise OutsideRootsError("no folder is open to clients", expected="a root", found="none", hint=_HINT)
        found = (self.open[0] / path).resolve()
        if not any(found.is_relative_to(root) for root in self.open):
            raise OutsideRootsError(
                "this place is not open to clients",
                where=str(path),
                expected=f"a path below {' or '.join(map(str, self.open))}",
                found=str(found),
                hint=_HINT,
            )
        return found

    def place(self, text: str) -> str:
        """An area of interest, or points: numbers as they are, a file where it is allowed.

        Raises:
            OutsideRootsError: the file is below none of the folders.
        """
        return text if _NUMBERS.fullmatch(text) else str(self.allowed(text))

    def require(self, plan: Plan) -> None:
        """Go on only with a plan whose every file is below the folders.

        Raises:
            OutsideRootsError: one is not.
        """
        for path in _files_of(plan):
            self.allowed(path)


def _files_of(plan: Plan) -> Iterator[str]:
    """The files that a plan reads: of its inputs, and texts among its arguments that are names of files."""
    from knowflow.model.workflow import Given

    for one in plan.inputs.values():
        yield from (leaf.path for leaf in one.leaves() if leaf.path is not None)
    for node in plan.workflow.nodes:
        for value in node.args.values():
            if isinstance(value, Given):
                yield from (text for text in _texts(value.value) if "/" in text and Path(text).exists())


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        yield from _texts(list(value.values()))
