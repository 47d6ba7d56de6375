"""Diagnoses: the named cause of a failure, the place that is guilty of it, and the evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from knowflow.model.causes import CAUSES
from knowflow.model.literal import frozen, plain
from knowflow.model.verdict import Place, place_text

Confidence = Literal["certain", "likely"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Something that was looked at: what should have been found, what was, and how it is known.

    ``origin`` is that of a fact (measured, declared...), or ``error`` for what a tool said, ``system`` for the machine.
    """

    what: str
    expected: str = ""
    found: str = ""
    origin: str = ""

    def __str__(self) -> str:
        wanted = f", expected {self.expected}" if self.expected else ""
        return f"{self.what}: {self.found}{wanted}" + (f" ({self.origin})" if self.origin else "")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why a node failed.

    ``failed`` is the node where it surfaced, ``node`` the guilty one: itself, or one that feeds it; empty where nothing
    ran yet. ``place`` is the guilty argument of ``node`` and ``file`` the guilty file, where there is one. ``found``
    holds what a repair may use (the value of undeclared nodata, the factor that is missing...). Other causes that the
    evidence does not rule out are in ``others``, the likeliest first.
    """

    cause: str
    node: str
    failed: str
    place: Place = ()
    file: str = ""
    evidence: tuple[Evidence, ...] = ()
    confidence: Confidence = "likely"
    others: tuple[str, ...] = ()
    advice: str = ""
    found: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "found", frozen(dict(self.found)))

    def __hash__(self) -> int:
        return hash((self.cause, self.node, self.failed, self.place))

    @property
    def title(self) -> str:
        return CAUSES[self.cause].title

    @property
    def parameter(self) -> str:
        """The guilty parameter of the guilty node, or nothing."""
        return str(self.place[0]) if self.place else ""

    def sentence(self) -> str:
        """One line for people: the cause, where, and the first of the evidence."""
        where = self.file or ".".join(part for part in (self.node, place_text(self.place)) if part)
        certainly = "" if self.confidence == "certain" else "probably "
        line = f"{certainly}{self.title}" + (f" ({where})" if where else "")
        return f"{line}: {self.evidence[0]}" if self.evidence else line

    def to_json(self) -> dict[str, Any]:
        return {
            "cause": self.cause,
            "title": self.title,
            "node": self.node,
            "failed": self.failed,
            "place": list(self.place),
            "file": self.file,
            "evidence": [asdict(item) for item in self.evidence],
            "confidence": self.confidence,
            "others": list(self.others),
            "advice": self.advice,
            "found": plain(self.found),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Diagnosis:
        return cls(
            cause=data["cause"],
            node=data["node"],
            failed=data["failed"],
            place=tuple(data.get("place", ())),
            file=data.get("file", ""),
            evidence=tuple(Evidence(**item) for item in data.get("evidence", ())),
            confidence=data.get("confidence", "likely"),
            others=tuple(data.get("others", ())),
            advice=data.get("advice", ""),
            found=data.get("found", {}),
        )
