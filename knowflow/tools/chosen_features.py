"""Features chosen by what only a run finds: with the most of something, of which it is so, told of by others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.columns import numbers_in
from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.context import tell
from knowflow.tools.features import write_features
from knowflow.tools.ground import named
from knowflow.tools.measured_features import groups_of, is_cut_away, text_of
from knowflow.tools.row_statistics import keys_of_rows
from knowflow.tools.zonal import Zones, read_features


def features_with_most(
    features: Artifact,
    values: Sequence[float | None],
    keys: Sequence[str],
    output: Path,
    attribute: str = "",
    side: Literal["highest", "lowest"] = "highest",
    n: int = 1,
    names: Sequence[str] = (),
    grain: str = "",
) -> None:
    """Write the ``n`` features with the highest or lowest of some numbers, and those that have as much.

    Each number is that of a key, which ``attribute`` holds, or which is when each was where a ``grain`` is told: its
    date, month or year. Without both the features are those of the numbers, in order.
    Raises ``ToolError`` where there is no such attribute, no number, or not one for each key.
    """
    found, numbers = named(read_features(features), names), np.array(numbers_in(values), dtype=np.float64)
    if len(keys) != numbers.size:
        raise ToolError("there is not a number for each key", expected=f"{len(keys)}", found=f"{numbers.size}")
    times = keys_of_rows(found, "", grain) if grain else ()
    of_times = [[row for row, one in enumerate(times) if one == key] for key in keys]
    groups = of_times if grain else groups_of(found, keys, attribute)
    there = np.sort(numbers[np.isfinite(numbers)])
    if not there.size:
        raise ToolError("nothing is known of any of them", expected="numbers", found="none")
    limit = there[-min(n, there.size)] if side == "highest" else there[min(n, there.size) - 1]
    with np.errstate(invalid="ignore"):
        most = numbers >= limit if side == "highest" else numbers <= limit
    if (several := int(most.sum())) > n:
        tell(f"{several} have as much: all of them are taken")
    _write_those(found, groups, most, output)


def features_that_hold(
    features: Artifact,
    truths: Sequence[float | None],
    keys: Sequence[str],
    output: Path,
    attribute: str = "",
    names: Sequence[str] = (),
) -> None:
    """Write the features for which something holds, of each of which it is told: 1 where it does, 0 where it does not.

    Each truth is that of a key, which ``attribute`` holds; without it the features are those of the truths, in order.
    Of which it is not known they are left out, and how many of them there are is told.
    Raises ``ToolError`` where there is no such attribute, or not a truth for each key.
    """
    found, told = named(read_features(features), names), np.array(numbers_in(truths), dtype=np.float64)
    if len(keys) != told.size:
        raise ToolError("there is not a truth for each key", expected=f"{len(keys)}", found=f"{told.size}")
    groups = groups_of(found, keys, attribute)
    unknown = sum(bool(rows) and one != one for rows, one in zip(groups, told, strict=True))
    if unknown:
        tell(f"of {unknown} of {sum(map(bool, groups))} features it is not known: they are left out")
    _write_those(found, groups, told == 1.0, output)


def _write_those(found: Zones, groups: Sequence[Sequence[int]], so: NDArray[np.bool_], output: Path) -> None:
    """The features of the keys that are chosen."""
    chosen = np.zeros(len(found), dtype=bool)
    chosen[[row for rows, one in zip(groups, so, strict=True) if one for row in rows]] = True
    kept = found.only(chosen)
    write_features(output, list(kept.geometries), kept.fields, kept.crs, "Unknown", output.stem)


def features_told_of(
    features: Artifact,
    attribute: str,
    of: Artifact,
    of_attribute: str,
    output: Path,
    names: Sequence[str] = (),
    of_names: Sequence[str] = (),
) -> None:
    """Write the features whose attribute has a text that one of other features has: rows by what they tell of.

    Of other features of which nothing was left on some ground nothing is told. Raises ``ToolError`` where one of the
    attributes is not there.
    """
    found, others = named(read_features(features), names), named(read_features(of), of_names)
    for one, by in ((found, attribute), (others, of_attribute)):
        if by not in one.fields:
            raise ToolError(f"there is no attribute {by!r}", expected=", ".join(one.fields) or "attributes", found=by)
    there = [not is_cut_away(shape) for shape in others.geometries]
    told = {text_of(one) for one, left in zip(others.fields[of_attribute], there, strict=True) if left} - {""}
    kept = found.only(np.array([text_of(one) in told for one in found.fields[attribute]], dtype=bool))
    write_features(output, list(kept.geometries), kept.fields, kept.crs, "Unknown", output.stem)
