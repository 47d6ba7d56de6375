"""Repairs proposed by a language model where no knowledge applies (tier 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from knowflow.ground.errors import KnowFlowError
from knowflow.model.repair import Failure, Proposal
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Refusal
from knowflow.reason.llm.candidates import candidate_tools
from knowflow.reason.llm.conversation import LanguageModelError, Message, Schema, estimated_tokens
from knowflow.reason.llm.failure_context import Advice, messages
from knowflow.reason.llm.reading_request import MOST_TOKENS
from knowflow.reason.llm.records import Recorded
from knowflow.reason.llm.repair_answer import RepairAnswer, edits_of, said
from knowflow.reason.llm.structured import problems_of, typed

BY = "llm"
# told with the answer, whatever the model says of its own proposal
_UNPROVEN = "a language model proposed this repair; only the conditions of the tools vouch for it"


class LanguageModelProposer:
    """Asks a language model for edits, a few times for each failure, and never again once it could not be asked.

    ``record_of`` says in which file the exchanges of a run are kept, ``advice`` what experts and earlier attempts say
    of the question. What it proposes is only parsed here: whether it
    may be done is for :func:`knowflow.graph.edit.apply` and the laws of repair to say, as for everybody's edits.
    """

    def __init__(
        self,
        model: Recorded,
        tools: Mapping[str, ToolSchema],
        *,
        attempts: int = 3,
        record_of: Callable[[str], Path] | None = None,
        advice: Callable[[Failure], Advice] | None = None,
    ) -> None:
        self._model = model
        self._tools = tools
        self._attempts = attempts
        self._record_of = record_of
        self._advice = advice
        self._gone: str | None = None
        self._given_up: set[tuple[str, str, int]] = set()

    def propose(self, failure: Failure, refused: Sequence[Refusal]) -> Proposal | None:
        """Edits for a failure. A proposal without edits says why there are none; None: there is no more to come."""
        case = (failure.trace.run_id, failure.node, len(failure.trace.repairs))
        asked_before = sum(one.by == BY for one in refused)
        if self._gone is not None or case in self._given_up or asked_before >= self._attempts:
            return None
        if not failure.candidates:
            failure = replace(failure, candidates=candidate_tools(failure, self._tools))
        if self._record_of is not None:
            self._model.path = self._record_of(failure.trace.run_id)
        before = len(self._model.exchanges)
        proposal = self._asked(failure, refused, case)
        return replace(proposal, exchanges=tuple(self._model.exchanges[before:]))

    def _request(self, failure: Failure, refused: Sequence[Refusal], schema: Schema) -> tuple[Message, ...]:
        """What is asked; advice is the first to be left out where it would be too long."""
        bare = messages(failure, refused)
        if self._advice is None:
            return bare
        told = messages(failure, refused, self._advice(failure))
        return told if estimated_tokens(told, schema) <= MOST_TOKENS else bare

    def _asked(self, failure: Failure, refused: Sequence[Refusal], case: tuple[str, str, int]) -> Proposal:
        schema = RepairAnswer.model_json_schema(by_alias=True)
        try:
            answer = self._model.complete(self._request(failure, refused, schema), schema)
        except LanguageModelError as error:
            self._gone = error.message
            return Proposal((), f"{error.message}: {error.found}" if error.found else error.message)
        try:
            found = typed(answer, RepairAnswer)
            edits = edits_of(found, failure.plan, self._tools, failure.diagnosis)
        except KnowFlowError as error:
            reasons = "; ".join(map(str, problems_of(error)))
            return Proposal((), f"{error.message}: {reasons}", tokens=answer.tokens)
        if not edits:
            self._given_up.add(case)
            return Proposal((), f"it sees no repair: {said(found.because)}", tokens=answer.tokens)
        lossy = f"{said(found.lossy).rstrip('.')}; {_UNPROVEN}" if found.lossy else _UNPROVEN
        return Proposal(edits, said(found.because), lossy, answer.tokens)
