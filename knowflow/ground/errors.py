"""Named errors, all under one base: each says where, what was expected, what was found and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from knowflow.ground.report import Problem

EXIT_OK = 0
EXIT_PROBLEMS = 1
EXIT_USAGE = 2
EXIT_RUN_FAILED = 3


class KnowFlowError(Exception):
    """Base of every error KnowFlow raises on purpose.

    ``code`` is stable and documented; ``exit_code`` is what the command line returns for it. ``instead`` are questions
    that the same data can answer, where it refuses one that they cannot.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = EXIT_USAGE

    def __init__(
        self,
        message: str,
        *,
        where: str | None = None,
        expected: str | None = None,
        found: str | None = None,
        hint: str | None = None,
        problems: Sequence[Problem] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.expected = expected
        self.found = found
        self.hint = hint
        self.problems = tuple(problems)
        self.instead: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [f"{self.where}: {self.message}" if self.where else self.message]
        for label in ("expected", "found", "hint"):
            text = getattr(self, label)
            if text:
                parts.append(f"  {label}: {text}")
        parts.extend(f"  - {problem}" for problem in self.problems)
        parts.extend(f"  these data can answer: {question}" for question in self.instead)
        return "\n".join(parts)

    def to_json(self) -> dict[str, object]:
        """The error as plain data, for ``--json`` and for traces."""
        return {
            "code": self.code,
            "message": self.message,
            "where": self.where,
            "expected": self.expected,
            "found": self.found,
            "hint": self.hint,
            "problems": [problem.to_json() for problem in self.problems],
            "instead": list(self.instead),
        }


class DocumentError(KnowFlowError):
    """An authored document (schema, template, card, rule, plan) is not valid; ``problems`` lists everything."""

    code = "invalid_document"
    exit_code = EXIT_PROBLEMS


class ConditionSyntaxError(KnowFlowError):
    """A condition is not in the closed condition language."""

    code = "condition_syntax"
    exit_code = EXIT_PROBLEMS


class UnknownNameError(KnowFlowError):
    """A tool, template, quantity kind, predicate or run of that name does not exist."""

    code = "unknown_name"


class UnitError(KnowFlowError):
    """A unit is unknown, or two units do not measure the same thing."""

    code = "unit"


class DataNotFoundError(KnowFlowError):
    """The data folder is missing or empty, or holds nothing that the question needs."""

    code = "data_not_found"


class UnreadableDataError(KnowFlowError):
    """A file exists but cannot be read (truncated, not a raster, no permission)."""

    code = "unreadable_data"


class RemoteDataError(KnowFlowError):
    """Data that lie elsewhere cannot be had: refused, gone, cut short, or too slow."""

    code = "remote_data"


class RemoteChangeError(RemoteDataError):
    """Data that lie elsewhere are not what they were when they were looked at."""

    code = "remote_changed"


class NotUnderstoodError(KnowFlowError):
    """The question is not understood, or no template answers it; near misses are in ``problems``."""

    code = "not_understood"


class PlanningError(KnowFlowError):
    """No checked plan can be made from the templates and the data."""

    code = "no_plan"


class GraphEditError(KnowFlowError):
    """An edit of a workflow would break it; ``problems`` lists every reason."""

    code = "graph_edit"


class MissingFactError(KnowFlowError):
    """A condition needs a fact that nobody knows; the hint names the ``--assume`` that would supply it."""

    code = "missing_fact"


class PreconditionError(KnowFlowError):
    """A precondition of a node is false on its actual inputs."""

    code = "precondition"
    exit_code = EXIT_RUN_FAILED


class EffectError(KnowFlowError):
    """An effect that a tool promises is false on what it wrote."""

    code = "effect"
    exit_code = EXIT_RUN_FAILED


class QualityError(KnowFlowError):
    """A quality condition of the template is missed."""

    code = "quality"
    exit_code = EXIT_RUN_FAILED


class NoNumberError(KnowFlowError):
    """What should answer the question is not a number: nothing is known to tell it of."""

    code = "no_number"
    exit_code = EXIT_RUN_FAILED


class ToolError(KnowFlowError):
    """A tool could not do its work on valid input."""

    code = "tool"
    exit_code = EXIT_RUN_FAILED


class ToolTimeoutError(ToolError):
    """A tool took longer than it may, and was ended."""

    code = "tool_timeout"


class ToolMemoryError(ToolError):
    """A tool wanted more memory than it may have, and was ended."""

    code = "tool_memory"


class ToolCrashError(ToolError):
    """The process that a tool ran in died."""

    code = "tool_crash"


class NoSpaceError(KnowFlowError):
    """The disk is full, or the estimated outputs do not fit."""

    code = "no_space"
    exit_code = EXIT_RUN_FAILED


class OutputError(KnowFlowError):
    """Where results are to go cannot be written to."""

    code = "output"


class RunInterruptedError(KnowFlowError):
    """The run was stopped by the user; it can be resumed."""

    code = "interrupted"
    exit_code = EXIT_RUN_FAILED


class ServerError(KnowFlowError):
    """The local Prefect server could not be started or reached."""

    code = "server"
    exit_code = EXIT_RUN_FAILED
