"""Our own Prefect server keeps its runs in the database that Prefect's own variable names: a real Postgres."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from execution_examples import node, plan, toolbox_catalogue
from postgres_server import NEEDS_POSTGRES, postgres

from knowflow.execution import prefect_server
from knowflow.execution.prefect_runner import PrefectRunner
from knowflow.execution.scheduler import execute

pytestmark = NEEDS_POSTGRES


@pytest.fixture
def database() -> Iterator[Path]:
    with postgres() as folder:
        yield folder


def test_runs_are_on_record_in_the_database_that_is_named(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    for name in ("PREFECT_API_URL", "PREFECT_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "prefect"))
    url = f"postgresql+asyncpg://knowflow:a-secret@/postgres?host={database}"
    monkeypatch.setenv("PREFECT_API_DATABASE_CONNECTION_URL", url)
    asked = plan(node("one", "number", value=1), node("two", "number", value=2))
    try:
        api = prefect_server.ensure_server(tmp_path)
        trace = execute(asked, toolbox_catalogue(), PrefectRunner(tmp_path, api_url=api), tmp_path / "home")
        assert trace.status == "completed"
        status = prefect_server.server_status(tmp_path)
        assert status.database == prefect_server.wanted_database() == "postgresql /postgres"
        assert not list((tmp_path / "prefect").glob("*.db"))
        assert "a-secret" not in (tmp_path / "prefect" / "server.json").read_text()
    finally:
        if "prefect.logging.handlers" in sys.modules:
            sys.modules["prefect.logging.handlers"].APILogWorker.drain_all()
        assert prefect_server.stop_server(tmp_path)
    with psycopg.connect(f"host={database} user=knowflow dbname=postgres") as connection:
        rows = connection.execute("select name, state_type from flow_run").fetchall()
    assert [(str(name), str(state)) for name, state in rows] == [("a test plan", "COMPLETED")]
