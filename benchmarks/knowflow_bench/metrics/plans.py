"""How near a plan is to the expert's as a workflow: its key tools, its path, and a rating from comparisons.

Source: EarthAgent / GeoPlan.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from knowflow_bench.metrics.problems import require

START = 1000.0
K_FACTOR = 32.0
"""The step of a rating; the paper leaves K open: 32 is what chess federations use for newcomers."""


@dataclass(frozen=True, slots=True)
class KeyTools:
    """Recall |K* & t| / |K*|, precision |K & t*| / |K| and their harmonic mean."""

    recall: float
    precision: float
    f1: float


def key_tools(
    predicted_keys: Collection[str], predicted: Collection[str], expert_keys: Collection[str], expert: Collection[str]
) -> KeyTools:
    """Key tools of a plan: K of the plan's tools t, K* of the expert's tools t*.

    Raises:
        UndefinedMetricError: the expert's plan has no key tools.
    """
    wanted, ours = set(expert_keys), set(predicted_keys)
    require(bool(wanted), "key tools of the expert's plan")
    recall = len(wanted & set(predicted)) / len(wanted)
    precision = len(ours & set(expert)) / len(ours) if ours else 0.0
    total = recall + precision
    return KeyTools(recall, precision, 2 * recall * precision / total if total else 0.0)


def tool_weights(workflows: Iterable[Iterable[tuple[str, str]]], alpha: float = 1.0) -> dict[str, float]:
    """v = 1 + (C_D + alpha C_P) / 2 of every tool in all known workflows, each given by its edges (from, to).

    C_D is the tool's out-degree over the largest one, C_P its PageRank, in the graph of all edges.
    """
    import networkx

    graph = networkx.DiGraph()
    for edges in workflows:
        graph.add_edges_from(edges)
    if not graph:
        return {}
    largest = max(degree for _, degree in graph.out_degree()) or 1
    rank = networkx.pagerank(graph)
    return {tool: 1 + (graph.out_degree(tool) / largest + alpha * rank[tool]) / 2 for tool in graph}


def path_similarity(
    predicted: Sequence[str],
    expert: Sequence[str],
    weights: Mapping[str, float],
    likeness: Callable[[str, str], float],
) -> float:
    """1 - D / (largest possible cost), D the cheapest way to edit one sequence of tools into the other.

    Inserting or deleting a tool costs its weight (1 for a tool of no known workflow); putting one in another's place
    costs 1 - ``likeness``, the cosine of their embeddings, and nothing for the same tool. The largest cost is that of
    deleting all and inserting all.
    """
    require(len(expert) > 0, "an expert's plan of at least one tool")

    def weight(tool: str) -> float:
        return weights.get(tool, 1.0)

    row = [0.0]
    for wanted in expert:
        row.append(row[-1] + weight(wanted))
    for tool in predicted:
        before, row = row, [row[0] + weight(tool)]
        for column, wanted in enumerate(expert):
            replaced = before[column] + (0.0 if tool == wanted else 1.0 - likeness(tool, wanted))
            row.append(min(replaced, before[column + 1] + weight(tool), row[column] + weight(wanted)))
    largest = sum(map(weight, predicted)) + sum(map(weight, expert))
    return 1.0 - row[-1] / largest


def expected_score(rating: float, other: float) -> float:
    """E_A = 1 / (1 + 10^((R_B - R_A) / 400)): how often A is expected to win against B."""
    return float(1.0 / (1.0 + 10.0 ** ((other - rating) / 400.0)))


def elo(matches: Iterable[tuple[str, str, float]], k: float = K_FACTOR, start: float = START) -> dict[str, float]:
    """Ratings after matches (A, B, score of A: 1 won, 0.5 drawn, 0 lost), in their order: R' = R + K (S - E)."""
    ratings: dict[str, float] = {}
    for first, second, score in matches:
        a, b = ratings.setdefault(first, start), ratings.setdefault(second, start)
        expected = expected_score(a, b)
        ratings[first] = a + k * (score - expected)
        ratings[second] = b + k * (expected - score)
    return ratings
