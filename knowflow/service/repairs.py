"""Who answers the failures of a run: the rules at hand, the schemas, and a language model where one is configured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from knowflow.execution.probing import FileProbe
from knowflow.ground.errors import KnowFlowError
from knowflow.knowledge.catalogue import Catalogue
from knowflow.knowledge.rules import load_rules
from knowflow.knowledge.success_record import SuccessRecord
from knowflow.model.repair import Failure, Proposal, Proposer
from knowflow.model.rule import Rule
from knowflow.model.trace import Refusal
from knowflow.reason.repair.repairer import Repairer
from knowflow.service.repair_policy import RepairPolicy, remembers


class Configured:
    """The configured language model, set up when it is first asked: a run without a failure does without it."""

    def __init__(self, catalogue: Catalogue, home: Path, memory: bool = True) -> None:
        self._memory = memory
        self._catalogue = catalogue
        self._home = home
        self._asked = False
        self._proposer: Proposer | None = None

    def propose(self, failure: Failure, refused: Sequence[Refusal]) -> Proposal | None:
        """Edits for a failure, as in :class:`knowflow.model.repair.Proposer`; None where no model is configured."""
        if not self._asked:
            from knowflow.service.language_model import proposer as configured_proposer

            self._asked = True
            try:
                self._proposer = configured_proposer(self._home, self._catalogue.tools, memory=self._memory)
            except KnowFlowError as error:  # told with the failure; nothing else depends on it
                return Proposal((), f"the language model cannot be asked: {error.message}")
        return None if self._proposer is None else self._proposer.propose(failure, refused)


def repairer(catalogue: Catalogue, home: Path, policy: RepairPolicy) -> Repairer:
    """The repairer of one run. Rules that are not valid are left out: `knowflow check` names them."""
    return Repairer(
        catalogue.tools,
        lambda: load_rules(catalogue.tools).rules.values(),
        FileProbe(home),
        learned=lambda: learned_rules(catalogue, home) if policy.memory else (),
        waiting=lambda: learned_rules(catalogue, home, waiting=True) if policy.memory else (),
        outcomes=SuccessRecord(home),
        proposer=policy.proposer or Configured(catalogue, home, policy.memory),
        max_repairs=policy.max_repairs,
    )


def learned_rules(catalogue: Catalogue, home: Path, *, waiting: bool = False) -> tuple[Rule, ...]:
    """The rules that runs of this project taught, and are in use (or wait for a person); none where nothing was learned
    yet."""
    if not remembers(home):
        return ()
    from knowflow.service.remembering import rules_at_hand

    return rules_at_hand(catalogue, home, waiting=waiting)
