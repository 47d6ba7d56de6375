"""A run carried out again by others: its CWL by cwltool, to the same files."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import sys
import tempfile
from pathlib import Path

from knowflow.execution.content import file_digest
from knowflow.model.trace import Trace

# the last ones: which arithmetic of its kind a processor is to do, on which the last digits of a statistic depend
_KEPT = ("PYTHONPATH", "KNOWFLOW_HOME", "KNOWFLOW_CONFIG", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def cwl_differences(trace: Trace, folder: Path, out: Path) -> list[str]:
    """What differs between what a run delivered and what cwltool makes of its export in a folder; ``out`` is empty."""
    results = cwl_results(folder, out)
    if isinstance(results, str):
        return [results]
    problems = []
    for name, path in trace.delivered.items():
        before, after = Path(path), results / Path(path).name
        if str(before) not in trace.written:  # a file of the user's own, which the run only names
            continue
        if not after.is_file():
            problems.append(f"{name}: not there")
        elif before.suffix == ".json":
            values = [json.loads(one.read_text(encoding="utf-8"))["values"] for one in (before, after)]
            problems += [] if values[0] == values[1] else [f"{name}: {values[1]} for {values[0]}"]
        elif trace.made[path] != file_digest(after):
            problems.append(f"{name}: another content")
    return problems


def cwl_results(folder: Path, out: Path) -> Path | str:
    """The folder of results that cwltool makes of ``workflow.cwl`` and ``inputs.yml``; or how it ended."""
    from cwltool.main import main

    kept = [word for name in _KEPT if name in os.environ for word in ("--preserve-environment", name)]
    scripts = str(Path(sys.executable).parent)  # where the command is that the steps call
    if scripts not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join((scripts, os.environ["PATH"]))
    told = io.StringIO()
    logging.getLogger("cwltool").setLevel(logging.WARNING)
    arguments = ["--quiet", "--outdir", str(out), *kept, str(folder / "workflow.cwl"), str(folder / "inputs.yml")]
    with tempfile.TemporaryFile("w+") as log, contextlib.redirect_stderr(log):  # which the steps write into
        code = main(arguments, stdout=told, stderr=log)
        log.seek(0)
        if code != 0:
            return f"cwltool ended with {code}: {log.read()[-500:]}"
    return Path(json.loads(told.getvalue())["results"]["path"])
