"""Runners by name."""

from __future__ import annotations

from pathlib import Path

from knowflow.execution.action import Runner
from knowflow.ground.errors import UnknownNameError


def runner_of(name: str, home: Path) -> Runner:
    """The runner of a name; ``prefect`` starts the local server when nobody else's is configured, ``dask`` a cluster of
    our own, ``dask=ADDRESS`` uses an existing one, and ``pool=NAME`` the workers of a Prefect work pool.

    Raises:
        UnknownNameError: there is no such runner.
        MissingExtraError: its packages are not installed.
        ServerError: the server cannot be started.
    """
    if name == "local":
        from knowflow.execution.local_runner import LocalRunner

        return LocalRunner()
    if name == "prefect":
        from knowflow.execution.prefect_runner import PrefectRunner

        return PrefectRunner(home)
    kind, _, address = name.partition("=")
    if kind == "dask":
        from knowflow.execution.dask_runner import DaskRunner

        return DaskRunner(home, address or None)
    if kind == "pool" and address:
        from knowflow.execution.prefect_pool import PoolRunner

        return PoolRunner(home, address)
    expected = "prefect, local, dask[=ADDRESS] or pool=NAME"
    raise UnknownNameError(f"no runner is called {name!r}", expected=expected, found=name)
