"""Real failing calls of language models, checked before they are made: what is refused, why, and what is proposed.

``CALLS`` has one JSON object a line: ``{"question", "tool", "arguments", "cls", "static"}``, where ``static`` names
what a check without running could see (None: nothing). ``QUESTIONS`` has the files that were there for each question,
and the calls that experts made. Tools are known by the names and arguments they were published under; what is there
for a call are the question's files, and, for experts, what their earlier calls listed and wrote.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import NoneType
from typing import Any

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.json_text import json_value
from knowflow.ground.text_lines import text_lines
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.reason.calls import Call, KnownFiles, Proposal, check_call, proposals, unwrapped, written
from knowflow.reason.calls.call import normal, texts_in
from knowflow.reason.calls.check import is_file_parameter
from knowflow.reason.calls.file_names import described, file_name
from knowflow.reason.calls.tool_names import purpose_told
from knowflow.reason.calls.words import content, purpose

REASONS: Mapping[str, str] = {
    "unknown_tool": "unknown tool",
    "unknown_argument": "unexpected argument",
    "missing_argument": "missing argument",
    "wrong_type": "wrong type",
    "not_numbers": "non-numeric list",
    "unknown_file": "unknown file",
    "unknown_folder": "unknown dir",
    "length_mismatch": "length mismatch",
    "bad_value": "bad enum",
    "out_of_range": "bad enum",
    "zero_division": "zero division",
    "index_out_of_range": "index out of range",
}
"""Our reasons, and what the records call them."""

OUR_OWN = frozenset({"compat", "side"})
"""Arguments that we added to published tools; a published call cannot have them. Networks got ``model``, too."""
NETWORK_KITS = frozenset({"perception", "deep_learning"})

_CALL: Mapping[str, tuple[type, ...]] = {
    "question": (str, int),
    "tool": (str,),
    "arguments": (dict,),
    "cls": (str,),
    "static": (str, NoneType),
}
_QUESTION: Mapping[str, tuple[type, ...]] = {
    "id": (str, int),
    "data_dir": (str,),
    "files": (list,),
    "tool_calls": (list,),
}
_MADE: Mapping[str, tuple[type, ...]] = {"name": (str,), "input": (dict,)}
_TYPES = {str: "a text", int: "a number", dict: "a JSON object", list: "a list", NoneType: "null"}
_MORE = re.compile(r"\.\.\. (\d+) more")
_WRITTEN = re.compile(r"(\S[^\n]*?\.\w{2,4})\s*$")


@dataclass
class _Class:
    n: int = 0
    visible: int = 0
    refused: int = 0
    reason_right: int = 0
    first_reason_right: int = 0
    proposal_passes: int = 0
    refused_beyond: int = 0


@dataclass
class _Question:
    folder: str
    files: frozenset[str]
    calls: Sequence[Mapping[str, Any]] = field(default_factory=list)

    @property
    def known(self) -> KnownFiles:
        """What is there at the start; what earlier calls of a failing model wrote is not on record."""
        return KnownFiles(self.files, frozenset({self.folder}), _in_outputs)


def _anything(path: str) -> bool:
    """Of a question that is not on record nothing is known."""
    return True


def _in_outputs(path: str) -> bool:
    """Whether a path lies where the tools of a model's own run wrote: what is there is not on record."""
    return "out" in PurePosixPath(path).parts


def failing_calls(calls: Path, questions: Path, tools: Mapping[str, ToolSchema]) -> dict[str, Any]:
    """Check the calls of a file before they are made, and those of the experts.

    Returns ``{"n", "visible", "refused", "reason_right", "expert_calls", "expert_excluded": {reason: number},
    "expert_refused", "proposal_passes", "by_class": {class: {...}}}``. ``refused``, ``reason_right`` (the recorded
    reason is among those named) and ``proposal_passes`` count the visible calls; by class there is also
    ``first_reason_right``, where it is the first that is named, and ``refused_beyond``: refused though not visible to
    the record.

    Raises:
        DataNotFoundError, UnreadableDataError: a file is not there or not what it should be.
    """
    published = published_tools(tools)
    asked = {str(one["id"]): _question(one) for one in _lines(questions, _QUESTION)}
    by_class: dict[str, _Class] = {}
    for record in _lines(calls, _CALL):
        question = asked.get(str(record["question"]))
        known = KnownFiles(unlisted=_anything) if question is None else question.known
        _tally(record, known, published, by_class.setdefault(record["cls"], _Class()))
    totals = {name: sum(getattr(one, name) for one in by_class.values()) for name in vars(_Class())}
    return {
        **{name: totals[name] for name in ("n", "visible", "refused", "reason_right")},
        **expert_calls(asked.values(), published),
        "proposal_passes": totals["proposal_passes"],
        "by_class": {name: vars(one) for name, one in sorted(by_class.items())},
    }


def published_tools(tools: Mapping[str, ToolSchema]) -> dict[str, ToolSchema]:
    """The tools of the pack under the names and with the arguments they were published with."""
    from knowflow.tools.earth_agent.calls import belongs

    found = {}
    for name, schema in tools.items():
        if belongs(schema) or name == "mean":
            document = schema.model_dump(by_alias=True, exclude_unset=True)
            ours = OUR_OWN | {"model"} if schema.kit in NETWORK_KITS else OUR_OWN
            own = {key: value for key, value in document["parameters"].items() if key not in ours}
            found[name] = ToolSchema.model_validate(document | {"parameters": own})
    return found


def _tally(record: Mapping[str, Any], known: KnownFiles, tools: Mapping[str, ToolSchema], counts: _Class) -> None:
    call = Call(str(record["tool"]), {name: _whole(value) for name, value in record["arguments"].items()})
    problems = check_call(call, tools, known)
    counts.n += 1
    if record["static"] is None:
        counts.refused_beyond += bool(problems)
        return
    counts.visible += 1
    if not problems:
        return
    counts.refused += 1
    reasons = [REASONS.get(problem.code, problem.code) for problem in problems]
    counts.reason_right += record["static"] in reasons
    counts.first_reason_right += record["static"] == reasons[0]
    first = next(iter(proposals(call, tools, known)), None)
    counts.proposal_passes += first is not None and keeps_intent(call, first, tools, known)


def _whole(value: Any) -> Any:
    """A value as it was: records cut long lists and say how many items they left out."""
    if isinstance(value, list) and value and isinstance(value[-1], str) and (cut := _MORE.fullmatch(value[-1])):
        known = value[:-1]
        return known + known[-1:] * int(cut[1])
    return value


def keeps_intent(call: Call, proposal: Proposal, tools: Mapping[str, ToolSchema], known: KnownFiles) -> bool:
    """Whether a proposed call passes the checks and does what the refused one was for.

    Judged apart from how it was found: the tool is the same, or shares a word of what it does; every number and word
    that was given is still there; every file is the one given, or one of the same date and with a word in common, or
    all that there are (of lists, at least half: dates that do not exist cannot be kept); and only how the result is
    delivered was left out.
    """
    step = known
    for one in proposal.calls:
        if check_call(one, tools, step):
            return False
        step = step.plus(written(one, tools))
    asked = tools.get(call.tool)
    does = purpose(call.tool) if asked is None else purpose_told(asked)
    if not does & purpose_told(tools[proposal.call.tool]) and _letters(call.tool) != _letters(proposal.call.tool):
        return False
    made = [value for one in proposal.calls for value in one.arguments.values()]
    return all(
        _delivery(name, value, proposal.call.tool)
        if name in proposal.lost
        else "output" in content(name) or name in made or _survives(value, made, known)
        for name, value in call.arguments.items()
    )


def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _delivery(name: str, value: Any, tool: str) -> bool:
    """Whether an argument only said where or how the result goes: a flag, a place to write to, what it is anyway."""
    flag = isinstance(value, bool) or str(value).lower() in ("true", "false")
    return flag or "output" in content(name) or str(value) in purpose(tool)


def _survives(value: Any, made: Sequence[Any], known: KnownFiles) -> bool:
    plain = unwrapped(value)
    if plain in made or [plain] in made:
        return True
    if isinstance(plain, Mapping):
        return "function_name" in plain or list(plain.values()) in made
    if isinstance(plain, list) and plain and all(isinstance(item, Mapping) for item in plain):
        return [list(item.values()) for item in plain] in made
    texts = texts_in(plain)
    found = [text for item in made for text in texts_in(item)]
    if not texts:
        return any(plain == item for item in made)
    same = [_same_file(text, found, known) for text in texts]
    return 2 * sum(same) >= len(same)


def _same_file(text: str, found: Sequence[str], known: KnownFiles) -> bool:
    """Whether a file that was meant is among those proposed."""
    if text in found or known.has_folder(text):
        return True
    if any(normal(text).startswith(f"{one}/") for one in found if one):
        return True
    asked = file_name(text)
    if all(word.isdigit() for word in asked.words) and not asked.date:  # the n-th, or all that there are
        return bool(known.files & set(found))
    alike = [one for one in described(tuple(found)) if one.date.startswith(asked.date)]
    only = bool(alike) and bool(known.files) and known.files <= set(found)
    return only or any(asked.words & one.words or (asked.date and not asked.words) for one in alike)


def expert_calls(asked: Iterator[_Question] | Any, tools: Mapping[str, ToolSchema]) -> dict[str, Any]:
    """How many calls of experts count, why others do not, and how many of those that count are refused."""
    excluded: Counter[str] = Counter()
    counted = refused = 0
    for question in asked:
        known = KnownFiles(question.files, frozenset({question.folder}))
        for record in question.calls:
            call = Call(str(record["name"]), dict(record["input"]))
            reason = _excluded(call, tools, known)
            if reason is None:
                counted += 1
                refused += bool(check_call(call, tools, known))
            else:
                excluded[reason] += 1
            known = known.plus(_made_known(call, record.get("output"), tools))
    return {
        "expert_calls": counted,
        "expert_excluded": dict(sorted(excluded.items())),
        "expert_refused": refused,
    }


def _excluded(call: Call, tools: Mapping[str, ToolSchema], known: KnownFiles) -> str | None:
    """Why a recorded call is not one that should be accepted; None where it should."""
    schema = tools.get(call.tool)
    if schema is None:
        return "not a published tool"
    if any(name not in schema.parameters for name in call.arguments):
        return "an argument that the published tool does not take"
    needed = [name for name, p in schema.parameters.items() if p.required or p.role == "output"]
    if any(name not in call.arguments for name in needed):
        return "an argument is lacking"
    read = [name for name in call.arguments if is_file_parameter(schema.parameters[name])]
    files = [text for name in read for text in texts_in(call.arguments[name])]
    if not all(known.has_file(file) for file in files):
        return "an input file is not on record"
    folders = [folder for name, folder in call.arguments.items() if _is_folder(schema.parameters[name])]
    return None if all(known.has_folder(str(folder)) for folder in folders) else "an input folder is not on record"


def _is_folder(parameter: Parameter) -> bool:
    return parameter.type == "path" and parameter.role == "input"


def _made_known(call: Call, output: Any, tools: Mapping[str, ToolSchema]) -> list[str]:
    """Files that are known after an expert's call: those it lists, and those it says it wrote."""
    texts = texts_in(output)
    folder = call.arguments.get("dir_path")
    if isinstance(folder, str):
        return [*texts, *(str(PurePosixPath(folder) / text) for text in texts)]
    said = [found[1].rpartition(" at ")[2].strip() for text in texts if (found := _WRITTEN.search(text.strip()))]
    return said + written(call, tools)


def _question(record: Mapping[str, Any]) -> _Question:
    folder = str(record["data_dir"]).rstrip("/")
    return _Question(folder, frozenset(f"{folder}/{name}" for name in record["files"]), record["tool_calls"])


def _lines(path: Path, fields: Mapping[str, tuple[type, ...]]) -> Iterator[dict[str, Any]]:
    """The records of a file, each with the fields it needs, of their types; arguments that are written as a text of
    JSON, as endpoints hand them over, are read."""
    for number, line in enumerate(text_lines(path, "records"), start=1):
        if not line.strip():
            continue
        try:
            record = json_value(line)
            if not isinstance(record, dict):
                raise TypeError(type(record).__name__)
        except (ValueError, TypeError) as error:
            raise UnreadableDataError(
                "this is not a record", where=f"{path}:{number}", expected="a JSON object", found=str(error)
            ) from error
        if lacking := [key for key in fields if key not in record]:
            raise UnreadableDataError(
                "a record lacks something",
                where=f"{path}:{number}",
                expected=", ".join(fields),
                found=f"no {', '.join(lacking)}",
            )
        _require_types(record, fields, f"{path}:{number}")
        for made in record.get("tool_calls", ()):
            _require_types(made, _MADE, f"{path}:{number}")
        yield record


def _require_types(record: Any, fields: Mapping[str, tuple[type, ...]], where: str) -> None:
    """Raises ``UnreadableDataError`` where a field of a record is of another type than it has to be."""
    for name in ("arguments", "input"):
        if isinstance(record, dict) and isinstance(record.get(name), str):
            with suppress(ValueError):
                record[name] = json_value(record[name])
    for name, types in fields.items():
        value = record.get(name) if isinstance(record, dict) else record
        if not isinstance(value, types):
            raise UnreadableDataError(
                f"{name} of a record is of another type",
                where=where,
                expected=" or ".join(_TYPES[one] for one in types),
                found=f"{value!r:.80}",
            )
