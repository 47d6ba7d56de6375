"""Part of a plan carried out alone, on files that are handed to it: what each step of an exported workflow calls.

A *part* is a plan (as JSON) of some nodes. ``{file:N}`` in a path is the Nth file that is handed over; a node that it
refers to and does not have is one whose results are handed over as a folder, which an earlier part made. A part with
nodes makes such a folder for each; one with outputs delivers them as a run does.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from knowflow.execution.action import Action, action_of
from knowflow.execution.cache import Cache, with_keys
from knowflow.execution.carry_out import Workshop
from knowflow.execution.content import DIGESTS, FileDigests
from knowflow.execution.keys import Keyring, derived_key
from knowflow.execution.persist import read_json, write_json
from knowflow.graph.resolve import arguments_of, resolve
from knowflow.ground.errors import PlanningError, UnreadableDataError
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.artifact import Artifact, with_paths
from knowflow.model.plan import Plan
from knowflow.model.trace import Trace
from knowflow.service.deliver import deliver, require_writable
from knowflow.service.single import plain_arguments
from knowflow.tools.registry import implementation_digest

OUTPUTS = "outputs.json"
_HANDED = re.compile(r"\{file:([0-9]+)\}")


def carry_out_part(
    part: Path, given: Mapping[str, str], files: Sequence[str], made: Sequence[Path], out: Path, catalogue: Catalogue
) -> tuple[Path, ...]:
    """Carry out the nodes of a part and deliver its outputs; the files and folders that this made.

    ``given`` are plain arguments of a part of one node, in the place of its own; ``files`` those that it reads,
    ``made`` the folders of nodes that it needs.

    Raises:
        KnowFlowError: the document is none, something is not handed over, or a node fails, as in a run.
    """
    plan = _with_arguments(_read(part), given, catalogue)
    inputs = {name: with_paths(one, lambda path: _handed(path, files)) for name, one in plan.inputs.items()}
    done = {folder.name: _outputs_in(folder) for folder in made}
    require_writable(out)
    written: list[Path] = []

    def output_of(node: str, output: str) -> Artifact:
        if node not in done:
            raise PlanningError("the results of a step are not handed over", expected=f"a folder {node}", found="none")
        return done[node][output or next(iter(done[node]))]

    with tempfile.TemporaryDirectory(prefix="knowflow-step-") as name:
        home = Path(name)
        workshop = Workshop(Cache(home), Keyring(FileDigests(home / DIGESTS), implementation_digest))
        try:
            for node in plan.workflow.ordered:
                schema = catalogue.tool(node.tool)
                action = action_of(node, schema, arguments_of(node, schema, inputs, output_of))
                done[node.id] = _made(workshop, action, out / node.id)
                written.append(out / node.id)
        finally:
            workshop.close()
    if plan.outputs:
        outputs = {key: resolve(value, inputs, output_of) for key, value in plan.outputs.items()}
        trace = deliver(Trace(plan.template or "part", plan, "completed", outputs=outputs), out)
        written.extend(Path(path) for path in dict.fromkeys(trace.delivered.values()))
    return tuple(written)


def _made(workshop: Workshop, action: Action, folder: Path) -> dict[str, Artifact]:
    """What an action makes in a folder, with the keys that it has in a run: what is derived is judged as such."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    key = workshop.keyring.key(action.schema, action.arguments)
    outputs, _, _ = workshop.make(action, folder)
    made = {name: with_keys(one, derived_key(key, name)) for name, one in outputs.items()}
    write_json(folder / OUTPUTS, _told(made, folder))
    return made


def _read(part: Path) -> Plan:
    try:
        return Plan.from_json(read_json(part))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableDataError(
            "this is no part of a plan",
            where=str(part),
            expected="a document that `knowflow export --as cwl` wrote",
            found=f"{type(error).__name__}: {error}",
        ) from error


def _with_arguments(plan: Plan, given: Mapping[str, str], catalogue: Catalogue) -> Plan:
    """A part of one node with other plain arguments."""
    if not given:
        return plan
    if len(plan.workflow) != 1:
        raise PlanningError("arguments are of one node", expected="a part of one node", found=f"{len(plan.workflow)}")
    (node,) = plan.workflow.nodes
    values = plain_arguments(catalogue.tool(node.tool), given)
    changed = replace(node, args={**node.args, **values})
    return replace(plan, workflow=replace(plan.workflow, nodes=(changed,)))


def _handed(path: str, files: Sequence[str]) -> str:
    """A path of the document with the place of the file that it stands for."""

    def place(found: re.Match[str]) -> str:
        number = int(found[1])
        if number >= len(files):
            expected = f"{number + 1} files (--file)"
            raise PlanningError("a file is not handed over", expected=expected, found=str(len(files)))
        return files[number]

    return _HANDED.sub(place, path)


def _told(outputs: Mapping[str, Artifact], folder: Path) -> dict[str, Any]:
    """Outputs as a document in their folder, which may be moved."""
    return {
        name: with_paths(one, lambda path: Path(path).relative_to(folder).as_posix()).to_json()
        for name, one in outputs.items()
    }


def _outputs_in(folder: Path) -> dict[str, Artifact]:
    try:
        document = read_json(folder / OUTPUTS)
        return {
            name: with_paths(Artifact.from_json(item), lambda path: str(folder / path))
            for name, item in document.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableDataError(
            "this folder is not of a step", where=str(folder), expected=f"{OUTPUTS} in it", found=str(error)
        ) from error
