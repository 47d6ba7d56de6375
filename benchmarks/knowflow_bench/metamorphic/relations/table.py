"""All relations by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from knowflow_bench.metamorphic.relations.folder import FOLDER
from knowflow_bench.metamorphic.relations.ground import GROUND
from knowflow_bench.metamorphic.relations.site import Relation
from knowflow_bench.metamorphic.relations.storage import STORAGE

RELATIONS: Mapping[str, Relation] = MappingProxyType({one.name: one for one in (*STORAGE, *GROUND, *FOLDER)})
