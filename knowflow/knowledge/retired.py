"""Templates that are no more, and the expression that each was, for whoever still names one."""

from __future__ import annotations

from collections.abc import Mapping

from knowflow.ground.kept import kept
from knowflow.knowledge.documents import strongest
from knowflow.model.tool import Document


class Retired(Document):
    """Expressions by the name of the template that each was."""

    retired: dict[str, str]


@kept()
def retired_templates() -> Mapping[str, str]:
    """The expressions by the name of the template, with ``$name`` where it had a parameter."""
    found, _ = strongest("retired.yaml", Retired)
    return {} if found is None else found.retired
