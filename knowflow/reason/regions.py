"""Files of several regions, told apart by their names, of which a question names one."""

from __future__ import annotations

from collections.abc import Mapping

from knowflow.model.artifact import Artifact
from knowflow.model.goal import QueryGoal


def one_region(artifacts: tuple[Artifact, ...], goal: QueryGoal) -> tuple[str, tuple[Artifact, ...]]:
    """The region that a question names, and its files with those of no region; no name and all files where it names
    none or several of them, or where names that differ by date only tell where a file comes from."""
    regions = {str(item.fact("region")): None for item in artifacts if item.fact("region") is not None}
    text = _plain(goal.text)
    named = [region for region in regions if _plain(region) in text]
    if len(regions) < 2 or len(named) != 1 or goal.value("span") == "regions":
        return "", artifacts
    same = {region for region in regions if _plain(named[0]) in _plain(region)}
    own = {_place_in_time(item) for item in artifacts if item.fact("region") in same}
    beside = (item for item in artifacts if item.fact("region") not in (None, *same))
    if not any(_place_in_time(item) in own for item in beside):
        return "", artifacts
    return named[0], tuple(item for item in artifacts if item.fact("region") in (None, *same))


def of_named_region(goal: QueryGoal, inputs: Mapping[str, Artifact]) -> bool:
    """Whether the files that a plan takes are of the region that the question names."""
    found = {str(leaf.fact("region") or "") for item in inputs.values() for leaf in item.leaves()} - {""}
    region = goal.value("region")
    return len(found) == 1 and region is not None and _plain(next(iter(found))) in _plain(str(region))


def _place_in_time(item: Artifact) -> tuple[str, str]:
    return (str(item.fact("layer")).casefold(), str(item.fact("datetime"))[:10])


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
