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

    def names(self, code: str, *words: str) -> bool:
        """Whether the error has this code, says what was expected or found or what to do, and mentions these words."""
        text = json.dumps(self.error, ensure_ascii=False)
        says = any(self.error.get(part) for part in ("expected", "found", "problems", "hint"))
        return self.error.get("code") == code and says and all(word in text for word in words)

    def refused(self, code: str, *words: str, exit_code: int = 2) -> bool:
        """Whether nothing was computed, for this reason."""
        return (self.code, self.result["status"]) == (exit_code, "refused") and self.names(code, *words)

    def failed(self, code: str, *words: str) -> bool:
        """Whether the run failed, for this reason."""
        return (self.code, self.result["status"]) == (3, "failed") and self.names(code, *words)


Command = Callable[..., Answered]
