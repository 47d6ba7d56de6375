"""Numbers that may be directions: where they are, means and differences go around the circle.

Whether they are is told by the facts that come with them; plain numbers are no directions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from knowflow.ground.errors import ToolError, UnitError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import convert
from knowflow.model.artifact import Artifact
from knowflow.tools import scalars
from knowflow.tools.kernels.directions import Directions
from knowflow.tools.raster.decibels import is_decibel, level_of, tell_power

Known = Artifact | float | int | None


def mean(x: Sequence[Known]) -> float:
    """Arithmetic mean; of directions the mean around the circle, each counting as much as the others, of decibels that
    of the power behind them.

    Raises ``ToolError`` where no number is left, or where directions cancel out.
    """
    first = next((one for one in x if isinstance(one, Artifact) and is_circular(one)), None)
    numbers = [plain(one) for one in x]
    level = next((one for one in x if isinstance(one, Artifact) and is_decibel(one)), None)
    if level is not None:
        tell_power("the mean", level)
        return level_of(scalars.mean([None if one is None else 10.0 ** (one / 10.0) for one in numbers]))
    if first is None:
        return scalars.mean(numbers)
    return preferred(Directions.of(scalars.present(numbers), full_turn(first)), first.name)


def difference_of(a: Known, b: Known) -> float:
    """a - b; of directions by the shorter way around the circle, positive where a lies clockwise of b."""
    difference = scalars.difference_of(plain(a), plain(b))  # type: ignore[arg-type]
    if not (isinstance(a, Artifact) and is_circular(a)):
        return difference
    turn = full_turn(a)
    return turn / 2 - (turn / 2 - difference) % turn


def preferred(directions: Directions, where: str) -> float:
    """The mean of directions; ``ToolError`` where they cancel out."""
    if math.isnan(directions.mean):
        raise ToolError(
            "the directions cancel out, so that they have no mean",
            where=where,
            expected="directions that prefer a side",
            found=f"{directions.count} that face all sides alike",
        )
    return directions.mean


def is_circular(artifact: Artifact) -> bool:
    """Whether the values are directions: 359 and 1 degree are neighbours, and 180 is not their mean."""
    kind = quantity_kinds().get(str(artifact.fact("quantity") or ""))
    return kind is not None and kind.circular


def full_turn(artifact: Artifact) -> float:
    """A full turn in the unit of directions; ``ToolError`` where the unit is unknown or measures no angle."""
    unit = artifact.fact("unit")
    try:
        if unit is not None:
            return float(convert(360.0, "degree", str(unit)))
    except UnitError:
        pass
    raise ToolError(
        "the unit of the directions is no unit of an angle",
        where=artifact.name,
        expected="degree, radian or another unit of an angle",
        found="unknown" if unit is None else repr(unit),
        hint="say it if you know it: --assume unit=degree",
    )


def plain(one: Known) -> float | None:
    """A number without what is known of it; None where it is missing."""
    value = one.value if isinstance(one, Artifact) else one
    return None if value is None else float(value)


def is_finite(one: Known) -> bool:
    """Whether a number is there."""
    value = plain(one)
    return value is not None and math.isfinite(value)
