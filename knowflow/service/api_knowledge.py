"""The facade's part about knowledge: tools, templates, repair rules, single calls, and what earlier runs taught."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowflow.ground.kept import as_authored
from knowflow.ground.report import Problem
from knowflow.service.api_home import Home
from knowflow.service.results import TemplateTestResult

if TYPE_CHECKING:
    from knowflow.knowledge.rules import RuleBook
    from knowflow.model.plan import Plan
    from knowflow.model.rule import Rule
    from knowflow.model.template import Template
    from knowflow.model.tool import ToolSchema
    from knowflow.reason.calls import Proposal
    from knowflow.reason.repair.scenarios import RuleTestResult
    from knowflow.service.advice import Advice
    from knowflow.service.memory_book import MemoryBook
    from knowflow.service.rule_book import ExplainedRun


class Knowledge(Home):
    """What is known: looked up, checked and tested."""

    def tools(self) -> Mapping[str, ToolSchema]:
        return self.catalogue.tools

    def templates(self) -> Mapping[str, Template]:
        return self.catalogue.templates

    def check(self, paths: Sequence[Path | str] = ()) -> list[Problem]:
        """Every problem of authored documents: of the given files and folders, or of all knowledge at hand."""
        from knowflow.service.knowledge import check_documents

        as_authored()
        return check_documents([Path(path) for path in paths])

    def test_templates(
        self, names: Sequence[str] | None = None, *, keep: Path | str | None = None
    ) -> list[TemplateTestResult]:
        """Run templates on scenes generated from their tests and compare with the analytic truth.

        ``keep`` is a folder in which the scenes are left, as ``TEMPLATE/NUMBER/data``.
        """
        from knowflow.service.template_tests import run_template_tests

        return run_template_tests(self.catalogue, names, None if keep is None else Path(keep))

    def check_call(
        self, name: str, arguments: Mapping[str, Any], files: Sequence[str] | None = None
    ) -> tuple[tuple[Problem, ...], tuple[Proposal, ...]]:
        """What is wrong with a flat call of a tool, and the calls to make instead, the best first.

        Files are texts, outputs are named. ``files`` are those that count as there (None: those on disk).
        """
        from knowflow.reason.calls import Call, KnownFiles, check_call, proposals

        known = KnownFiles(on_disk=True) if files is None else KnownFiles(frozenset(files))
        call = Call(name, arguments)
        problems = check_call(call, self.catalogue.tools, known)
        return problems, proposals(call, self.catalogue.tools, known) if problems else ()

    def rule_book(self) -> RuleBook:
        """The repair rules at hand, with the problems of those that are not valid."""
        from knowflow.knowledge.rules import load_rules

        return load_rules(self.catalogue.tools)

    def rules(self) -> Mapping[str, Rule]:
        return self.rule_book().rules

    def rule_record(self) -> dict[str, tuple[int, int]]:
        """How often each rule was tried and helped, in the runs of this home."""
        from knowflow.knowledge.success_record import SuccessRecord

        return SuccessRecord(self.home).all()

    def test_rules(self, names: Sequence[str] | None = None) -> list[RuleTestResult]:
        """Test rules on the failures that their authors describe.

        Raises:
            UnknownNameError: there is no rule of such a name.
        """
        from knowflow.service.rule_book import tested

        return tested(self.rule_book(), names, self.catalogue)

    def explain_repairs(self, run_id: str) -> ExplainedRun:
        """What went wrong in a run, what was done about it, and which rules speak of it.

        Raises:
            UnknownNameError: there is no such run.
        """
        from knowflow.service.rule_book import explained

        return explained(run_id, self.catalogue, self.home)

    def advice(self, plan: Plan, *, memory: bool = True) -> Advice:
        """What experts mind about the question of a plan, and what earlier attempts at it over such data came to."""
        from knowflow.service.advice import advice

        return advice(plan, self.home, memory=memory)

    def memory(self, project: str | None = None) -> MemoryBook:
        """What earlier runs taught: of the project around the current folder, unless another one is named."""
        from knowflow.service.memory_book import MemoryBook

        as_authored()
        return MemoryBook(self.home, self.catalogue, project)
