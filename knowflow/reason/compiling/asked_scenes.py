"""The images that a question asks for, as the methods of a pack make them: for all of its times, or for each apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from knowflow.model.artifact import Artifact
from knowflow.model.goal import Period
from knowflow.model.pack import Conventions
from knowflow.model.template import Template
from knowflow.question.operators import During, Expression, Quantity, children, walk
from knowflow.question.times import Times
from knowflow.reason.builder import Bound, Builder
from knowflow.reason.compiling.made import refuse
from knowflow.reason.inputs import DataSource
from knowflow.reason.instantiate import Instantiation
from knowflow.reason.pairing import groups, keys_of

PRODUCT = "product"
"""The task whose methods make images of a quantity."""


class ScenesAsked:
    """Makes the images of the quantities of one question."""

    def __init__(
        self, asked: Expression, data: DataSource, builder: Builder, work: Instantiation, conventions: Conventions
    ) -> None:
        self._data = data
        self._builder = builder
        self._work = work
        self._conventions = conventions
        self._times = _times_of(asked)
        self._products: dict[tuple[Quantity, Period | None], tuple[Bound, str]] = {}
        self._read = 0

    def of(self, e: Quantity, when: Times | None) -> Bound:
        """The images of a quantity: for one time by itself where the method does so, else for all that are asked."""
        whole = _period(*self._times[e])
        taken, method = self._product(e, whole)
        if when is not None and _far_apart(self._times[e]) and method in self._conventions.apart:
            taken, _ = self._product(e, _period(when))
        return taken

    def _product(self, e: Quantity, period: Period | None) -> tuple[Bound, str]:
        """The images, and the method that made them."""
        if (e, period) not in self._products:
            named = [f"{name}={value}" for name, value in e.having if name != "region"]
            if named:
                raise refuse(e, f"a choice of data by {named[0]}")
            given: dict[str, Any] = {"quantity": e.kind} | ({"method": e.method} if e.method else {})
            self._read += 1
            path = f"{e.kind}_{self._read}"
            step = {"steps": {"it": {"task": PRODUCT, "with": given}}, "outputs": {"it": "$it"}}
            template = Template.model_validate({"template": "of_question", "title": e.kind, "layer": 3, **step})
            made = self._work.template(template, {}, {}, path=path, period=period).outputs["it"]
            if made is None or not isinstance(made.known, Artifact):
                raise refuse(e, "no raster of it")
            keys = made.keys or keys_of(made.known)
            self._refuse_several(e, made.known, period)
            method = next(one.chosen for one in self._work.decisions if one.what == f"{PRODUCT} at {path}.it")
            self._products[e, period] = replace(made, keys=keys), method
        found, method = self._products[e, period]
        region = next((value for name, value in e.having if name == "region"), None)
        if region is not None:
            found = groups(self._builder, found, (region,), e.kind)[0][1]
            found = replace(found, keys=keys_of(found.known))  # of several regions no date tells an image apart
        return found, method

    def _refuse_several(self, e: Quantity, product: Artifact, period: Period | None) -> None:
        """Refuse data as they are given where files hold several layers of the quantity, and none is chosen.

        Raises:
            NotCompiledError: with the names of the layers.
        """
        given = {str(leaf.fact("layer")) for leaf in product.leaves() if leaf.fact("quantity") == e.kind and leaf.path}
        found = self._data.candidates("raster_series", (e.kind,), (), period) if given else ()
        layers = {str(leaf.fact("layer")) for one in found for leaf in one.leaves()} | given
        if len(layers) > 1:
            raise refuse(e, f"several layers of it: {', '.join(sorted(layers))}", "say which")

    def methods(self) -> set[str]:
        """Those that made the images."""
        return {method for _, method in self._products.values()}

    def mark(self) -> Mapping[tuple[Quantity, Period | None], tuple[Bound, str]]:
        """What is read so far, to return to when an attempt fails."""
        return dict(self._products)

    def undo(self, mark: Mapping[tuple[Quantity, Period | None], tuple[Bound, str]]) -> None:
        self._products = dict(mark)


def _times_of(asked: Expression) -> dict[Quantity, list[Times]]:
    """The times that each quantity of a question is asked for."""
    found: dict[Quantity, list[Times]] = {one: [] for _, one in walk(asked) if isinstance(one, Quantity)}
    whole: set[Quantity] = set()

    def look(e: Expression, when: Times | None) -> None:
        if isinstance(e, Quantity):
            found[e] += [when] if when is not None and when not in found[e] else []
            whole.update(() if when is not None else (e,))
            return
        inner = e.when if isinstance(e, During) and isinstance(e.when, Times) else when
        for _, one in children(e):
            look(one, inner)

    look(asked, None)
    return {e: [] if e in whole else listed for e, listed in found.items()}


def _period(*asked: Times) -> Period | None:
    """The time from the first to the last day asked for; None where it is open."""
    if not asked or any(one.first is None or one.last is None for one in asked):
        return None
    return Period(str(min(one.first for one in asked)), str(max(one.last for one in asked)))  # type: ignore[type-var]  # none is open


def _far_apart(asked: Sequence[Times]) -> bool:
    """Whether times are single days, or of several years: parts of one year are taken out of all its images."""
    ends = [(one.first, one.last) for one in asked]
    days = all(first is not None and first == last for first, last in ends)
    return len(asked) > 1 and (days or len({first and first.year for first, _ in ends}) > 1)
