"""What follows the last node of a run: it is learned from, delivered, and documented."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from knowflow.execution.action import Session
from knowflow.execution.cache import Cache
from knowflow.execution.run_store import run_folder
from knowflow.ground.errors import KnowFlowError, OutputError
from knowflow.ground.syntax import text_of
from knowflow.ground.system import refusal
from knowflow.knowledge.catalogue import Catalogue
from knowflow.knowledge.plan_document import save_plan
from knowflow.knowledge.success_record import MethodRecord, SuccessRecord, counts_methods
from knowflow.model.trace import Trace
from knowflow.service.deliver import deliver, with_styles
from knowflow.service.presenter import Presenter


@dataclass(frozen=True, slots=True)
class HandOver:
    """The end of a run of one home, whose results go to the folder ``out``; ``shows``: its session shows exhibits.

    It is learned from with the knowledge at hand; None: not at all.
    """

    home: Path
    out: Path
    presenter: Presenter | None = None
    shows: bool = False
    learner: Catalogue | None = None

    def __call__(self, trace: Trace, session: Session) -> Trace:
        """The trace of a run whose nodes have all ended, with what was delivered. Never raises.

        What cannot be delivered fails the run, which delivers it when it is resumed. A report that cannot be made does
        not: it is a note beside the result.
        """
        SuccessRecord(self.home).learn(trace)
        if trace.status == "completed":
            try:
                trace = deliver(trace, self.out, Cache(self.home))
            except Exception as error:  # a run that has not handed over what it found is not completed
                named = error if isinstance(error, KnowFlowError) else self._not_delivered(trace.run_id, error)
                trace = replace(trace, status="failed", error=named.to_json())
        self._methods(trace)
        trace = self._learned(trace)
        try:
            return self._documented(trace, session)
        except Exception as error:  # whatever becomes of the page that tells of it, a result is handed over
            return replace(trace, notes=(*trace.notes, self._no_report(trace.run_id, error)))

    def _methods(self, trace: Trace) -> None:
        """Count for or against the methods that were used, once any of them has failed."""
        changed = any(repair.by == "person" for repair in trace.repairs)
        if self.learner is None or not (changed or trace.status == "failed" or counts_methods(self.home)):
            return
        from knowflow.memory.shelf import project_of

        MethodRecord(self.home, project_of()).learn(trace)

    def _learned(self, trace: Trace) -> Trace:
        """The trace with what was learned from it, where it was mended or memory had a part in it."""
        taught = any(repair.by.startswith(("person", "llm", "memory")) for repair in trace.repairs)
        taught = taught or any(one.origin == "memory" for one in trace.plan.assumptions)
        if self.learner is None or not (taught or trace.repairs or trace.status in ("failed", "refused")):
            return trace
        from knowflow.service.remembering import lessons_of, reflect

        try:
            reflect(trace, self.home)
            learned = lessons_of(trace, self.learner, self.home) if taught else ()
            return replace(trace, notes=(*trace.notes, *learned))
        except Exception as error:  # a result does not depend on what is learned from it
            log = self._logged(trace.run_id, "memory", error)
            told = f"nothing was learned, by a defect of KnowFlow: {type(error).__name__}; please report it with {log}"
            return replace(trace, notes=(*trace.notes, told))

    def _documented(self, trace: Trace, session: Session) -> Trace:
        """The trace of a run with its report, beside what was delivered or else in the run's own folder."""
        folder = run_folder(trace.run_id, self.home)
        save_plan(trace.plan, folder / "plan.yaml")
        if self.presenter is None:
            return trace
        if trace.status == "completed":
            trace = with_styles(trace, self.out, self.presenter.styles(trace))
        page = (self.out if trace.status == "completed" else folder) / "report.html"
        trace = replace(trace, report=str(self.presenter.report(trace, page)))
        for exhibit in self.presenter.result_exhibits(trace) if self.shows else ():
            session.publish(exhibit)
        return trace

    def _not_delivered(self, run_id: str, error: Exception) -> KnowFlowError:
        """The error of results that a defect keeps from being handed over."""
        return OutputError(
            "the results cannot be handed over, by a defect of KnowFlow",
            where=str(self.out),
            expected="results that can be written",
            found=f"{type(error).__name__}: {error}",
            hint=f"please report it with {self._logged(run_id, 'delivery', error)}",
        )

    def _no_report(self, run_id: str, error: Exception) -> str:
        """Why a run has no report; of a defect, where the traceback is that makes it worth reporting."""
        if isinstance(error, OSError):
            return f"there is no report: {refusal(error).message} ({error})"
        if isinstance(error, KnowFlowError):
            return f"there is no report: {error.message} ({error.where or error.found})"
        log = self._logged(run_id, "report", error)
        return (
            f"there is no report, by a defect of KnowFlow: {type(error).__name__}: {error}; please report it with {log}"
        )

    def _logged(self, run_id: str, name: str, error: Exception) -> Path:
        """The log of a run with the traceback of a defect."""
        log = run_folder(run_id, self.home) / "logs" / f"{name}.log"
        with suppress(OSError):
            log.parent.mkdir(exist_ok=True)
            log.write_text(text_of(error), encoding="utf-8")
        return log
