"""Authored documents of benches: in ``benchmarks/``, in the project's ``.knowflow/benchmarks`` and the user's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from knowflow.ground.resources import resources
from knowflow.knowledge.documents import Loaded, load_model

M = TypeVar("M", bound=BaseModel)


def loaded(pattern: str, model: type[M], paths: Sequence[Path] = ()) -> Iterator[Loaded[M]]:
    """These files, or all at hand that fit the pattern, each with what is wrong with it."""
    found = paths or [resource.path for resource in resources("benchmarks", pattern)]
    return (load_model(path, model) for path in found)
