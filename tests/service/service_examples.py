"""Scenes, and what a command of the command line left behind, for tests of the whole way from question to answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knowflow.model.template import Scene
from knowflow.testing.scenes import write_scene

NDVI = {"name": "field", "quantity": "ndvi", "values": "x", "dates": ["2022-06-01"]}


def scene(folder: Path, *layers: dict[str, Any], **settings: Any) -> Path:
    """A folder with a small scene: one NDVI layer that rises from 0 to 1, or the layers given."""
    described = {"size": [32, 32], "layers": list(layers or (NDVI,)), **settings}
    write_scene(Scene.model_validate(described), folder)
    return folder


@dataclass(frozen=True)
class Answered:
    """What a command left behind: its exit code, its JSON, the error it named, and the text on standard error."""

    code: int
    result: dict[str, Any]
    error: dict[str, Any]
    stderr: str

    def named(self, code: str, *words: str) -> None:
        """The error has this code, says what was expected or found and what to do, and mentions these words."""
        assert self.error["code"] == code, self.error
        assert self.error["expected"] or self.error["found"] or self.error["problems"], self.error
        text = json.dumps(self.error, ensure_ascii=False)
        for word in words:
            assert word in text, (word, self.error)


Command = Callable[..., Answered]
