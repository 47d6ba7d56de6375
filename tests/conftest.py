"""Fixtures that every layer shares."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from postgres_server import postgres

from knowflow.ground.kept import forget
from knowflow.ground.resources import search_path

# How fast the machine is decides no test. New examples are for those who develop: a gate judges the change, not luck.
settings.register_profile("knowflow", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("knowflow")

# A shell that starts the tests in the background has them ignore interruptions; a test would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

CHECKOUT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def slovenia() -> Path:
    """A real patch of Sentinel-2 data; kept beside the checkout, never part of it."""
    folder = Path(os.environ.get("KNOWFLOW_SHARED", CHECKOUT.parent / "shared")) / "data" / "slovenia"
    if not folder.is_dir():
        pytest.skip("the shared Slovenia data is not beside this checkout (set KNOWFLOW_SHARED)")
    return folder


@pytest.fixture(scope="session")
def earthbench() -> Path:
    """Half of a public benchmark of calls and questions; kept beside the checkout, never part of it."""
    folder = Path(os.environ.get("KNOWFLOW_SHARED", CHECKOUT.parent / "shared")) / "earthbench"
    if not folder.is_dir():
        pytest.skip("the shared Earth-Bench data is not beside this checkout (set KNOWFLOW_SHARED)")
    return folder


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The URL of a database of a server of our own, for tests that are marked with NEEDS_POSTGRES."""
    with postgres() as folder:
        yield f"postgresql+psycopg://knowflow@/postgres?host={folder}"


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test reads or writes the user's own runs, cache or knowledge, asks the user's language model, or depends on
    how wide somebody's screen is.

    What was made of knowledge that a test wrote is of no use to the next one.
    """
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("KNOWFLOW_LLM", "OPENAI_")) or name == "COLUMNS":
            monkeypatch.delenv(name)
    monkeypatch.setenv("KNOWFLOW_HOME", str(home / "state"))
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(home / "config"))
    yield
    if len(search_path("pkb")) > 1:
        forget()
