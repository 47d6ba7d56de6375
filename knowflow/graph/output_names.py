"""What the files are called that the calls of a pack write: by the scene they are made of, each name once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from knowflow.graph.export import item_of
from knowflow.model.pack import CallStyle, Pack
from knowflow.model.plan import Plan
from knowflow.model.workflow import Node

_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d([-_]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\d)")
_NUMBERED = re.compile(r"_\d{3}$")
_NO_PLACE = re.compile(
    r"pre|post|before|after|time\d?|t\d|bt|sur|refl|sr|tif|\d+|[a-z]?\d{1,2}(?:\.tif)?", re.IGNORECASE
)
_NAME = re.compile(r"\b[A-Z][\w'’-]*[a-z][\w'’-]*")
_TIME = re.compile(r"[-_T]([01]\d|2[0-3])[0-5]\d(?!\d)")


class OutputNames:
    """The paths of what is written; none is given out twice."""

    def __init__(self, plan: Plan, pack: Pack, folder: str) -> None:
        self._root, self._below = _results_of(folder, pack)
        self._region = _region(plan)
        self._taken: set[str] = set()

    def read_back(self, written: Any) -> Any:
        """Where what is written under a name is found: below the folder of results."""
        if isinstance(written, list):
            return [self.read_back(name) for name in written]
        return f"{self._root}{written}"  # the root ends with a slash

    def path(self, stem: str, node: Node, sources: Sequence[str], style: CallStyle, number: int = 1) -> str:
        """A path for what a node makes of its sources; ``number`` counts the outputs of one call."""
        name = PurePosixPath(sources[0]).name if sources else ""
        own = PurePosixPath(name).stem
        date = _DATE.search(name)
        time = _TIME.match(name, date.end()) if date else None
        words = {
            "date": date.group() if date else own,
            "moment": (date.group() + (time.group() if time else "")) if date else own,
            "name": own,
            "group": item_of(node.step),
            "place": _place(own, date),
            "year": date.group()[:4] if date else "",
            "number": f"{number:03}",
            "region": self._region or (date.group() if date else own),
            "series": _NUMBERED.sub("", own),
        }
        ending = PurePosixPath(name).suffix if PurePosixPath(name).suffix in (".png", ".jpg") else ".tif"
        made = (stem or f"{node.tool}_{{name}}").format(**words).strip("_")
        folder = f"{self._root if style.full_paths else ''}{self._below}"
        path = f"{folder}{made}{ending}"
        count = 2
        while path in self._taken:
            path = f"{folder}{made}_{count}{ending}"
            count += 1
        self._taken.add(path)
        return path


def telling_apart(stem: str, sources: Sequence[str]) -> str:
    """A way to name outputs by date, or by moment where two of the scenes are of one day."""
    days = [date.group() for source in sources if (date := _DATE.search(PurePosixPath(source).name))]
    return stem if len(set(days)) == len(days) else stem.replace("{date}", "{moment}")


def _results_of(folder: str, pack: Pack) -> tuple[str, str]:
    """The folder of results, and what is below it for this folder of data; each empty or with a slash at its end."""
    parts = PurePosixPath(folder).parts
    if pack.data_folder not in parts:
        return "", f"{pack.out_folder}/"
    place = len(parts) - 1 - parts[::-1].index(pack.data_folder)
    root = PurePosixPath(*parts[:place], pack.out_folder).as_posix()
    below = "/".join(parts[place + 1 :])
    return f"{root}/", f"{below}/" if below else ""


def _region(plan: Plan) -> str:
    """The place that the question names last, in small letters: ``paris`` of "the Paris metropolitan area"; ``""``
    where it names none. Words without a capital are no names, and words of capitals alone are abbreviations."""
    said = str(plan.understood.get("region", {}).get("value") or "")
    named = ["_".join(_NAME.findall(part)).lower() for part in said.split(",")]
    return next((name for name in reversed(named) if name), "")


def _place(name: str, date: re.Match[str] | None) -> str:
    """What a file's name says beside the date, the band and the moment: a region, ``""`` where there is none."""
    parts = re.split(r"[_ ]+", name.replace(date.group(), "") if date else name)
    kept = [part for part in parts if part and not _NO_PLACE.fullmatch(part)]
    return ("" if " " in name else "_").join(kept)
