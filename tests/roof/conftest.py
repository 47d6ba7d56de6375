"""Finished and failed runs as fixtures, made once."""

from __future__ import annotations

import pytest
from example_runs import completed_run, failed_run, hopeless_run, repaired_run, steep_run

from knowflow.model.trace import Trace


@pytest.fixture(scope="session")
def completed(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return completed_run(tmp_path_factory.mktemp("trend"))


@pytest.fixture(scope="session")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return failed_run(tmp_path_factory.mktemp("failed"))


@pytest.fixture(scope="session")
def steep(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return steep_run(tmp_path_factory.mktemp("steep"))


@pytest.fixture(scope="session")
def repaired(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return repaired_run(tmp_path_factory.mktemp("repaired"))


@pytest.fixture(scope="session")
def hopeless(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return hopeless_run(tmp_path_factory.mktemp("hopeless"))
