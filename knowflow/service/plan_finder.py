"""The plan that answers a question: of how its words read, of how a language model reads them, of a template that is
named, or of the expression that is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from knowflow.ground.errors import KnowFlowError, NotUnderstoodError, PlanningError
from knowflow.knowledge.catalogue import Catalogue
from knowflow.knowledge.success_record import counts_methods
from knowflow.model.plan import Plan
from knowflow.model.workflow import Workflow
from knowflow.reason.area import Area
from knowflow.reason.expression_planner import ExpressionPlanner
from knowflow.reason.inventory import Inventory
from knowflow.service import notes
from knowflow.service.composed import (
    as_said,
    goal_of,
    misfit,
    not_set,
    read_so,
    several_readings,
    told_in,
    without_normals,
)
from knowflow.service.folder import Folder
from knowflow.service.inquiry import Inquiry
from knowflow.service.plan_checks import PlanChecks
from knowflow.service.repair_policy import remembers
from knowflow.service.request import Found, Request

# a plan is made without what runs it, and without what asks a language model: importing that would cost more than it
if TYPE_CHECKING:
    from knowflow.question.operators import Expression
    from knowflow.question.reading.readings import Reading
    from knowflow.question.reading.vocabulary import DataWords
    from knowflow.reason.compiling.by_memory import FromMemory
    from knowflow.service.suggesting import Suggesting

    Stated = tuple[Expression, Mapping[str, object]]
    """An expression with what is set of that which it states, and what is set beside it."""


class PlanFinder:
    """Finds plans over one catalogue, that pass their checks."""

    def __init__(self, home: Path, catalogue: Catalogue, checks: PlanChecks) -> None:
        self._home = home
        self._catalogue = catalogue
        self._checks = checks
        self._planner = ExpressionPlanner(catalogue)

    def found(self, inquiry: Inquiry) -> Found:
        """The plan of an expression that was given, else of how the sentence is read: by its words, and by a language
        model where one is to be asked.

        Raises:
            NotUnderstoodError, PlanningError: there is none, or both read it differently; the error says why.
        """
        request = inquiry.request
        if request.llm != "never":
            return self._by_second_reader(inquiry)
        try:
            if request.expression is not None:
                return self._of_expression(*self._stated(request.expression, inquiry), inquiry)
            return self._by_words(inquiry) if request.template is None else self._by_template(request.template, inquiry)
        except KnowFlowError as error:  # what is missing may be in a file that cannot be read
            error.problems = (*error.problems, *notes.damaged(inquiry.inventory))
            raise

    def explain(self, error: KnowFlowError, inquiry: Inquiry) -> None:
        """What stands in the way of a question that is refused, and what can be asked instead, said with the error."""
        from knowflow.service.suggesting import in_the_way

        request, inventory, area = inquiry.request, inquiry.inventory, inquiry.area
        if request.expression is None:
            found = in_the_way(self._read(inquiry), partial(self._sound, inventory, area), str(error))
            error.problems = (*error.problems, *found)
        asked = request.expression or request.query
        error.instead = error.instead or self.suggesting(inventory, area).instead_of(asked)

    def suggesting(self, inventory: Inventory, area: Area | None = None) -> Suggesting:
        """What offers questions that a folder can answer."""
        from knowflow.service.suggesting import Suggesting

        return Suggesting(self._words(inventory), partial(self._sound, inventory, area))

    def _sound(self, inventory: Inventory, area: Area | None, expression: Expression) -> None:
        """Plan an expression and check the plan.

        Raises:
            PlanningError: there is none.
        """
        data = Folder(without_normals(inventory, expression), goal_of(expression, ""))
        self._checks.sound(self._planner.plan(expression, data, area))

    # --- how a question reads --------------------------------------------------------------------------------------

    def _words(self, inventory: Inventory) -> DataWords:
        """The names that a folder, the tools and the templates bring, for the reader."""
        from knowflow.reason.data_words import data_words

        return data_words(inventory, self._catalogue.tools, self._catalogue.templates)

    def _read(self, inquiry: Inquiry) -> Reading:
        """How the words of a question are read: where there is one before, as a change of it."""
        from knowflow.question.reading.reader import read

        request, words = inquiry.request, self._words(inquiry.inventory)
        if request.last is not None:
            from knowflow.question.reading.going_on import follow_up

            return follow_up(request.query, request.last, words, request.last_unit)
        return read(request.query, words)

    def _not_understood(self, reading: Reading, inventory: Inventory) -> NotUnderstoodError:
        from knowflow.service.refusals import not_understood

        return not_understood(reading, self._words(inventory), inventory)

    def _by_second_reader(self, inquiry: Inquiry) -> Found:
        """The plan of how the words read, of how a language model reads them, or of both.

        Raises:
            NotUnderstoodError, PlanningError: there is none, or both read it differently; the error says why.
        """
        from knowflow.service.second_reader import SecondReader

        def carried_out(reading: Reading) -> Found:
            return self._carried_out(reading.candidates()[0], reading, inquiry)

        second = SecondReader(self._home, self._catalogue.templates, carried_out)
        by_words = replace(inquiry, request=replace(inquiry.request, llm="never"))
        return second.found(inquiry.request, self._words(inquiry.inventory), lambda: self.found(by_words))

    def _by_words(self, inquiry: Inquiry) -> Found:
        """The plan of how the sentence reads as an expression.

        Raises:
            NotUnderstoodError: it does not read, or several readings can be carried out, and differ on these data.
            PlanningError: none can be; or what is set of that which it states is no such value, or does not fit there.
        """
        from knowflow.question.literals import literals

        reading, request = self._read(inquiry), inquiry.request
        if reading.unfit:
            raise misfit(reading)
        found: dict[tuple[Workflow, object], Found] = {}
        refused: list[KnowFlowError] = []
        for one in reading.candidates():
            if not request.given.keys() <= literals(one).keys() | self._planner.parameters(one):
                continue  # the parameters of a template
            try:
                made = self._carried_out(one, reading, inquiry)
            except KnowFlowError as error:  # another reading may be carried out
                refused.append(error)
                continue
            found.setdefault((made.plan.workflow, _files_of(made.plan)), made)
        if len(found) > 1:
            raise several_readings([one.expression for one in found.values()])
        if found:
            return next(iter(found.values()))
        if refused:
            raise refused[0]
        raise _nothing_set(reading, request) or self._not_understood(reading, inquiry.inventory)

    def _by_template(self, name: str, inquiry: Inquiry) -> Found:
        """The plan of a template that is named, of what the question tells.

        Raises:
            UnknownNameError: there is none of that name.
            NotUnderstoodError, PlanningError: the question does not read, or the template does not fit it or the data.
        """
        from knowflow.service.by_template import applied

        request = inquiry.request
        template = self._catalogue.template(name)
        reading = self._read(inquiry) if request.query.strip() else None
        if reading is not None and reading.expression is None:
            raise self._not_understood(reading, inquiry.inventory)
        asked = applied(template, None if reading is None else reading.expression, request.given)
        return self._of_expression(_there(asked, inquiry), request.given, inquiry)

    # --- how an expression is carried out --------------------------------------------------------------------------

    def _carried_out(self, one: Expression, reading: Reading, inquiry: Inquiry) -> Found:
        """The plan of one expression of a reading.

        Raises:
            KnowFlowError: there is none, or it does not pass its check.
        """
        asked, others = self._stated(one, inquiry)
        made = self._of_expression(asked, others, inquiry)
        self._checks.sound(made.plan)
        plan = told_in(read_so(as_said(made.plan, reading), one, reading.candidates()), one, reading)
        return replace(made, plan=plan, reading=replace(reading.taken(one), expression=asked))

    def _stated(self, expression: Expression, inquiry: Inquiry) -> Stated:
        """An expression with what is set of that which it states, at the point that is asked for, and what is set
        beside it: of its definitions.

        Raises:
            PlanningError: what is set is no such value, does not fit there, or nothing has that name; nothing of it has
                a value at a point.
        """
        from knowflow.question.literals import with_literals

        request = inquiry.request
        own = self._planner.parameters(expression)
        others = {name: value for name, value in request.given.items() if name in own}
        stated = {name: value for name, value in request.given.items() if name not in others}
        return _there(with_literals(expression, stated), inquiry), others

    def _of_expression(self, expression: Expression, given: Mapping[str, object], inquiry: Inquiry) -> Found:
        request = inquiry.request
        goal = goal_of(expression, request.query)
        memory = self._memory(request.learned_templates) if request.memory else None
        data = Folder(without_normals(inquiry.inventory, expression), goal)
        plan = self._planner.plan(expression, data, inquiry.area, given, memory)
        said = request.expression is None and request.query.strip()
        query = request.query if said else plan.query  # of what was set, what is asked now
        return Found(replace(plan, query=query), goal, expression)

    def _memory(self, templates: bool) -> FromMemory | None:
        """What earlier runs taught of planning; None where they taught nothing."""
        templates = templates and remembers(self._home, "templates")
        if not templates and not counts_methods(self._home):
            return None
        from knowflow.service.solidifying import at_hand

        return at_hand(self._catalogue, self._home, templates)


def _files_of(plan: Plan) -> object:
    """The layers that each input of a plan is of: the same workflow of others is another answer."""
    held = plan.inputs.items()
    return frozenset((name, tuple((leaf.path, leaf.band) for leaf in one.leaves())) for name, one in held)


def _there(expression: Expression, inquiry: Inquiry) -> Expression:
    """The expression at the points that are asked for, where there are any."""
    if inquiry.points is None:
        return expression
    from knowflow.question.narrowing import at_points

    return at_points(expression, inquiry.points)


def _nothing_set(reading: Reading, request: Request) -> PlanningError | None:
    """Why what is set of a question that reads fits none of its readings; None where nothing is read, or set."""
    problems = tuple(not_set(reading, request.given))
    if not problems:
        return None
    first = problems[0]
    where, hint = "--set", first.hint or None
    error = PlanningError("the question states nothing of that name", where=where, found=first.found, hint=hint)
    error.problems = problems
    return error
