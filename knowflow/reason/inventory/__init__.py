"""A folder of Earth-observation files as facts: what is there, what it means, and how that is known."""

from knowflow.reason.inventory.assume import Assumption, AssumptionError, apply_assumptions, parse_assumptions
from knowflow.reason.inventory.crs import require_coordinate_systems
from knowflow.reason.inventory.grammar_check import check_grammars
from knowflow.reason.inventory.header import read_artifact
from knowflow.reason.inventory.inventory import Inventory, candidates
from knowflow.reason.inventory.names import name_facts
from knowflow.reason.inventory.product_check import check_products
from knowflow.reason.inventory.scan import inventory_of_names, read_dates, read_file, take_inventory
from knowflow.reason.inventory.why import about_file

__all__ = [
    "Assumption",
    "AssumptionError",
    "Inventory",
    "about_file",
    "apply_assumptions",
    "candidates",
    "check_grammars",
    "check_products",
    "inventory_of_names",
    "name_facts",
    "parse_assumptions",
    "read_artifact",
    "read_dates",
    "read_file",
    "require_coordinate_systems",
    "take_inventory",
]
