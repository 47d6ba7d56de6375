"""Masks in other numbers than 0 and 1: which number marks, which is missing data, and what nobody can tell.

Masks come as 0 and 1, 0 and 255, 0 and 100, 1 and 2, each with or without a number for pixels that nobody saw. One
number beside 0 is the mark; of two without a 0 nobody can tell. The masks of one kind in a question are looked at
together: what is a third number in one of them is missing data in all.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.model.diagnosis import Evidence
from knowflow.reason.repair.samples import Finding, Sample, marker_of, stored_number

_YES_AND_NO = frozenset({0.0, 1.0})
_ENDS = frozenset({255.0, 65535.0})  # the largest numbers of unsigned types: marks, and missing data
_PERCENT = 100.0  # the mark of a mask in percent
_TRUE = -1.0  # yes where it is all bits of a signed type
_FRACTIONS = 0.001  # share of numbers that are neither no nor yes nor any class, from which a raster is no mask
_MOST_SHOWN = 8

Numbers = frozenset[float]


def is_mask(artifact: Artifact) -> bool:
    """Whether the quantity of a raster is a kind of mask."""
    kind = quantity_kinds().get(artifact.fact("quantity") or "")
    return kind is not None and kind.family == "mask"


def of_mask(artifact: Artifact, sample: Sample, others: Collection[Numbers] = ()) -> Finding | None:
    """What is wrong with the numbers of a mask, or None where they are 0 and 1.

    ``others`` are the numbers of masks of its kind, each by :func:`numbers_of`.
    """
    fractions = _share_of_fractions(artifact, sample)
    if fractions > _FRACTIONS:
        shown = f"{fractions:.1%} of the pixels hold fractions"
        evidence = Evidence(f"numbers of {artifact.name or 'a mask'}", "0 and 1, for no and yes", shown, "measured")
        return Finding("quantity_wrong", (evidence,), {"share": fractions}, others=("values_implausible",))
    own = numbers_of(artifact, sample)
    kind = {own, *others}
    missing = _fills(kind) & own
    said = artifact.fact("mark")
    if missing and (said is None or float(said) not in missing):
        return _missing(own, min(missing))
    if said is not None:
        evidence = Evidence("number that marks", "1", f"{float(said):g}", "user")
        needed = float(said) != 1 or not own <= _YES_AND_NO or not _plain(sample)
        return Finding("mask_coded", (evidence, _shown(own)), {"mark": float(said)}, certain=True) if needed else None
    if own <= _YES_AND_NO:
        return None if _plain(sample) else _scaled(artifact, own)
    return _undeclared(sample, own, frozenset().union(*kind) - _fills(kind))


def _undeclared(sample: Sample, own: Numbers, rest: Numbers) -> Finding:
    """Of numbers other than 0 and 1: the mark where one candidate is left, else the question. ``rest`` are the numbers
    of the masks of this kind without those that are missing data for certain."""
    rest -= {number for number in rest - own if number < 0}  # what others hold, and may be missing data
    beside = sorted(rest - {0.0})
    either = [{"nodata": number} for number in beside if number < 0 or number in _ENDS]
    if len(beside) == 1 and _marks(beside[0], 0 in rest):
        only = "the only number beside 0" if 0 in rest else "the only number, and the largest of its kind"
        evidence = Evidence(f"the number {beside[0]:g}", "1 for yes", only, "measured")
        return Finding("mask_coded", (_shown(own), evidence), {"mark": beside[0]})
    if len(beside) == 1 and beside[0] < 0:  # -99 may be the yes of 0 and -99, or missing data
        return _asked(own, {"mark": beside[0]}, *either)
    if len(beside) == 1:  # a 2 may be the yes of 0 and 2, or the no of 1 and 2
        return _asked(own, {"mark": beside[0]}, {"mark": 1.0})
    if len(rest) == 2:
        return _asked(own, *({"mark": number} for number in beside), *either)
    other = max(own - _YES_AND_NO, default=1.0)
    if len(rest) == 3 and rest > _YES_AND_NO and 1 not in own:
        # some of the masks are 0 and 1, this one is 0 and something else
        return _asked(own, {"mark": other}, {"nodata": other})
    found = {"share": 1.0 - _share_of(sample)}
    return Finding("quantity_wrong", (_shown(own, "classes"),), found, others=("values_implausible",))


def _marks(number: float, beside_no: bool) -> bool:
    """Whether the only number of a mask but 0 says yes; without a 0 where nobody writes it for no."""
    if number < 0:
        return beside_no and number == _TRUE
    return beside_no or number in _ENDS or number == _PERCENT


def _scaled(artifact: Artifact, own: Numbers) -> Finding:
    """0 and 1 as they are stored, under a scale that makes them something else."""
    factor = f"times {artifact.fact('scale') or 1:g} {artifact.fact('offset') or 0:+g}"
    evidence = Evidence("scale of a mask", "none: its numbers are answers", factor, "measured")
    return Finding("mask_coded", (evidence, _shown(own)), {"mark": 1.0}, certain=True)


def _fills(kind: Collection[Numbers]) -> Numbers:
    """Numbers of masks of one kind that can only be missing data: those that producers use for it, where they are below
    0 or a third number; and any other below 0 that is a third number."""
    every = frozenset().union(*kind)
    usual = {number for number in every if number in _ENDS or marker_of(number) is not None}
    below = {number for number in every if number < 0}
    third = {number for numbers in kind if len(numbers - usual - below) == 2 for number in numbers & usual}
    answers = [numbers - below for numbers in kind]
    more = {number for numbers, said in zip(kind, answers, strict=True) if len(said) > 1 for number in numbers & below}
    return frozenset(third | more | below & usual)


def _missing(own: Numbers, number: float) -> Finding:
    what = f"the number {number:g}"
    evidence = (
        Evidence(what, "", f"one of {_listed(own)}: a mask has two answers", "measured"),
        Evidence(what, "", "producers use such numbers for missing data", "convention"),
    )
    return Finding("nodata_undeclared", evidence, {"nodata": number}, certain=True)


def _asked(own: Numbers, *choices: Mapping[str, float]) -> Finding:
    wanted = Evidence("number that marks", "one number beside 0", "nothing tells which one is meant", "measured")
    return Finding("mask_coded", (_shown(own), wanted), {"choices": choices})


def _shown(own: Numbers, what: str = "numbers of the mask") -> Evidence:
    return Evidence(what, "0 and 1, for no and yes", _listed(own), "measured")


def _listed(own: Numbers) -> str:
    few = sorted(own)[:_MOST_SHOWN]
    return ", ".join(f"{number:g}" for number in few) + (", ..." if len(own) > len(few) else "")


def numbers_of(artifact: Artifact, sample: Sample) -> Numbers:
    """The numbers that occur in a mask: 0 and 1 where that is how tools read them, else as they are stored."""
    if _plain(sample):
        return frozenset(number for number in (0.0, 1.0) if (sample.counts.numbers == number).any())
    return frozenset(stored_number(artifact, number) for number in sample.counts.numbers.tolist())


def _plain(sample: Sample) -> bool:
    return _share_of(sample) == 1


def _share_of(sample: Sample) -> float:
    """The share of the pixels that tools read as 0 or 1."""
    every = sample.counts
    return every.share((every.numbers == 0) | (every.numbers == 1)) if every.size else 1.0


def _share_of_fractions(artifact: Artifact, sample: Sample) -> float:
    import numpy as np

    every = sample.counts
    if not every.size:
        return 0.0
    scale, offset = artifact.fact("scale") or 1.0, artifact.fact("offset") or 0.0
    stored = every.numbers if offset == 0 and scale == 1 else (every.numbers - offset) / scale
    whole = np.abs(stored - np.round(stored)) <= 1e-6 * np.maximum(1.0, np.abs(stored))
    return 1.0 - every.share(whole | np.isin(every.numbers, (0.0, 1.0)))
