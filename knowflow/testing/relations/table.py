"""All relations by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from knowflow.testing.relations.folder import FOLDER
from knowflow.testing.relations.ground import GROUND
from knowflow.testing.relations.site import Relation
from knowflow.testing.relations.storage import STORAGE

RELATIONS: Mapping[str, Relation] = MappingProxyType({one.name: one for one in (*STORAGE, *GROUND, *FOLDER)})
