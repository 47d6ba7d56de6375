"""The jobs of pygeoapi, as its own manager keeps them, with what runs: a job tells how far it is, and one that is
dismissed is stopped."""

from __future__ import annotations

from typing import Any

from pygeoapi.process.manager.tinydb_ import TinyDBManager

from knowflow.roof.mcp.jobs import Job
from knowflow.roof.ogc.processor import TemplateProcessor


class JobManager(TinyDBManager):  # type: ignore[misc]  # pygeoapi has no types
    """Jobs in a file, for a server that is one process."""

    def __init__(self, manager_def: dict[str, Any]) -> None:
        super().__init__(manager_def)
        self._under_way: dict[str, Job] = {}

    def _execute_handler_sync(self, p: Any, job_id: str, *given: Any, **named: Any) -> Any:
        if not isinstance(p, TemplateProcessor):
            return super()._execute_handler_sync(p, job_id, *given, **named)

        def tell(done: float, whole: int | None, message: str) -> None:
            told = {"message": message, "progress": int(5 + 90 * done / whole) if whole else 5}
            self.update_job(job_id, {"status": "running", **told})

        self._under_way[job_id] = p.job(tell)
        try:
            return super()._execute_handler_sync(p, job_id, *given, **named)
        finally:
            del self._under_way[job_id]

    def delete_job(self, job_id: str) -> bool:
        """Forget a job; one that runs ends, what it has finished is kept for the next run."""
        found = bool(super().delete_job(job_id))
        job = self._under_way.get(job_id)
        if job is not None:
            job.stop()
        return found
