"""Families of questions, told from what the expert did and from the files: what kind of knowledge a plan needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.tool import ToolSchema
from knowflow.reason.inventory import inventory_of_names
from knowflow_bench.earth_bench.questions import Question

MAKES_PRODUCTS = ("index", "inversion", "perception", "deep_learning")
OTHER = "other"


def families(tools: Mapping[str, ToolSchema]) -> Callable[[Question], str]:
    """The family of a question: the first tool of the expert's that makes a product (an index, a retrieval, a look at
    images), else the quantity that the files hold, by their names."""

    def family(question: Question) -> str:
        for name in question.expert_tools:
            schema = tools.get(name)
            if schema is not None and schema.kit in MAKES_PRODUCTS:
                return name
        return _given(question.files)

    return family


def _given(files: tuple[str, ...]) -> str:
    kinds = quantity_kinds()
    for artifact in inventory_of_names(files).artifacts:
        for leaf in artifact.leaves():
            kind = kinds.get(str(leaf.fact("quantity")))
            if kind is not None:
                return f"given: {kind.name}"
    return OTHER
