"""What a caller gives with a question: words or an expression, data, settings and assumptions; and what is refused."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowflow.ground.errors import PlanningError
from knowflow.service.asked_points import around_place

if TYPE_CHECKING:
    from knowflow.question.operators import Expression
    from knowflow.service.repair_policy import RepairPolicy
    from knowflow.service.request import Model, Request
    from knowflow.service.sources.places import Data


@dataclass(frozen=True)
class Given:
    """A question with what it is asked of and under which settings; ``place`` is the point or the points of ``at``."""

    query: str | Expression
    data: Data
    aoi: str | None = None
    place: str | None = None
    dates: str | None = None
    settings: Mapping[str, Any] | None = None
    assume: Sequence[str] = ()
    template: str | None = None
    llm: bool | Model = "never"

    def folder(self, refresh: bool) -> Path:
        """The folder that stands for the data; ``refresh`` looks again at what lies elsewhere."""
        return folder_of(self.data, around_place(self.aoi, self.place), self.dates, refresh, self.query)

    def request(self, refresh: bool) -> Request:
        """What is asked of the folder.

        Raises:
            PlanningError: settings or assumptions are given in a form that is not read.
            KnowFlowError: the data are not there.
        """
        from knowflow.service.request import Request, model_of

        folder = self.folder(refresh)
        _refuse_other_forms(self.settings, self.assume)
        return Request(
            words_of(self.query),
            folder,
            self.aoi,
            self.dates,
            dict(self.settings or {}),
            tuple(self.assume),
            self.template,
            model_of(self.llm),
            expression=None if isinstance(self.query, str) else self.query,
            at=self.place,
        )


def words_of(query: str | Expression) -> str:
    """A question in words; an expression that does not fit has none of its own."""
    if isinstance(query, str):
        return query
    from knowflow.question.words import in_words

    try:
        return in_words(query)
    except ValueError:
        return query.op


def folder_of(
    data: Data, aoi: str | None, dates: str | None, refresh: bool, asked: str | Expression | None = None
) -> Path:
    """The folder that stands for data: one of the user's own, or what is gathered from elsewhere."""
    if not isinstance(data, (str, Path)) and len(data) == 1:
        data = data[0]
    if isinstance(data, (str, Path)) and os.path.isdir(data) and not str(data).rstrip("/").endswith(".zarr"):
        return Path(data)
    from knowflow.service.sources import local

    return local(data, aoi=aoi, dates=dates, refresh=refresh, asked=asked)


def policy_of(max_repairs: int | None, memory: bool) -> RepairPolicy:
    """How often a plan may be repaired, and whether what earlier runs taught counts."""
    from knowflow.service.repair_policy import RepairPolicy

    usual = RepairPolicy(memory=memory)
    return usual if max_repairs is None else replace(usual, max_repairs=max_repairs)


def refuse_changes_of_plan(**given: object) -> None:
    """A plan is bound to its data and parameters: what is said besides would count for nothing.

    Raises:
        PlanningError: something is said besides the plan.
    """
    said = [name for name, value in given.items() if value not in (None, (), [], {})]
    if said:
        raise PlanningError(
            "a plan is carried out as it is",
            expected="the plan alone: data and parameters are those it was made with",
            found=", ".join(f"--{name}" for name in said),
            hint="plan the question again with that (`knowflow plan ... --save FILE`), or change the plan itself",
        )


def _refuse_other_forms(settings: object, assumed: object) -> None:
    """Settings and assumptions that are given in each other's form, or that of the command line.

    Raises:
        PlanningError: they are no mapping, or no list of texts.
    """
    if settings is not None and not isinstance(settings, Mapping):
        raise PlanningError(
            "the parameters to set are given in a form that is not read",
            expected="a mapping of names to values, such as set={'threshold': 0.5}",
            found=f"set={settings!r}",
        )
    listed = assumed if isinstance(assumed, Sequence) and not isinstance(assumed, str) else [None]
    if not all(isinstance(one, str) for one in listed):
        raise PlanningError(
            "the assumptions are given in a form that is not read",
            expected="a list of texts, such as assume=['crs=EPSG:32633']",
            found=f"assume={assumed!r}",
        )
