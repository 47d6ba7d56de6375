"""How near a sequence of calls, with their arguments, is to the expert's.

Sources: Earth-Agent (arXiv 2509.23141) for Param; RSMem for EM and WS; Param-bound is ours. As in ``trajectories``, an
expert's trajectory is never empty.
"""

from __future__ import annotations

from collections.abc import Sequence

from knowflow_bench.metrics.origins import Origins
from knowflow_bench.metrics.problems import require
from knowflow_bench.metrics.trajectories import common_prefix
from knowflow_bench.metrics.values import equal, given, references, resolved
from knowflow_bench.parity import Call

Calls = Sequence[Call]


def param(predicted: Calls, expert: Calls) -> float:
    """Common prefix of calls with equal names and equal arguments / m (Earth-Agent).

    References of the prediction are followed into the expert's results (see ``values``).
    """
    require(len(expert) > 0, "an expert's trajectory of at least one call")
    length = 0
    for ours, theirs in zip(predicted, expert, strict=False):
        if not same_call(ours, theirs, expert[:length]):
            break
        length += 1
    return length / len(expert)


def param_bound(predicted: Calls, expert: Calls) -> float:
    """Param, where names of outputs may differ and run-time values are judged by the call that they come from.

    An output path is right if the same later calls use it; an input path, if it is the expert's or was written by the
    call that wrote the expert's; a run-time value, if it comes from the call that the expert's value came from.
    """
    require(len(expert) > 0, "an expert's trajectory of at least one call")
    aligned = common_prefix([call.tool for call in predicted], [call.tool for call in expert])
    origins = Origins(predicted[:aligned], expert[:aligned])
    length = 0
    while length < aligned and origins.same_arguments(length):
        length += 1
    return length / len(expert)


def exact_match(predicted: Calls, expert: Calls) -> bool:
    """EM of a question: identical calls, one for one (RSMem); EM of a benchmark is the share of these."""
    return len(predicted) == len(expert) and param(predicted, expert) == 1.0


def weighted_sequence(predicted: Calls, expert: Calls) -> float:
    """WS: (1/m) sum of gamma_i over the longest correct prefix of tools, gamma_i the share of the expert's arguments of
    call i that are right; 1 for a call without arguments (RSMem)."""
    require(len(expert) > 0, "an expert's trajectory of at least one call")
    aligned = common_prefix([call.tool for call in predicted], [call.tool for call in expert])
    return sum(share_of_arguments(predicted[i], expert[i], expert[:i]) for i in range(aligned)) / len(expert)


def share_of_arguments(predicted: Call, expert: Call, earlier: Calls = ()) -> float:
    """gamma: the share of the expert's arguments that the predicted call gives rightly; 1 where there are none."""
    wanted = given(expert.arguments)
    if not wanted:
        return 1.0
    right = sum(_same_argument(predicted.arguments.get(name), value, earlier) for name, value in wanted.items())
    return right / len(wanted)


def same_call(predicted: Call, expert: Call, earlier: Calls = ()) -> bool:
    """Whether names and all arguments are equal; ``earlier`` are the expert's calls before, for references."""
    ours, theirs = given(predicted.arguments), given(expert.arguments)
    return (
        predicted.tool == expert.tool
        and set(ours) == set(theirs)
        and all(_same_argument(ours[name], theirs[name], earlier) for name in ours)
    )


def _same_argument(value: object, expected: object, earlier: Calls) -> bool:
    run_time = any(True for _ in references(value))
    return equal(resolved(value, earlier), expected, run_time)
