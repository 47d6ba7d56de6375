"""The packaged Prefect flow."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from knowflow.ground.resources import packaged_root


def flow_in(name: str) -> Any:
    """A flow of the packaged folder, loaded from its file as Prefect does."""
    spec = importlib.util.spec_from_file_location(name, packaged_root("flows") / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def test_a_question_without_data_ends_as_a_failed_flow_run_that_says_why(
    server: tuple[str, Path], tmp_path: Path
) -> None:
    from prefect.settings import PREFECT_API_URL, temporary_settings

    answer = flow_in("answer")
    with temporary_settings({PREFECT_API_URL: server[0]}):
        state = answer("What share is {dense} vegetation?", str(tmp_path / "nowhere"), return_state=True)
    assert state.is_failed()
    assert state.message.startswith("refused: ")
    assert "nowhere" in state.message


def test_the_flow_describes_its_parameters_to_whoever_starts_it_from_the_ui() -> None:
    from prefect.utilities.callables import parameter_schema

    answer = flow_in("answer")
    described = parameter_schema(answer).properties
    assert list(described) == ["query", "data", "parameters", "assume", "aoi", "at", "dates", "out", "max_hours"]
    assert all(parameter["description"] for parameter in described.values())
