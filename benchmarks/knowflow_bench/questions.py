"""Questions with true answers about folders of files, written by somebody else: what is right, wrong and asked back.

A set is a folder with ``questions.yaml`` and the folders of files that it asks about.
"""

from __future__ import annotations

import hashlib
import math
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from pydantic import Field, model_validator

from knowflow.ground.errors import DocumentError, KnowFlowError
from knowflow.ground.units import convert, known, normalise
from knowflow.ground.yamldoc import load
from knowflow.model.tool import Document
from knowflow.service.api import Service
from knowflow.service.results import RunResult

FILE = "questions.yaml"
Answer = float | str | dict[str, float]


class Question(Document):
    """A question about a folder, with all that a person would call its right answer; none: it cannot be answered.

    A number, a text (a date, a name), numbers by name (a table), or the mean of a map that is asked for.
    """

    folder: str
    ask: str
    answer: Answer | None = None
    or_: tuple[Answer, ...] = Field((), alias="or", description="what other fair readings come to")
    map_mean: float | None = Field(None, description="the mean of the known pixels of the map that is asked for")
    unit: str | None = Field(
        None, description="of the numbers; % and 1 are one another's hundredth; a currency is told as it stands"
    )
    tolerance: float = Field(0.01, ge=0, description="relative to the answer")
    because: str = Field("", description="why it cannot be answered")

    @model_validator(mode="after")
    def _answered_or_not(self) -> Question:
        if (self.answer is None and self.map_mean is None) != bool(self.because):
            raise ValueError("a question has an answer or a map's mean, or says because of what it has none")
        return self

    @property
    def answers(self) -> tuple[Answer, ...]:
        return () if self.answer is None else (self.answer, *self.or_)


class _Set(Document):
    questions: tuple[Question, ...] = Field(min_length=1)


def questions(place: Path) -> dict[str, Any]:
    """Ask all questions of a set, each with nothing but its folder, and compare with what is true.

    Raises:
        DocumentError: the set is not valid, or a folder is missing.
    """
    asked = _read(place)
    began = time.monotonic()
    cases = []
    with tempfile.TemporaryDirectory() as made:
        service = Service(Path(made) / "home")
        for number, one in enumerate(asked):
            cases.append(_case(service, one, place, Path(made) / f"{number}"))
    met = Counter(case["outcome"] for case in cases)
    answerable = sum(bool(one.answers) or one.map_mean is not None for one in asked)
    return {
        "set": digest(place),
        "n": len(cases),
        "answerable": answerable,
        **{name: met[name] for name in ("right", "wrong", "refused", "refused_rightly", "taken")},
        "right_share": met["right"] / answerable if answerable else None,
        "wrong_share": (met["wrong"] + met["taken"]) / len(cases),
        "seconds": round(time.monotonic() - began, 1),
        "cases": cases,
    }


def digest(place: Path) -> str:
    """SHA-256 of a set: of the names and the contents of its files, in order."""
    found = hashlib.sha256()
    for file in sorted(one for one in place.rglob("*") if one.is_file()):
        found.update(file.relative_to(place).as_posix().encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()


def _read(place: Path) -> Sequence[Question]:
    document = load(place / FILE)
    try:
        found = _Set.model_validate(document.data).questions
    except ValueError as error:
        raise DocumentError("the questions are not valid", where=str(document.file), found=str(error)) from None
    missing = sorted({one.folder for one in found if not (place / one.folder).is_dir()})
    if missing:
        raise DocumentError("folders are missing", where=str(place), expected="a folder each", found=", ".join(missing))
    strange = sorted({one.unit for one in found if one.unit is not None and not _may_be_judged(one.unit)})
    if strange:
        raise DocumentError(
            "units are not known",
            where=str(place),
            expected="units as in CF, or what is counted",
            found=", ".join(strange),
        )
    return found


def _may_be_judged(unit: str) -> bool:
    """Whether answers in a unit can be compared: it is known, a currency, or says what was counted: ``parcels``."""
    return known(unit) or _CURRENCY.fullmatch(unit) is not None or _COUNTED_THINGS.fullmatch(unit) is not None


def _case(service: Service, one: Question, place: Path, out: Path) -> dict[str, Any]:
    told: dict[str, Any] = {"folder": one.folder, "ask": one.ask}
    expected = (
        {"map_mean": one.map_mean} if one.map_mean is not None else {"answer": list(one.answers), "unit": one.unit}
    )
    try:
        result = service.run(one.ask, place / one.folder, out=out)
    except KnowFlowError as error:
        return {**told, "outcome": "refused_rightly" if one.because else "refused", "said": str(error)[:300]}
    told |= {"understood": result.understood, "answer": result.answer, "unit": result.unit}
    if result.status != "completed":
        outcome = "refused_rightly" if one.because else "refused"
    elif one.because:
        outcome = "taken"
    else:
        outcome = "right" if _is_right(one, result) else "wrong"
    return {**told, "outcome": outcome, **({"expected": expected} if outcome == "wrong" else {})}


def _is_right(one: Question, result: RunResult) -> bool:
    if one.map_mean is not None:
        wanted = (one.map_mean, *(other for other in one.or_ if isinstance(other, float)))
        return any(_is_near(one, *_mean_of(Path(file)), mean) for file in _maps(result) for mean in wanted)
    told = [(result.answer, result.unit), *((v.get("value"), v.get("unit")) for v in result.values.values())]
    return any(_same(one, wanted, *value) for wanted in one.answers for value in told)


def _maps(result: RunResult) -> Iterator[str]:
    yield from (file for name, file in result.outputs.items() if name.startswith("map") and file.endswith(".tif"))


def _mean_of(file: Path) -> tuple[float, str | None]:
    """The mean of the known pixels of a map, and their unit."""
    with rasterio.open(file) as dataset:
        return float(np.ma.mean(dataset.read(1, masked=True).astype("float64"))), dataset.units[0]


def _same(one: Question, wanted: Answer, found: Any, unit: str | None) -> bool:
    """Whether an answer is the wanted one: a number in its unit, a text, or a row for each name."""
    if isinstance(wanted, dict):
        if isinstance(found, Mapping):  # of parts by their names
            found = [{"name": name, "value": value} for name, value in found.items()]
        rows = [row for row in found if isinstance(row, Mapping)] if isinstance(found, (list, tuple)) else []
        return len(rows) == len(wanted) and all(
            any(_row_is(one, row, name, number, unit) for row in rows) for name, number in wanted.items()
        )
    if isinstance(found, (list, tuple)) and len(found) == 1:
        (found,) = found
    if isinstance(found, Mapping):
        return any(_same(one, wanted, value, unit) for value in found.values())
    if isinstance(wanted, str):
        return isinstance(found, str | int) and str(found).casefold().startswith(wanted.casefold())
    return _is_number(found) and _is_near(one, found, unit, wanted)


def _row_is(one: Question, row: Mapping[str, Any], name: str, number: float, unit: str | None) -> bool:
    named = any(str(value).casefold().startswith(name.casefold()) for value in row.values())
    numbers = filter(_is_number, row.values())
    return named and any(_is_near(one, value, unit, number) for value in numbers)


def _is_number(found: Any) -> bool:
    return isinstance(found, int | float) and not isinstance(found, bool)


_PERIODS = frozenset({"day", "week", "month", "year"})
"""A number of months is the same whether it is told as a number or in months."""
_COUNTED_THINGS = re.compile(r"[a-z]{4,}(?: [a-z]{4,})*")
_CURRENCY = re.compile(r"[A-Z]{3}|[£$€¥]")


def _in_units(one: Question, number: float, unit: str | None) -> tuple[float, ...]:
    """A number in the unit of the question; of what may be a change of temperature as that too: 5 K are 5 degC."""
    wanted = one.unit
    if wanted is None or unit is None or unit == wanted:
        return (float(number),)
    if unit == "1" and (not known(wanted) or normalise(wanted) in _PERIODS):
        return (float(number),)
    if wanted == "1" and unit in _PERIODS:
        return (float(number),)
    try:
        return tuple({float(convert(number, unit, wanted, difference=change)) for change in (False, True)})
    except KnowFlowError:
        return ()


def _is_near(one: Question, found: float, unit: str | None, wanted: float) -> bool:
    """Whether a number with its unit is the one that is wanted."""
    return any(
        math.isclose(number, wanted, rel_tol=one.tolerance, abs_tol=1e-9) for number in _in_units(one, found, unit)
    )
