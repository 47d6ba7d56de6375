"""A question answered as a Prefect flow run: every node of its workflow is a task run in it."""

from __future__ import annotations

from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.states import Failed

from knowflow import KnowFlow
from knowflow.execution.prefect_runner import PrefectRunner


@flow(name="answer", flow_run_name="{query}", persist_result=False)
def answer(
    query: str,
    data: str,
    parameters: dict[str, Any] | None = None,
    assume: list[str] | None = None,
    aoi: str | None = None,
    at: str | None = None,
    dates: str | None = None,
    out: str | None = None,
    max_hours: float | None = None,
) -> dict[str, Any] | State[Any]:
    """Answer a question about a folder of Earth-observation files.

    Args:
        query: the question, as a sentence
        data: the folder of files, on the machine that serves this flow
        parameters: values of the template's parameters by name, where the question leaves them open
        assume: facts that no file states, such as crs=EPSG:32633
        aoi: area of interest: west,south,east,north in degrees, or a vector file
        at: point of the question, as longitude,latitude in degrees
        dates: period START/END, as in 2022-01-01/2022-12-31
        out: folder for what is delivered; without it, knowflow-out where this flow is served
        max_hours: how long it may take by its estimate; without it, 6 hours
    """
    service = KnowFlow()
    result = service.run(
        query,
        data,
        set=parameters,
        assume=assume or (),
        aoi=aoi,
        at=at,
        dates=dates,
        out=out,
        max_hours=max_hours,
        runner=PrefectRunner(service.home),
    )
    if result.status != "completed":
        error = result.error or {}
        said = [str(error[part]) for part in ("where", "message", "found", "hint") if error.get(part)]
        return Failed(message=f"{result.status}: {'; '.join(said)}")
    return result.to_json()
