"""All that is told beside an answer before anything runs: what could have been meant, taken or left out otherwise."""

from __future__ import annotations

from knowflow.graph.check import WorkflowCheck
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.plan import Plan
from knowflow.reason.inventory import Inventory
from knowflow.service import notes
from knowflow.service.alike import alike
from knowflow.service.composed import meant
from knowflow.service.dates_apart import dates_apart
from knowflow.service.open_scales import open_scales
from knowflow.service.places import places_apart
from knowflow.service.request import Found
from knowflow.service.unused import unused


def told_beside(
    plan: Plan, check: WorkflowCheck, found: Found, inventory: Inventory, catalogue: Catalogue
) -> tuple[str, ...]:
    """What is to be told of a plan, of the files that it takes and leaves, and of knowledge that is not in use."""
    return (
        *notes.other_unit(plan, check),
        *notes.resolutions(plan, check),
        *open_scales(plan, inventory),
        *alike(plan, inventory, found.goal),
        *unused(plan, meant(inventory, found.expression), found.goal),
        *dates_apart(plan, inventory.root),
        *places_apart(plan),
        *notes.of_folder(inventory),
        *notes.left_out(catalogue),
    )
