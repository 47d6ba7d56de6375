"""Nodes that are carried out together: in one pass over the blocks of their rasters, with the facts, the checks and the
keys of each as if it had been alone.

What nobody asked for is not written: of such a raster the cache keeps what is told of it. Where anything is not as it
should be, nothing is kept and the nodes are to be carried out one by one: whoever repairs sees what there is to see.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowflow.execution.action import Action, Group, Outcome, Step
from knowflow.execution.cache import Stored, with_keys
from knowflow.execution.carry_out import OnProgress, Workshop, call_tool
from knowflow.execution.conditions import ensure, require
from knowflow.execution.elsewhere import fetched
from knowflow.execution.handover import keyword_arguments, output_paths, returned_artifact
from knowflow.execution.keys import Keyed, derived_key
from knowflow.execution.screening import screen
from knowflow.execution.written import written_artifact
from knowflow.graph.effects import predicted_outputs
from knowflow.graph.resolve import arguments_of
from knowflow.ground.errors import RunInterruptedError
from knowflow.model.artifact import Artifact
from knowflow.model.evaluate import evaluate
from knowflow.model.facts import PIXEL_FACTS, Fact, Facts
from knowflow.model.trace import Check
from knowflow.tools.context import running

if TYPE_CHECKING:
    from knowflow.tools.raster.fusion import Fusion

_ATTEMPTS = 3  # at a group of which others make parts at the same time


class AwaitedFacts(Facts):
    """Facts of a raster whose pixels are not known before the pass: who asks for those waits for it, or is refused.

    ``now`` are all of them, once the pass is over.
    """

    __slots__ = ("_of", "_wait", "now")

    def __init__(self, facts: Mapping[str, Fact], wait: Callable[[], None], of: AwaitedFacts | None = None) -> None:
        super().__init__({name: fact for name, fact in facts.items() if name not in PIXEL_FACTS})
        self._wait = wait
        self._of = self if of is None else of
        self.now: Facts | None = None

    def known(self, name: str) -> Fact | None:
        if name not in PIXEL_FACTS:
            return super().known(name)
        if self._of.now is None:
            self._wait()
        assert self._of.now is not None, "whoever waits goes on when all is known"
        return self._of.now.known(name)

    def __getitem__(self, name: str) -> Fact:
        found = self.known(name)
        if found is None:
            raise KeyError(name)
        return found

    def value(self, name: str, default: Any = None) -> Any:
        found = self.known(name)
        return default if found is None else found.value

    def without(self, names: Any) -> Facts:
        return AwaitedFacts(super().without(names), self._wait, self._of)

    def only(self, names: Any) -> Facts:
        return AwaitedFacts(super().only(names), self._wait, self._of)


@dataclass(eq=False)
class _Work:
    """A step that is carried out, from its key to its result."""

    step: Step
    keyed: Keyed
    draft: Path
    waits: bool = False  # for rasters that are made in the pass
    arguments: Mapping[str, Any] = field(default_factory=dict)
    doubts: tuple[Check, ...] = ()
    before: tuple[Check, ...] = ()
    told: list[str] = field(default_factory=list)
    finish: Callable[[], Any] | None = None
    awaited: dict[str, AwaitedFacts] = field(default_factory=dict)
    seconds: float = 0.0


def carried(workshop: Workshop, action: Action, on_progress: OnProgress | None = None) -> Outcome:
    """Carry out an action, of one node or of a group. Never raises for a failed one."""
    single = action.group is None
    outcome = workshop(action, on_progress) if single else carried_together(workshop, action, on_progress)
    told = "" if workshop.cache.shared is None else workshop.cache.shared.told
    return replace(outcome, notes=(told,)) if told else outcome


def carried_together(workshop: Workshop, action: Action, on_progress: OnProgress | None) -> Outcome:
    """Carry out a group. An outcome without parts and without error: its nodes are to be carried out one by one."""
    assert action.group is not None
    started = time.time()
    try:
        for _ in range(_ATTEMPTS):
            parts = _attempt(workshop, action.group, on_progress)
            if parts is not None:
                ended = time.time()
                return Outcome(action.node, started=started, finished=ended, parts=_timed(parts, started, ended))
    except Exception as error:  # whatever it is, the nodes one by one show where it is and why
        if workshop.stopping() or isinstance(error, RunInterruptedError):
            stopped = RunInterruptedError("stopped on request")
            return Outcome(action.node, error=stopped, started=started, finished=time.time())
    return Outcome(action.node, started=started, finished=time.time())


def _timed(parts: list[tuple[Outcome, float]], started: float, ended: float) -> tuple[Outcome, ...]:
    """Each step with its share of the time of all, one after the other."""
    whole = sum(seconds for _, seconds in parts) or 1.0
    timed, at = [], started
    for outcome, seconds in parts:
        until = at + (ended - started) * seconds / whole
        timed.append(replace(outcome, started=at, finished=until))
        at = until
    return tuple(timed)


def _attempt(workshop: Workshop, group: Group, on_progress: OnProgress | None) -> list[tuple[Outcome, float]] | None:
    """The outcome of each step with the seconds that went into it; None where others were at it meanwhile."""
    from knowflow.tools.raster.pending import NotFusedError

    keys, found = _looked_up(workshop, group)
    to_make = _to_make(group, found)
    if len({keys[node].key for node in to_make}) < len(to_make):
        raise NotFusedError("two nodes are one: the second finds what the first has made")
    with ExitStack() as claims:
        drafts = {
            node: claims.enter_context(workshop.cache.claim(keys[node].key, workshop.check_stop))
            for node in sorted(to_make, key=lambda node: keys[node].key)  # one order for all: nobody waits in a circle
        }
        if drafts and _to_make(group, _looked_up(workshop, group)[1]) != to_make:
            return None
        by_key = {keys[one.node.id].key: drafts[one.node.id] for one in group.steps if one.node.id in drafts}
        if claims.enter_context(workshop.cache.alone(by_key, workshop.check_stop)):
            return None  # other machines have made some of it
        works = [_Work(one, keys[one.node.id], drafts[one.node.id]) for one in group.steps if one.node.id in drafts]
        for work in works:
            workshop.keyring.digests.rely(work.keyed.files)
        own = {work.keyed.key for work in works}
        for work in works:
            workshop.require_whole(replace(work.keyed, results=work.keyed.results - own))
        made = _Pass(workshop, group, found, works).results(on_progress) if works else {}
        if any(workshop.keyring.digests.changed(work.keyed.files) is not None for work in works):
            return None
        for work in reversed(works):  # who is killed in between has made nothing that what is lacking would need again
            found[work.step.node.id] = _published(workshop, work, *made[work.step.node.id])
    workshop.made += len(works)
    return [
        (
            Outcome(
                one.node.id,
                found[one.node.id].outputs,
                None,
                found[one.node.id].checks,
                one.node.id not in to_make,
                found[one.node.id].key,
            ),
            found[one.node.id].seconds if one.node.id in to_make else 0.0,
        )
        for one in group.steps
    ]


def _published(workshop: Workshop, work: _Work, outputs: Mapping[str, Artifact], checks: tuple[Check, ...]) -> Stored:
    told = not work.step.kept and work.step.schema.returns is None
    if told:
        for artifact in outputs.values():
            Path(str(artifact.path)).unlink()
        outputs = {
            name: replace(artifact, path=None, facts=artifact.facts.without(("size",)))
            for name, artifact in outputs.items()
        }
    return workshop.cache.publish(
        work.keyed.key, work.draft, work.step.schema, outputs, checks, work.seconds, told=told
    )


def _looked_up(workshop: Workshop, group: Group) -> tuple[dict[str, Keyed], dict[str, Stored]]:
    """The key of each step, worked out from one to the next, and what the cache has of it."""
    keys: dict[str, Keyed] = {}
    found: dict[str, Stored] = {}
    outputs: dict[tuple[str, str], Artifact] = dict(group.known)
    for step in group.steps:
        node, schema = step.node, step.schema
        arguments = arguments_of(node, schema, group.inputs, _reader(group, outputs))
        keys[node.id] = keyed = workshop.keyring.keyed(schema, arguments)
        stored = workshop.cache.find(keyed.key, told=True)
        if stored is not None:
            found[node.id] = stored
            outputs |= {(node.id, name): artifact for name, artifact in stored.outputs.items()}
        else:
            predicted = predicted_outputs(schema, arguments, node.id)
            outputs |= {
                (node.id, name): with_keys(artifact, derived_key(keyed.key, name))
                for name, artifact in predicted.items()
            }
    return keys, found


def _to_make(group: Group, found: Mapping[str, Stored]) -> frozenset[str]:
    """The steps that are not in the cache, and those whose raster is told of only while one of these needs it."""
    wanted: set[str] = set()
    needed: set[str] = set()
    for step in reversed(group.steps):
        stored = found.get(step.node.id)
        lacking = stored is not None and _told_only(stored)
        if stored is None or (lacking and (step.kept or step.node.id in needed)):
            wanted.add(step.node.id)
            needed |= set(step.node.sources())
    return frozenset(wanted)


def _told_only(stored: Stored) -> bool:
    return any(artifact.type == "raster" and artifact.path is None for artifact in stored.outputs.values())


def _reader(group: Group, outputs: Mapping[tuple[str, str], Artifact]) -> Callable[[str, str], Artifact]:
    primary = {step.node.id: step.schema.primary_output for step in group.steps}

    def output_of(node: str, output: str) -> Artifact:
        return outputs[node, output or primary.get(node, "")]

    return output_of


class _Pass:
    """One pass of some steps of a group."""

    def __init__(self, workshop: Workshop, group: Group, found: Mapping[str, Stored], works: list[_Work]) -> None:
        self._workshop = workshop
        self._group = group
        self._works = works
        self._made = {work.step.node.id for work in works}
        self._ready = dict(group.known) | {
            (node, name): artifact
            for node, stored in found.items()
            if node not in self._made
            for name, artifact in stored.outputs.items()
        }

    def results(self, on_progress: OnProgress | None) -> dict[str, tuple[dict[str, Artifact], tuple[Check, ...]]]:
        """Outputs in their drafts and checks, by node.

        Raises ``NotFusedError``, and the errors of tools and conditions.
        """
        from knowflow.tools.raster.fusion import Fusion

        kept = [str(path) for work in self._works if work.step.kept for path in self._paths(work).values()]
        fusion = Fusion(kept)
        with fusion.collecting():
            outputs = dict(self._ready)
            for work in self._works:
                outputs |= self._begun(fusion, work, _reader(self._group, outputs))
            with running(on_progress, self._workshop.stopping):
                fusion.run()
            outputs, found = dict(self._ready), {}
            for work in self._works:
                node = work.step.node.id
                found[node] = ended, _ = self._ended(fusion, work, _reader(self._group, outputs))
                outputs |= {
                    (node, name): with_keys(artifact, derived_key(work.keyed.key, name))
                    for name, artifact in ended.items()
                }
        return found

    def _paths(self, work: _Work) -> dict[str, Path]:
        return output_paths(work.step.schema, work.draft)

    def _begun(
        self, fusion: Fusion, work: _Work, output_of: Callable[[str, str], Artifact]
    ) -> Iterator[tuple[tuple[str, str], Artifact]]:
        """Have a tool say what it does; its rasters with what is known of them before the pass."""
        from knowflow.tools.raster import lending
        from knowflow.tools.raster.pending import NotFusedError

        node, schema, where = work.step.node, work.step.schema, work.step.title
        work.arguments = arguments_of(node, schema, self._group.inputs, output_of)
        work.waits = bool(self._made & set(node.sources()))
        fetched(work.arguments, self._workshop.check_stop)
        with lending() as lender, lender.looking():
            work.doubts = screen(schema, work.arguments, where)
        if work.waits:
            _require_possible(work)
        else:
            work.arguments, work.before = require(schema, work.arguments, where)
        paths = self._paths(work)
        call = keyword_arguments(schema, work.arguments, paths)
        with running(None, self._workshop.stopping, work.told.append):
            if schema.returns is not None:
                work.finish = fusion.call(lambda: call_tool(schema, call))
            else:
                call_tool(schema, call)
        if any(not fusion.made(str(paths[name])) and not schema.parameters[name].optional for name in paths):
            raise NotFusedError(f"{schema.tool} writes something else than blocks")
        predicted = predicted_outputs(schema, work.arguments, node.id)
        begun = []
        for name, path in paths.items():
            if not fusion.made(str(path)):
                continue
            header = written_artifact(schema, name, path, predicted[name], where)
            work.awaited[name] = AwaitedFacts(header.facts, fusion.wait)
            artifact = with_keys(header.with_facts(work.awaited[name]), derived_key(work.keyed.key, name))
            begun.append(((node.id, name), artifact))
        return iter(begun)

    def _ended(
        self, fusion: Fusion, work: _Work, output_of: Callable[[str, str], Artifact]
    ) -> tuple[dict[str, Artifact], tuple[Check, ...]]:
        """The outputs of a step with all that is known of them now, and every check of it."""
        from knowflow.tools.raster.pending import NotFusedError

        node, schema, where = work.step.node, work.step.schema, work.step.title
        if work.waits:
            given = arguments_of(node, schema, self._group.inputs, output_of)
            work.arguments, work.before = require(schema, given, where)
            if any(work.arguments[name] is not value for name, value in given.items()):
                raise NotFusedError("a fact was measured that the tool would have known")
        predicted = predicted_outputs(schema, work.arguments, node.id)
        outputs = {}
        for name in work.awaited:
            path = self._paths(work)[name]
            outputs[name] = written_artifact(schema, name, path, predicted[name], where)
            work.awaited[name].now = outputs[name].facts
            work.seconds += fusion.seconds(str(path))
        if work.finish is not None:
            assert schema.returns is not None
            begun = time.perf_counter()
            outputs["value"] = returned_artifact(schema, work.finish(), predicted["value"])
            work.seconds += time.perf_counter() - begun
        outputs, after = ensure(schema, work.arguments, outputs, where)
        said = tuple(Check("told", schema.tool, None, words) for words in dict.fromkeys(work.told))
        return dict(outputs), (*work.doubts, *work.before, *after, *said)


def _require_possible(work: _Work) -> None:
    """Refuse what is wrong whatever the pixels are, before any is read."""
    from knowflow.tools.raster.pending import NotFusedError

    for text, condition in work.step.schema.parsed_preconditions:
        try:
            truth = evaluate(condition, work.arguments).truth
        except NotFusedError:  # it is about the pixels
            continue
        if truth is False:
            raise NotFusedError(f"{text} does not hold")
