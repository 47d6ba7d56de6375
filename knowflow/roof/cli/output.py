"""What the commands share: JSON on standard output, errors on the other one, exit codes, the facade."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from knowflow.ground.json_text import json_text, json_value

if TYPE_CHECKING:
    from knowflow.ground.errors import KnowFlowError
    from knowflow.ground.report import Problem
    from knowflow.roof.library import KnowFlow
    from knowflow.service.results import RunResult

AsJson = Annotated[bool, typer.Option("--json", help="Machine-readable results.")]


def facade() -> KnowFlow:
    from knowflow.roof.library import KnowFlow

    return KnowFlow()


def emit(data: Any) -> None:
    """Strict JSON on standard output; numbers that JSON has no word for become null."""
    typer.echo(json_text(data, indent=2))


def pairs(options: Sequence[str], what: str) -> dict[str, str]:
    """``name=value`` options as a mapping; a name that is said twice is refused."""
    found: dict[str, str] = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals or not name.strip():
            raise typer.BadParameter(f"{option!r} is not name=value", param_hint=what)
        if name.strip() in found:
            raise typer.BadParameter(f"{name.strip()} is said twice", param_hint=what)
        found[name.strip()] = value.strip()
    return found


def values(options: Sequence[str], what: str) -> dict[str, Any]:
    """``name=value`` options with numbers, booleans and lists read as JSON, everything else as text."""
    return {name: _value(text) for name, text in pairs(options, what).items()}


def _value(text: str) -> Any:
    try:
        return json_value(text)
    except ValueError:
        return text


def exit_code(results: Sequence[RunResult]) -> int:
    """0 where all is well, the exit code of the error for what was refused, else 3."""
    from knowflow.ground.errors import EXIT_OK, EXIT_RUN_FAILED, EXIT_USAGE

    codes = [EXIT_OK]
    for result in results:
        if result.status == "refused":
            codes.append(int((result.error or {}).get("exit_code", EXIT_USAGE)))
        elif result.status not in ("completed", "planned"):
            codes.append(EXIT_RUN_FAILED)
    return max(codes)


def say_error(data: Mapping[str, Any], as_json: bool) -> None:
    """An error on standard error: a JSON object or a few lines."""
    if as_json:
        typer.echo(json_text({"error": data}), err=True)
        return
    from knowflow.roof.terminal.console import messages
    from knowflow.roof.terminal.problems import show_error_data

    show_error_data(messages(), data)


def fail(error: KnowFlowError, as_json: bool) -> NoReturn:
    say_error(error.to_json() | {"exit_code": error.exit_code}, as_json)
    raise SystemExit(error.exit_code)


def unexpected(error: Exception, as_json: bool) -> NoReturn:
    """Errors that nobody named: of the system, told as such; of KnowFlow itself, as a defect to be reported."""
    from knowflow.ground.errors import EXIT_USAGE, KnowFlowError
    from knowflow.ground.system import refusal

    if os.environ.get("KNOWFLOW_TRACEBACK"):
        raise error
    if isinstance(error, OSError) and error.errno is not None:
        fail(refusal(error, writing=False), as_json)
    defect = KnowFlowError(
        f"a defect of KnowFlow: {type(error).__name__}: {error}",
        hint="please report it; with KNOWFLOW_TRACEBACK=1 the same command shows where it happened",
    )
    say_error(defect.to_json() | {"code": "defect"}, as_json)
    raise SystemExit(EXIT_USAGE)


def tell_problems(found: Sequence[Problem] | None, schemas: Sequence[Path], as_json: bool) -> None:
    """The end of a check: its problems, None where nothing was checked, and the JSON Schemas that were written."""
    from knowflow.ground.errors import EXIT_OK, EXIT_PROBLEMS

    errors = [problem for problem in found or () if problem.severity == "error"]
    if as_json:
        warnings = [problem.to_json() for problem in found or () if problem.severity != "error"]
        shape = {"problems": [problem.to_json() for problem in errors], "warnings": warnings}
        emit(shape | ({"schemas": [str(path) for path in schemas]} if schemas else {}))
    elif found is None:
        typer.echo("\n".join(str(path) for path in schemas))
    else:
        from knowflow.roof.terminal.console import output
        from knowflow.roof.terminal.problems import show_problems

        show_problems(output(), found)
    raise typer.Exit(EXIT_PROBLEMS if errors else EXIT_OK)


def folder_or(given: Path | None, name: str) -> Path:
    return given if given is not None else Path.cwd() / name
