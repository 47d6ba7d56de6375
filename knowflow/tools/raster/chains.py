"""How a raster is gone through by several steps: in which frames, and which steps take turns strip by strip."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from knowflow.tools.raster.blocks import Tiling
from knowflow.tools.raster.pending import NotFusedError
from knowflow.tools.raster.steps import Making, Step

_FRAME_PIXELS = 4 << 20  # of a frame in which the windows of all tools fit whole
_FRAME_BYTES = 96 << 20  # of what lies between the tools at a time, in one frame


@dataclass(frozen=True, slots=True)
class Chain:
    """Steps, by number, that take turns: each strip of a frame goes through all of them while it is in the processor's
    cache. What ``brief`` ones make nobody but the others wants, so that no more than a strip of it is there."""

    numbers: tuple[int, ...]
    brief: frozenset[int] = frozenset()


def frames_and_chains(steps: Sequence[Step]) -> tuple[Tiling, list[Chain]]:
    """Frames in which what lies between the steps fits into memory, and chains of all steps in their order. Frames are
    narrower where it is much, and the windows of tools that look at one pixel at a time can be cut at their tiles.

    Raises ``NotFusedError`` where there are no such frames.
    """
    frames = _frames(steps)
    chains = _chains(steps, frames)
    if _held(steps, frames, chains) <= _FRAME_BYTES:
        return frames, chains
    for step in steps:
        if isinstance(step, Making) and step.pointwise:
            step.tiles = step.tiles.narrow()
    frames = _frames(steps)
    chains = _chains(steps, frames)
    if _held(steps, frames, chains) > _FRAME_BYTES:
        raise NotFusedError("more lies between the steps than fits into memory")
    return frames, chains


def last_uses(steps: Sequence[Step]) -> Mapping[str, int]:
    """The number of the last step that uses what is made, by path."""
    return {path: number for number, step in enumerate(steps) for path in step.uses}


def _frames(steps: Sequence[Step]) -> Tiling:
    """Frames into which whole windows of all steps fit."""
    shapes = {step.tiles.shape for step in steps}
    rows = math.lcm(*(step.tiles.rows for step in steps))
    columns = math.lcm(*(step.tiles.columns for step in steps))
    if len(shapes) > 1:
        raise NotFusedError("the rasters are of different shapes")
    height, width = next(iter(shapes))
    if min(rows, height) * min(columns, width) > _FRAME_PIXELS:
        raise NotFusedError("the windows of the tools fit into no common frame")
    return Tiling((height, width), rows, columns, steps[0].tiles.tile)


def _chains(steps: Sequence[Step], frames: Tiling) -> list[Chain]:
    """Each step in a chain with those before it whose results it uses, where all look at one pixel at a time and at a
    whole frame."""
    size = frames.rows, frames.columns
    found: list[list[int]] = []
    made: set[str] = set()  # by the steps of the last chain, if others may go on with it
    for number, step in enumerate(steps):
        turns = isinstance(step, Making) and step.pointwise and (step.tiles.rows, step.tiles.columns) == size
        if turns and made & step.uses:
            found[-1].append(number)
        else:
            found.append([number])
            made.clear()
        if turns:
            made |= step.paths
    return [Chain(tuple(one), _brief(steps, one)) for one in found]


def _brief(steps: Sequence[Step], chain: Sequence[int]) -> frozenset[int]:
    """Those steps of a chain of several whose results nobody wants but others of it, or nobody at all."""
    if len(chain) == 1:
        return frozenset()
    wanted_by = {number: {n for n, other in enumerate(steps) if other.uses & steps[number].paths} for number in chain}
    return frozenset(n for n, users in wanted_by.items() if users <= set(chain) and steps[n].told_only)


def _held(steps: Sequence[Step], frames: Tiling, chains: Sequence[Chain]) -> int:
    """The bytes that lie between the steps of one frame at most."""
    last = last_uses(steps)
    pixels = min(frames.rows, frames.shape[0]) * min(frames.columns, frames.shape[1])
    sizes: dict[str, int] = {}
    held = most = 0
    for chain in chains:
        for number in chain.numbers:
            step = steps[number]
            for writer in step.writers.values() if isinstance(step, Making) else ():
                size = pixels * len(writer.output.bands) * np.dtype(writer.output.dtype).itemsize
                sizes[str(writer.output.path)] = 0 if number in chain.brief else size
            held += sum(sizes[path] for path in step.paths)
        most = max(most, held)
        held -= sum(sizes[path] for number in chain.numbers for path in steps[number].uses if last[path] == number)
    return most
