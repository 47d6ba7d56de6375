"""What child process graphs are, where they are simple: one process of the data, of a pair, of one value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def process_alone(graph: Mapping[str, Any]) -> str:
    """The process that a child graph is, where it is one alone of the data."""
    one = next(iter(graph.values())) if len(graph) == 1 else {}
    taken = one.get("arguments", {}).get("data") == {"from_parameter": "data"}
    return str(one["process_id"]) if taken else ""


def process_of_pair(graph: Mapping[str, Any]) -> str:
    """The process that a child graph is, where it is one alone of x and y."""
    one = next(iter(graph.values())) if len(graph) == 1 else {}
    wanted = {"x": {"from_parameter": "x"}, "y": {"from_parameter": "y"}}
    return str(one["process_id"]) if one.get("arguments") == wanted else ""


def element(graph: Mapping[str, Any]) -> str:
    """The label of the band that a child graph is, where it is one alone."""
    one = next(iter(graph.values())) if len(graph) == 1 else {}
    return str(one["arguments"].get("label", "")) if one.get("process_id") == "array_element" else ""


def factor(graph: Mapping[str, Any]) -> Any:
    """How many times its argument a child graph is, where it is nothing else."""
    match shape_of(graph):
        case ("multiply", "x", int() | float() as times) | ("multiply", int() | float() as times, "x"):
            return times
    return None


def shape_of(graph: Mapping[str, Any]) -> Any:
    """A child graph as nested tuples of a process and its arguments; bands and parameters by their names. What is
    multiplied by 1, or has nothing added to it, is itself."""

    def shape(value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        if "from_parameter" in value:
            return str(value["from_parameter"])
        node = graph[value["from_node"]]
        given = node["arguments"]
        if node["process_id"] == "array_element":
            return str(given.get("label", given.get("index")))
        parts = tuple(shape(one) for name, one in given.items())
        if is_identity(node):
            return next(part for part, one in zip(parts, given.values(), strict=True) if isinstance(one, Mapping))
        return (str(node["process_id"]), *parts)

    return shape({"from_node": next(name for name, node in graph.items() if node.get("result"))})


def is_identity(node: Mapping[str, Any]) -> bool:
    """Whether a node is its argument times one, or plus nothing."""
    given = node.get("arguments", {})
    numbers = [value for value in given.values() if not isinstance(value, Mapping)]
    return (node["process_id"], numbers) in (("multiply", [1]), ("add", [0]))
