"""What pygeoapi loads: one process, described by its template, carried out by the facade."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pygeoapi.process.base import BaseProcessor, ProcessorExecuteError

from knowflow.ground.errors import KnowFlowError, PlanningError
from knowflow.ground.json_text import strict
from knowflow.ground.waiting import listening
from knowflow.roof.library import KnowFlow
from knowflow.roof.mcp.jobs import Job, Tell
from knowflow.roof.ogc.configuration import ASK, described
from knowflow.roof.roots import Roots

_ABOUT = ("question", "data", "aoi", "at", "dates", "assume")


class RefusedError(ProcessorExecuteError):  # type: ignore[misc]  # pygeoapi has no types
    """What was asked cannot be answered, or its run failed; the client is told all that is known of why."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        parts = (f"{part}: {error[part]}" for part in ("expected", "found", "hint") if error.get(part))
        told = "; ".join([f"{error.get('code', 'error')}: {error.get('message', '')}", *parts])
        super().__init__(told, user_msg=told)


class TemplateProcessor(BaseProcessor):  # type: ignore[misc]  # pygeoapi has no types
    """A template, or a question in words, as a process."""

    def __init__(self, processor_def: dict[str, Any]) -> None:
        name = processor_def["process"]
        self._template = None if name == ASK else _knowledge().catalogue.template(name)
        self._roots = Roots(tuple(map(Path, processor_def["roots"])))
        self._jobs = Path(processor_def["jobs"])
        self._id, self._job = "job", Job(KnowFlow(), self._roots)
        super().__init__(processor_def, described(self._template))
        self.supports_outputs = True

    def set_job_id(self, job_id: str) -> None:
        self._id = job_id

    def job(self, tell: Tell) -> Job:
        """The run that is to come, which tells how far it is and can be stopped."""
        self._job = Job(KnowFlow(), self._roots, tell)
        return self._job

    def execute(self, data: dict[str, Any], outputs: Any = None) -> tuple[str, Any]:
        """Answer, and hand back the outputs that are asked for: all where none is named.

        Raises:
            RefusedError: it cannot be answered.
        """
        try:
            with listening(self._job.hear):
                found = self._found(data)
        except KeyboardInterrupt:
            raise RefusedError({"code": "interrupted", "message": "the job was dismissed"}) from None
        except KnowFlowError as error:
            raise RefusedError(error.to_json()) from error
        return "application/json", {name: one for name, one in found.items() if not outputs or name in outputs}

    def _found(self, data: Mapping[str, Any]) -> dict[str, Any]:
        self._require(data)
        aoi = data.get("aoi")
        result = self._job.service.run(
            str(data.get("question", "")),
            self._roots.allowed(str(data["data"])),
            aoi=None if aoi is None else self._roots.place(str(aoi)),
            at=data.get("at"),
            dates=data.get("dates"),
            assume=data.get("assume") or (),
            template=None if self._template is None else self._template.template,
            set={name: value for name, value in data.items() if name not in _ABOUT},
            out=self._jobs / self._id,
            on_event=self._job.on_event,
            on_plan=self._job.on_plan,
        )
        if result.status != "completed":
            raise RefusedError(result.error or {"message": result.status})
        told = result.to_json()
        files = {name: {"href": Path(file).as_uri()} for name, file in result.outputs.items()}
        report = None if result.report is None else Path(result.report).as_uri()
        about = {name: told.get(name) for name in ("answer", "unit", "understood")}
        return dict(strict({**about, "files": files, "report": report, "run": told}))

    def _require(self, data: Mapping[str, Any]) -> None:
        """Go on only with the inputs that the process has, and all that it needs."""
        inputs: Mapping[str, Any] = self.metadata["inputs"]
        lacking = [name for name, one in inputs.items() if one["minOccurs"] and name not in data]
        unknown = [name for name in data if name not in inputs]
        if lacking or unknown:
            raise PlanningError(
                f"the inputs do not fit {self.metadata['id']}",
                expected=", ".join(inputs),
                found=", ".join(data) or "none",
                hint=f"lacking: {', '.join(lacking) or 'none'}; unknown: {', '.join(unknown) or 'none'}",
            )


@lru_cache(maxsize=1)
def _knowledge() -> KnowFlow:
    """Whose templates are described: a list of processes makes one of each."""
    return KnowFlow()
