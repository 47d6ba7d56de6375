"""Runners by name."""

from __future__ import annotations

from pathlib import Path

from knowflow.execution.action import Runner
from knowflow.ground.errors import UnknownNameError


def runner_of(name: str, home: Path) -> Runner:
    """The runner of a name; ``prefect`` starts the local server when nobody else's is configured.

    Raises:
        UnknownNameError: there is no such runner.
        ServerError: the server cannot be started.
    """
    if name == "local":
        from knowflow.execution.local_runner import LocalRunner

        return LocalRunner()
    if name == "prefect":
        from knowflow.execution.prefect_runner import PrefectRunner

        return PrefectRunner(home)
    raise UnknownNameError(f"no runner is called {name!r}", expected="prefect or local", found=name)
