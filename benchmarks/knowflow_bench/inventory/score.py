"""Files of a folder judged: what the inventory shows of each against what is true of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.model.literal import plain
from knowflow.reason.inventory import Inventory
from knowflow.reason.inventory.evidence import Candidate
from knowflow.reason.inventory.tags import unit_of
from knowflow_bench.inventory.facts import Judgement, days_of, fact_name, judge, same_numbers, same_value, value_of
from knowflow_bench.inventory.labelled_folder import FileTruth, LabelledFile, LabelledFolder
from knowflow_bench.inventory.layers import apart, paired

Outcome = Literal["right", "wrong", "unknown", "left_out_silently"]
_OF_NUMBERS = ("unit", "scale", "offset")
_PER_DAY = re.compile(r" day-1\b")
_OF_DAYS = re.compile(r"(.+?)/(\d\d?)day")
OUTCOMES: tuple[Outcome, ...] = ("right", "wrong", "unknown", "left_out_silently")


@dataclass(frozen=True, slots=True)
class JudgedFact:
    """One fact of one layer. ``shown`` says whether the true value is among the candidates that are shown."""

    fact: str
    expected: Any
    found: Any
    judgement: Judgement
    shown: bool = False


@dataclass(frozen=True, slots=True)
class JudgedFile:
    """What came of one file: ``path`` is its name in the folder, ``why`` the reason of a file that is not used.

    ``apart`` says of a file that is right by itself that no series has it together with the others of its layer.
    """

    folder: str
    path: str
    names: Literal["published", "renamed"]
    outcome: Outcome
    facts: tuple[JudgedFact, ...] = ()
    why: str = ""
    apart: bool = False

    @property
    def shown(self) -> bool:
        """Whether what is true of a file that is not understood is among the candidates, for all that is missing.

        A unit, a scale and what else follows from the quantity is not asked for where the quantity is shown.
        """
        missing = [one for one in self.facts if one.judgement == "unknown"]
        kinds = [one.shown for one in missing if one.fact == "quantity"]
        if kinds and all(kinds):
            missing = [one for one in missing if one.fact not in _OF_NUMBERS]
        return bool(missing) and all(one.shown for one in missing)

    def to_json(self) -> dict[str, Any]:
        return {
            "folder": self.folder,
            "file": self.path,
            "names": self.names,
            "outcome": self.outcome,
            "candidates_right": self.shown,
            "why": self.why,
            "apart": self.apart,
            "facts": [
                {"fact": one.fact, "expected": plain(one.expected), "found": plain(one.found), "is": one.judgement}
                for one in self.facts
                if one.judgement != "right"
            ],
        }


@dataclass
class Tally:
    """The files of some folders, counted."""

    files: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    candidates_right: int = 0
    apart: int = 0
    facts: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, judged: JudgedFile) -> None:
        self.files += 1
        self.outcomes[judged.outcome] += 1
        self.candidates_right += judged.outcome in ("unknown", "left_out_silently") and judged.shown
        self.apart += judged.apart
        for one in judged.facts:
            self.facts.setdefault(one.fact, Counter())[one.judgement] += 1

    def to_json(self) -> dict[str, Any]:
        """``candidates_right`` is a share of what is neither right nor wrong; None where all is."""
        open_ = self.outcomes["unknown"] + self.outcomes["left_out_silently"]
        return {
            "files": self.files,
            **{name: self.outcomes[name] for name in OUTCOMES},
            "candidates_right": round(self.candidates_right / open_, 4) if open_ else None,
            "apart": self.apart,
            "facts": {
                fact: {name: counted[name] for name in ("right", "wrong", "unknown")}
                for fact, counted in sorted(self.facts.items())
            },
        }


@dataclass(frozen=True, slots=True)
class Seen:
    """What an inventory shows of each file, by its path in the folder."""

    layers: Mapping[str, Sequence[Artifact]]
    listed: Mapping[str, str]
    open_: Mapping[tuple[str, int | None], Sequence[Candidate]]
    series: Sequence[frozenset[tuple[str, int | None]]] = ()


def seen_in(inventory: Inventory) -> Seen:
    """The layers of each file and what is open about them, and the files that are told to be left out, with the reason.

    A product that another one replaces is a folder or the beginning of a path: all of it is told of.
    """
    root = Path(inventory.root)
    layers: dict[str, list[Artifact]] = {}
    for layer in inventory.artifacts:
        layers.setdefault(Path(str(layer.path)).relative_to(root).as_posix(), []).append(layer)
    copies = ((path, f"a copy of {other}") for path, other in inventory.copies)
    replaced = ((path, f"there is a newer one: {other}") for path, other in inventory.replaced)
    told = dict([*inventory.unknown, *inventory.unreadable, *copies, *replaced])
    series = [frozenset((str(leaf.path), leaf.band) for leaf in one.leaves()) for one in inventory.series()]
    return Seen(layers, told, inventory.open, series)


def judged(folder: LabelledFolder, number: int, seen: Seen) -> Sequence[JudgedFile]:
    """Every file of a folder that has a truth; ``number`` is that of its names (0: published)."""
    found: dict[str, JudgedFile] = {}
    for file in folder.files:
        if file.truth:
            path = folder.name_of(file, number)
            found[file.path] = _judged(folder, file, path, "renamed" if number else "published", seen)
    right = [file for file in folder.files if file.path in found and found[file.path].outcome == "right"]
    alone = apart(right, [seen.layers.get(folder.name_of(file, number), ()) for file in right], seen.series)
    return [replace(one, apart=path in alone) for path, one in found.items()]


def _judged(
    folder: LabelledFolder, file: LabelledFile, path: str, names: Literal["published", "renamed"], seen: Seen
) -> JudgedFile:
    layers = seen.layers.get(path, ())
    if layers:
        facts = tuple(one for layer, truth in paired(layers, file) for one in _facts(layer, truth, file, seen))
        if len(file.truth) > 1 and None not in (places := {layer.band for layer in layers}):
            lacking = (truth for place, truth in enumerate(file.truth, start=1) if place not in places)
            facts += tuple(
                JudgedFact(fact, value, None, "unknown") for one in lacking for fact, value in one.known.items()
            )
        judgements = {one.judgement for one in facts}
        outcome: Outcome = "wrong" if "wrong" in judgements else "unknown" if "unknown" in judgements else "right"
        return JudgedFile(folder.folder, path, names, outcome, facts)
    facts = tuple(
        JudgedFact(fact, value, None, "unknown") for truth in file.truth for fact, value in truth.known.items()
    )
    why = next((said for told, said in seen.listed.items() if _tells_of(told, path)), "")
    return JudgedFile(folder.folder, path, names, "unknown" if why else "left_out_silently", facts, why)


def _tells_of(told: str, path: str) -> bool:
    product = told and not Path(told).suffix
    return told == path or path.startswith(f"{told}/") or (bool(product) and Path(path).name.startswith(told))


def _facts(layer: Artifact, truth: FileTruth, file: LabelledFile, seen: Seen) -> Iterable[JudgedFact]:
    candidates = seen.open_.get((str(layer.path), layer.band), ())
    alike = _means_the_same(layer, truth, file)
    quantity = truth.quantity if isinstance(truth.quantity, str) else ""
    for fact, expected in truth.known.items():
        judgement = "right" if alike and fact in _OF_NUMBERS else judge(layer, fact, expected, quantity, truth.date)
        shown = judgement == "unknown" and _among(candidates, fact, expected)
        yield JudgedFact(fact, expected, value_of(layer, fact), judgement, shown)
    for fact in truth.asked:
        expected, found = getattr(truth, fact), value_of(layer, fact)
        shown = _among(candidates, fact, expected)
        if found is not None:
            yield JudgedFact(fact, "nobody can know", found, "wrong")
        else:
            yield JudgedFact(fact, expected, None, "right" if shown else "unknown", shown)


def _means_the_same(layer: Artifact, truth: FileTruth, file: LabelledFile) -> bool:
    """Whether unit, scale and offset together say of the stored numbers what is true of them."""
    if file.pixels is None:
        return False
    header = file.pixels.each[(layer.band or 1) - 1]
    scale = next((one for one in (truth.scale, header.scale) if one is not None), 1.0)
    offset = next((one for one in (truth.offset, header.offset) if one is not None), 0.0)
    per_day = _of_one_day(header.unit)
    if truth.unit is not None:
        days = days_of(truth.date)
        whole = _PER_DAY.sub("", truth.unit)  # numbers of some days, of which the truth tells those of one
        kind = truth.quantity if isinstance(truth.quantity, str) else ""
        amount = whole != truth.unit and days > 1 and same_numbers(layer, whole, scale * days, offset * days, kind)
        if amount or same_numbers(layer, truth.unit, scale, offset, kind):
            return True
        if per_day is None or not same_value("unit", truth.unit, _PER_DAY.sub("", per_day[0]), kind):
            return False
    elif truth.scale is not None and isinstance(truth.quantity, str):
        own = quantity_kinds().get(truth.quantity)
        if own is not None and same_numbers(layer, own.unit, scale, offset):
            return True
    return per_day is not None and not offset and same_numbers(layer, per_day[0], scale / per_day[1], offset)


def _of_one_day(unit: str | None) -> tuple[str, int] | None:
    """The unit of one day of what a header declares to be of several, and of how many: ``kg/m^2/8day``."""
    told = _OF_DAYS.fullmatch(unit or "")
    known = None if told is None else unit_of(f"{told[1]}/day")
    return None if told is None or known is None else (known, int(told[2]))


def _among(candidates: Iterable[Candidate], fact: str, expected: Any) -> bool:
    """Whether the true value is among the candidates of a fact; of an unknown truth, whether there are any."""
    names = ("bands", "band", "polarisation") if fact == "band" else (fact_name(fact),)
    values = [one.value for one in candidates if one.fact in names]
    return bool(values) if expected is None else any(same_value(fact, expected, value) for value in values)
