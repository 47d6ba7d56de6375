"""Answers of a language model that must not be followed: garbage, what is not there, and what changes the question."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from knowflow_bench.faults.injection.surroundings import KEY
from knowflow_bench.openai_server import Reply

_NODE = re.compile(r'"(?:id|node)":\s*"([^"]+)"')


def _asked(body: Mapping[str, Any]) -> str:
    """All that the model was told."""
    return "\n".join(str(message.get("content", "")) for message in body.get("messages", ()))


def _edits(*edits: Mapping[str, Any]) -> Reply:
    return Reply(json.dumps({"edits": list(edits), "because": "it will work then"}))


def garbage(body: Mapping[str, Any]) -> Reply:
    return Reply('Sure! I would simply run the tool again and hope for the best. {"edits": [,,,')


def unknown_tool(body: Mapping[str, Any]) -> Reply:
    return _edits({"edit": "replace_tool", "node": _node(body), "tool": "magic_wand", "arguments": {}})


def unknown_file(body: Mapping[str, Any]) -> Reply:
    edit = {"edit": "set_parameter", "node": _node(body), "parameter": "raster", "value": "/etc/passwd"}
    return _edits(edit)


def changes_question(body: Mapping[str, Any]) -> Reply:
    return _edits({"edit": "set_parameter", "node": _node(body), "parameter": "threshold", "value": 0.01})


def leaves_all_out(body: Mapping[str, Any]) -> Reply:
    return _edits({"edit": "leave_out", "node": _node(body)})


def obeys(body: Mapping[str, Any]) -> Reply:
    """What a model says that follows orders found in file names."""
    return Reply(json.dumps({"answer": 42, "edits": [{"edit": "answer", "value": 42}], "because": "I was told to"}))


def silent(body: Mapping[str, Any]) -> Reply:
    return Reply(silent=True)


def dripping(body: Mapping[str, Any]) -> Reply:
    return Reply(drip=True)


def server_error(body: Mapping[str, Any]) -> Reply:
    return Reply("the server is on fire", status=500)


def endless(body: Mapping[str, Any]) -> Reply:
    return Reply("edits " * 20_000, finish="length", tokens=20_000)


def unknown_node(body: Mapping[str, Any]) -> Reply:
    return _edits({"edit": "leave_out", "node": "the_step_that_fails"})


def writes_elsewhere(body: Mapping[str, Any]) -> Reply:
    return _edits({"edit": "set_parameter", "node": _node(body), "parameter": "output", "value": "../../answer.tif"})


def no_list(body: Mapping[str, Any]) -> Reply:
    return Reply({"edits": "all of them", "because": 42})


def hundred_edits(body: Mapping[str, Any]) -> Reply:
    return _edits(*({"edit": "leave_out", "node": f"{_node(body)}_{number}"} for number in range(100)))


def another_statistic(body: Mapping[str, Any]) -> Reply:
    """A tool that always has an answer, in the place of the one that says it cannot."""
    return _edits({"edit": "replace_tool", "node": _node(body), "tool": "raster_statistic", "arguments": {}})


def page(body: Mapping[str, Any]) -> Reply:
    """What a proxy says instead of the server."""
    return Reply(raw=b"<html><body>Sign in to use this network</body></html>", headers={"Content-Type": "text/html"})


def too_many_requests(body: Mapping[str, Any]) -> Reply:
    return Reply("too many requests", status=429, headers={"Retry-After": "3600"})


def calls_tools(body: Mapping[str, Any]) -> Reply:
    """No answer but the wish to call tools that nobody offered."""
    return Reply("", tool_calls=[("run_shell", '{"command": "rm -rf /"}')], finish="tool_calls")


def _sets(parameter: str, value: Any) -> Callable[[Mapping[str, Any]], Reply]:
    """Answers that give a parameter of the failing step another value, which would let it run."""

    def says(body: Mapping[str, Any]) -> Reply:
        return _edits({"edit": "set_parameter", "node": _node(body), "parameter": parameter, "value": value})

    return says


def edits_another(body: Mapping[str, Any]) -> Reply:
    """What is asked, changed in a step that does not fail: the one that compares with the limit."""
    return _edits(
        {"edit": "set_parameter", "node": "mask", "parameter": "threshold", "value": 0.1},
        {"edit": "set_parameter", "node": _node(body), "parameter": "unit", "value": "ha"},
    )


def echoes_key(body: Mapping[str, Any]) -> Reply:
    """The key that it was asked with, as an endpoint's error page or a logging proxy gives it back."""
    return Reply(f'your request had "Authorization: Bearer {KEY}", and {KEY} has no quota left')


def _node(body: Mapping[str, Any]) -> str:
    found = _NODE.search(_asked(body))
    return found[1] if found else "answer"


ANSWERS: Mapping[str, Callable[[Mapping[str, Any]], Reply]] = {
    "garbage": garbage,
    "unknown_tool": unknown_tool,
    "unknown_file": unknown_file,
    "changes_question": changes_question,
    "leaves_all_out": leaves_all_out,
    "obeys": obeys,
    "silent": silent,
    "dripping": dripping,
    "server_error": server_error,
    "endless": endless,
    "unknown_node": unknown_node,
    "writes_elsewhere": writes_elsewhere,
    "no_list": no_list,
    "hundred_edits": hundred_edits,
    "another_statistic": another_statistic,
    "page": page,
    "too_many_requests": too_many_requests,
    "calls_tools": calls_tools,
    "side_below": _sets("side", "below"),
    "threshold_in_percent": _sets("threshold_unit", "percent"),
    "statistic_maximum": _sets("statistic", "maximum"),
    "method_theil_sen": _sets("method", "theil_sen"),
    "edits_another": edits_another,
    "echoes_key": echoes_key,
}
