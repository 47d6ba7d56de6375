"""How near a sequence of tools is to the expert's: order, prefix, length.

``predicted`` is t, ``expert`` is t*, m = |t*| the expert's number of calls; all but ``tri`` judge one question. An
expert's trajectory is never empty: ``UndefinedMetricError`` where it is. An empty prediction (an abstention) scores 0.

Sources: Earth-Agent (arXiv 2509.23141) for tools in any order, in order, exact match and efficiency; RSMem for AO, IO
and TRI.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from knowflow_bench.metrics.problems import require

Tools = Sequence[str]


def tao(predicted: Tools, expert: Tools) -> float:
    """Tools in any order: |set(t) & set(t*)| / |set(t*)| (Earth-Agent)."""
    return len(set(predicted) & _asked(expert)) / len(set(expert))


def tio(predicted: Tools, expert: Tools) -> float:
    """Tools in order, greedily: the expert's tools are looked for one after the other, each behind the one before it;
    the share found before the first miss (Earth-Agent, as its published code counts)."""
    _asked(expert)
    found, position = 0, 0
    for tool in expert:
        try:
            position = list(predicted).index(tool, position) + 1
        except ValueError:
            break
        found += 1
    return found / len(expert)


def tio_lcs(predicted: Tools, expert: Tools) -> float:
    """Tools in order: length of the longest common subsequence / m (Earth-Agent, as its text says)."""
    _asked(expert)
    row = [0] * (len(expert) + 1)
    for tool in predicted:
        before = row
        row = [0]
        for column, wanted in enumerate(expert):
            row.append(before[column] + 1 if tool == wanted else max(before[column + 1], row[column]))
    return row[-1] / len(expert)


def tem(predicted: Tools, expert: Tools) -> float:
    """Tools, exact match: length of the common prefix / m (Earth-Agent)."""
    _asked(expert)
    return common_prefix(predicted, expert) / len(expert)


def common_prefix(predicted: Tools, expert: Tools) -> int:
    """How many tools the two sequences begin with alike."""
    length = 0
    for tool, wanted in zip(predicted, expert, strict=False):
        if tool != wanted:
            break
        length += 1
    return length


def eff(predicted: Tools, expert: Tools) -> float:
    """Efficiency: |t| / |t*|; 1 is as many calls as the expert's (Earth-Agent)."""
    _asked(expert)
    return len(predicted) / len(expert)


def precision(predicted: Tools, expert: Tools) -> float:
    """The share of the tools used that the expert used too: |set(t) & set(t*)| / |set(t)|."""
    return len(set(predicted) & _asked(expert)) / len(set(predicted)) if predicted else 0.0


def any_order(predicted: Tools, expert: Tools) -> bool:
    """AO of a question: set(t) = set(t*) (RSMem); AO of a benchmark is the share of these."""
    return set(predicted) == _asked(expert)


def in_order(predicted: Tools, expert: Tools) -> bool:
    """IO of a question: t = t* as sequences of tools (RSMem)."""
    _asked(expert)
    return list(predicted) == list(expert)


def tri(pairs: Iterable[tuple[Tools, Tools]]) -> float:
    """Tool redundancy over a benchmark, of pairs (predicted, expert): sum |t| / sum |t*| (RSMem)."""
    lengths = [(len(predicted), len(_asked_sequence(expert))) for predicted, expert in pairs]
    require(bool(lengths), "at least one question")
    return sum(ours for ours, _ in lengths) / sum(theirs for _, theirs in lengths)


def _asked(expert: Tools) -> set[str]:
    return set(_asked_sequence(expert))


def _asked_sequence(expert: Tools) -> Tools:
    require(len(expert) > 0, "an expert's trajectory of at least one call")
    return expert
