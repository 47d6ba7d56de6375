"""One case of the campaign: a question on a small scene, a fault, and what comes of it, compared with what is true.

Carried out in a process of its own kind (see :mod:`knowflow_bench.faults.campaign`), which may be ended.
"""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from knowflow.execution.events import Event, NodeEnded, NodeStarted
from knowflow.execution.local_runner import LocalRunner
from knowflow.ground.errors import DataNotFoundError, KnowFlowError
from knowflow.ground.resources import state_home
from knowflow.ground.system import refusal
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.plan import Plan
from knowflow.model.template import Scene
from knowflow.model.trace import Trace
from knowflow.model.workflow import Given, Node, Workflow
from knowflow.reason.repair.diagnose import diagnose_refusal
from knowflow.roof.library import Pages
from knowflow.service.engine import Engine
from knowflow.service.outcomes import refused
from knowflow.service.presenter import Presenter
from knowflow.service.request import Request
from knowflow.service.results import PlanResult
from knowflow.testing.scenes import write_scene
from knowflow_bench.faults.answers import answers_of, undelivered
from knowflow_bench.faults.injection.answers import ANSWERS
from knowflow_bench.faults.injection.data import Site
from knowflow_bench.faults.injection.files import FILE_FAULTS, LAYER_FAULTS
from knowflow_bench.faults.injection.machine import MACHINE_FAULTS, damage, damage_inside, interrupted_by, lower, swap
from knowflow_bench.faults.injection.surroundings import KEY, SURROUNDINGS
from knowflow_bench.faults.injection.table import Fault, Injection, Question, names_cause, questions, table
from knowflow_bench.faults.injection.tools import faulty, standing_in
from knowflow_bench.faults.injection.truth import CaseTruth
from knowflow_bench.faults.judge import untrue
from knowflow_bench.openai_server import MODEL, openai_server


@dataclass(frozen=True)
class Ending:
    """How a case ended.

    ``outcome``: ``right`` (the true answer), ``refused`` (no answer), ``wrong`` (another answer, given as right) or
    ``told`` (another answer, with a note that names the cause). ``causes`` are those of the diagnoses, of repairs and
    of what was given up; ``by`` says who repaired during the run. ``repeated`` counts nodes that were computed again
    though nothing about them had changed; ``inserted`` tells whether the plan has more steps than without the fault.
    """

    outcome: str
    causes: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    tokens: int = 0
    repeated: int = 0
    inserted: bool = False
    detail: str = ""
    seconds: float = 0.0


def run_case(table_name: str, kind: str, question: str, seed: int, data: str = "") -> dict[str, Any]:
    """One case by its names, as plain data: the fields of :class:`Ending`. ``data`` is a folder of real data, for the
    questions that are about one.

    Raises:
        DataNotFoundError: the folder has not the files that the question is about.
    """
    fault = next(one for one in table(table_name) if one.kind == kind)
    begun = time.perf_counter()
    with TemporaryDirectory(prefix="knowflow-fault-") as folder:
        ending = _Case(fault, questions()[question], seed, Path(folder), data).ending()
    return asdict(replace(ending, seconds=time.perf_counter() - begun))


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    from knowflow.service.knowledge_cache import catalogue_of

    return catalogue_of(state_home())


def require_data(question: str, data: str) -> list[Path]:
    """The files of a folder of real data that a question is about; none for a question about a scene.

    Raises:
        DataNotFoundError: some are not there.
    """
    files: list[Path] = []
    for pattern in questions()[question].files:
        found = sorted(Path(data).glob(pattern)) if data else []
        if not found:
            raise DataNotFoundError(
                "a question about real data has none",
                where=data or None,
                expected=pattern,
                found="nothing",
                hint="say where they are: --data FOLDER",
            )
        files += found
    return files


def _put(question: Question, scene: Scene, folder: Path, data: str) -> None:
    """The data of a question: a scene that is written, or copies of real files."""
    if not question.files:
        write_scene(scene, folder)
        return
    folder.mkdir(parents=True)
    for path in require_data(question.name, data):
        shutil.copyfile(path, folder / path.name)


@lru_cache(maxsize=64)
def _steps(name: str, data: str) -> int:
    """How many steps the plan of a question has without a fault."""
    question = questions()[name]
    with TemporaryDirectory(prefix="knowflow-fault-free-") as folder:
        place = Path(folder)
        _put(question, question.scene(), place / "data", data)
        return len(Engine(place / "home", _catalogue()).planned(_request(question, place / "data")).plan.workflow)


def fault_free(name: str, data: str = "") -> str:
    """What is untrue of a question's answer, or wrong about its run, without any fault; empty where nothing is.

    Raises:
        KnowFlowError: the question is not answered.
    """
    question = questions()[name]
    with TemporaryDirectory(prefix="knowflow-fault-free-") as folder:
        place = Path(folder)
        _put(question, question.scene(), place / "data", data)
        engine = Engine(place / "home", _catalogue())
        trace = engine.executed(engine.planned(_request(question, place / "data")), LocalRunner(), place / "out")
        if trace.status != "completed" or trace.repairs:
            return f"{trace.status} with {len(trace.repairs)} repairs: {trace.error or ''}"
        return untrue(CaseTruth(question, files=tuple(require_data(name, data))), answers_of(trace), 0.0)


def _request(question: Question, data: Path, given: Mapping[str, Any] | None = None) -> Request:
    """The sentence as anybody asks it; ``given`` are parameters said beside it."""
    return Request(question.asked, data, given=given or {})


class _Case:
    """One case: injections one after the other, each when its time has come."""

    def __init__(self, fault: Fault, question: Question, seed: int, folder: Path, data: str) -> None:
        self.fault, self.question, self.folder, self.data = fault, question, folder, data
        self.site = Site(folder / "data", question.scene(), random.Random(f"{fault.kind} {question.name} {seed}"))
        self.catalogue = _catalogue()
        self.computed: Counter[tuple[str, str]] = Counter()

    def ending(self) -> Ending:
        with ExitStack() as stack:
            looks = [stack.enter_context(SURROUNDINGS[one.inject](self.folder)) for one in self._at("throughout")]
            ending = self._ended()
            found = next(filter(None, (look(self.folder) for look in looks)), "")
        return replace(ending, outcome="wrong", detail=found) if found else ending

    def _ended(self) -> Ending:
        steps = _steps(self.question.name, self.data)
        planned: PlanResult | None = None
        try:
            self._data()
            engine = Engine(self.folder / "home", self.catalogue, self._presenter())
            self._before(engine)
            planned = self._edited(engine, engine.planned(self._asked()))
            self._meanwhile()
            trace = self._executed(engine, planned)
        except KnowFlowError as error:
            return self._refused(error, planned)
        except OSError as error:
            return self._refused(refusal(error), planned)
        return self._judged(trace, planned, steps)

    # --- injections ------------------------------------------------------------------------------------------------

    def _at(self, when: str) -> Iterator[Injection]:
        return (one for one in self.fault.injections if one.when == when)

    def _data(self) -> None:
        for one in self._at("data"):
            if one.inject in LAYER_FAULTS:
                layers = LAYER_FAULTS[one.inject](self.site, **one.with_)
                self.site.scene = self.site.scene.model_copy(update={"layers": layers})
        _put(self.question, self.site.scene, self.site.folder, self.data)
        for one in self._at("data"):
            if one.inject in FILE_FAULTS:
                FILE_FAULTS[one.inject](self.site, **one.with_)

    def _asked(self) -> Request:
        given = {name: value for one in self._at("parameter") for name, value in one.with_.items()}
        said = {name: value for one in self._at("request") for name, value in one.with_.items()}
        return replace(_request(self.question, self.site.folder, given), **said)

    def _presenter(self) -> Presenter | None:
        """Makes the report, where what is written of a run is looked at."""
        return Pages() if any(self._at("throughout")) else None

    def _before(self, engine: Engine) -> None:
        """A run of the same question, after which something changes."""
        for number, one in enumerate(self._at("between")):
            if not number:
                engine.executed(engine.planned(self._asked()), LocalRunner(), self.folder / "first")
            FILE_FAULTS[one.inject](self.site, **one.with_)

    def _edited(self, engine: Engine, planned: PlanResult) -> PlanResult:
        """The plan as somebody who edited its file would have it checked."""
        for one in self._at("plan"):
            nodes = planned.plan.workflow.nodes
            chosen = self.site.chance.choice(nodes)
            spoilt = _PLAN_FAULTS[one.inject](chosen)
            workflow = Workflow(tuple(spoilt if node.id == chosen.id else node for node in nodes))
            planned = engine.checked(replace(planned.plan, workflow=workflow))
        return planned

    def _meanwhile(self) -> None:
        for one in self._at("planned"):
            FILE_FAULTS[one.inject](self.site, **one.with_)

    def _executed(self, engine: Engine, planned: PlanResult) -> Trace:
        with ExitStack() as stack:
            for one in self.fault.injections:
                if one.when == "machine":
                    stack.enter_context(self._machine(one, engine, planned))
                elif one.when == "tool":
                    engine = stack.enter_context(self._tool(planned.plan, one))
                elif one.when == "llm":
                    fails = (
                        Injection(inject="refuses_as_asked", when="tool", **{"with": one.with_})
                        if one.with_
                        else _REFUSES
                    )
                    engine = stack.enter_context(self._tool(planned.plan, fails))
                    stack.enter_context(_answering(one.inject))
            return engine.executed(planned, LocalRunner(), self.folder / "out", self._heard)

    def _heard(self, event: Event) -> None:
        if isinstance(event, NodeEnded) and event.record.status == "done":
            self.computed[event.record.node, event.record.key] += 1

    def _machine(self, one: Injection, engine: Engine, planned: PlanResult) -> AbstractContextManager[None]:
        if one.inject in _DAMAGES:
            engine.executed(planned, LocalRunner(), self.folder / "first")
            _DAMAGES[one.inject](self.folder / "home")
            return nullcontext()
        if one.inject == "replaced_while_read":
            with suppress(KnowFlowError):
                engine.executed(planned, LocalRunner(), self.folder / "first", self._swapping)
            return nullcontext()
        if one.inject == "shared_folder":
            return interrupted_by(self.folder / "out", self._other_run)
        return MACHINE_FAULTS[one.inject](self.folder / "out")

    def _swapping(self, event: Event) -> None:
        """While a step runs, the data are others."""
        aside = self.folder / "aside"
        if isinstance(event, NodeEnded if aside.exists() else NodeStarted):
            swap(self.site.folder, aside)

    def _other_run(self) -> None:
        """The same question about other data, whose results go to the same folder."""
        place = self.folder / "other"
        _put(self.question, self.site.scene, place / "data", self.data)
        lower(place / "data")
        engine = Engine(place / "home", self.catalogue)
        with suppress(KnowFlowError):
            engine.executed(engine.planned(_request(self.question, place / "data")), LocalRunner(), self.folder / "out")

    @contextmanager
    def _tool(self, plan: Plan, one: Injection) -> Iterator[Engine]:
        """An engine one of whose tools is not what it should be."""
        told = dict(one.with_)
        used = sorted(
            {node.tool for node in plan.workflow.nodes if self.catalogue.tools[node.tool].run[:7] == "python:"}
        )
        name = told.pop("tool", None) or self.site.chance.choice(used)
        schema = self.catalogue.tools[name]
        tools = {**self.catalogue.tools, name: faulty(schema, one.inject, "times" in told)}
        self.site.touched.append(name)
        with standing_in(schema, self.folder / "count", told):
            yield Engine(self.folder / "home", replace(self.catalogue, tools=tools))

    # --- what came of it -------------------------------------------------------------------------------------------

    def _refused(self, error: KnowFlowError, planned: PlanResult | None) -> Ending:
        diagnosis = refused(self.question.name, error, planned).diagnoses[0]
        return Ending(
            "refused", (str(diagnosis["cause"]),), detail=f"{error.code}: {error.message}: {error.found or ''}"
        )

    def _judged(self, trace: Trace, planned: PlanResult, steps: int) -> Ending:
        causes = tuple(one.diagnosis.cause for one in trace.repairs)
        causes += tuple(one.cause for one in trace.diagnoses)
        if trace.status != "completed" and not causes:
            causes = (diagnose_refusal(trace.error or {}).cause,)
        shared: dict[str, Any] = {
            "causes": causes,
            "by": tuple(one.by for one in trace.repairs),
            "tokens": sum(int(one.get("tokens") or 0) for one in trace.exchanges),
            "repeated": sum(times - 1 for times in self.computed.values() if times > 1),
            "inserted": len(planned.plan.workflow) > steps,
        }
        if trace.status != "completed":
            error = trace.error or {}
            return Ending("refused", detail=f"{error.get('message', '')}: {error.get('found') or ''}", **shared)
        question = self.question.model_copy(update={"truth": self.fault.truth or self.question.truth})
        truth = CaseTruth(question, self.site.gaps, tuple(require_data(self.question.name, self.data)))
        answers = answers_of(trace)
        difference = untrue(truth, answers, self.fault.tolerance) or undelivered(answers, self.folder / "out")
        if not difference:
            return Ending("right", **shared)
        said = [note for note in _notes(trace, planned) if names_cause(self.fault, note)]
        told = said and not self.fault.repairable  # where a repair should make it true, its words excuse nothing
        return Ending("told" if told else "wrong", detail="; ".join([difference, *said]), **shared)


def _notes(trace: Trace, planned: PlanResult) -> Iterator[str]:
    """All that is told beside an answer: notes, what was taken for granted, and what steps lose."""
    yield from planned.notes
    yield from trace.notes
    yield from (str(assumption) for assumption in trace.plan.assumptions)
    yield from (one.lossy for one in trace.repairs if one.lossy)
    yield from (node.inserted.lossy for node in trace.plan.workflow.nodes if node.inserted and node.inserted.lossy)


_DAMAGES = {"damaged_cache": damage, "damaged_inside": damage_inside}
_REFUSES = Injection(inject="refuses", when="tool")


@contextmanager
def _answering(name: str) -> Iterator[None]:
    """A language model that gives such answers is configured."""
    with openai_server(say=ANSWERS[name]) as server:
        variables = {
            "KNOWFLOW_LLM_BASE_URL": server.url,
            "KNOWFLOW_LLM_API_KEY": KEY,
            "KNOWFLOW_LLM_MODEL": MODEL,
            "KNOWFLOW_LLM_TIMEOUT": "1",
            "KNOWFLOW_LLM_RETRIES": "0",
            "KNOWFLOW_LLM_ATTEMPTS": "2",
            "KNOWFLOW_LLM_SECONDS": "5",
        }
        with patch.dict("os.environ", variables):
            yield


def _unknown_tool(node: Node) -> Node:
    return replace(node, tool=f"{node.tool}_pro")


def _unknown_argument(node: Node) -> Node:
    return replace(node, args={**node.args, "precision_wanted": Given(3)})


def _missing_argument(node: Node) -> Node:
    return replace(node, args=dict(list(node.args.items())[1:]))


def _wrong_value(node: Node) -> Node:
    return replace(node, args={**node.args, next(iter(node.args)): Given({"as": "before"})})


_PLAN_FAULTS = {
    "unknown_tool": _unknown_tool,
    "unknown_argument": _unknown_argument,
    "missing_argument": _missing_argument,
    "wrong_value": _wrong_value,
}
