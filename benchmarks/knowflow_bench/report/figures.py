"""The figures of all campaigns as one document: measured here, or collected from what was, all of one revision."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from knowflow.ground.errors import DataNotFoundError, DocumentError, ToolError
from knowflow_bench.report.campaigns import CAMPAIGNS, Campaign

_UNSTAMPED = "found"
_CODE = ("knowflow", "schemas", "templates", "pkb", "flows", "benchmarks")


@dataclass(frozen=True, slots=True)
class Revision:
    """The revision of a checkout, marked where its code was changed since, and when it was made."""

    name: str
    made: float


def revision_of(checkout: Path) -> Revision:
    """The last commit of code and knowledge that is checked out; pages and figures may be of later ones. A "+" marks
    changes that are in none.

    Raises:
        DataNotFoundError: the folder is no checkout.
    """
    name, _, made = _git(checkout, "log", "-1", "--format=%h %ct", "--", *_CODE).strip().partition(" ")
    changed = _git(checkout, "status", "--porcelain", "--", *_CODE)
    return Revision(name + ("+" if changed.strip() else ""), float(made or 0))


def when_made(checkout: Path, revision: str) -> float:
    """When a revision was committed, in seconds since 1970.

    Raises:
        DataNotFoundError: the checkout has no such revision.
    """
    return float(_git(checkout, "show", "-s", "--format=%ct", f"{revision}^{{commit}}"))


def _git(checkout: Path, *arguments: str) -> str:
    try:
        found = subprocess.run(["git", *arguments], cwd=checkout, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        reason = str(getattr(error, "stderr", "") or error).strip()
        raise DataNotFoundError(
            "figures are of a revision, and there is none", where=str(checkout), expected="a git checkout", found=reason
        ) from error
    return found.stdout


def measured(
    checkout: Path,
    folder: Path,
    given: Mapping[str, str],
    only: Collection[str] = (),
    told: Callable[[str], None] = lambda line: None,
) -> None:
    """Run the campaigns whose inputs are given, one after the other, and leave what each prints in a folder, stamped.

    Raises:
        ToolError: a campaign did not end with a result.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for campaign in CAMPAIGNS:
        lacking = [name for name in campaign.inputs() if name not in given]
        if (only and campaign.name not in only) or lacking:
            told(f"{campaign.name}: left out{', for want of --' + ', --'.join(lacking) if lacking else ''}")
            continue
        told(f"{campaign.name}: knowflow {' '.join(campaign.command(given))}")
        stamped = {**_run(campaign, given), "revision": revision_of(checkout).name, "date": _today()}
        (folder / f"{campaign.name}.json").write_text(json.dumps(stamped, indent=1), encoding="utf-8")


def _run(campaign: Campaign, given: Mapping[str, str]) -> dict[str, Any]:
    begun = time.perf_counter()
    code = "from knowflow.roof.cli import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", code, *campaign.command(given)], capture_output=True, text=True, check=False
    )
    try:  # a campaign that found something wrong ends with 1 and its numbers
        found = json.loads(ended.stdout)
    except json.JSONDecodeError as error:
        raise ToolError(
            f"the campaign {campaign.name} has no result",
            expected="JSON",
            found=(ended.stderr or ended.stdout)[-400:],
        ) from error
    names = [Path(one).name if os.sep in one else one for one in campaign.command(given)]
    return {"command": f"knowflow {' '.join(names)}", "seconds": round(time.perf_counter() - begun, 1), "found": found}


def collected(folder: Path, checkout: Path) -> dict[str, Any]:
    """The document of what campaigns left in a folder: ``{"revision", "date", "machine", "campaigns"}``.

    A file that a command printed by itself is of the revision that is checked out, where it is newer than that.

    Raises:
        DataNotFoundError: the folder holds none. DocumentError: they are of several revisions, or older than the code.
    """
    known = {campaign.name: campaign for campaign in CAMPAIGNS}
    files = [path for path in sorted(folder.glob("*.json")) if path.stem in known]
    if not files:
        names = ", ".join(f"{name}.json" for name in known)
        raise DataNotFoundError("no figures are there", where=str(folder), expected=names, found="none of them")
    here = revision_of(checkout)
    stamped = {path.stem: _stamped(path, here) for path in files}
    revisions = {one["revision"] for one in stamped.values()}
    if len(revisions) > 1:
        found = ", ".join(f"{name}: {one['revision']}" for name, one in stamped.items())
        raise DocumentError("the figures are of several revisions", where=str(folder), expected="one", found=found)
    campaigns = {
        name: {
            "command": one.get("command", ""),
            "seconds": one.get("seconds"),
            "figures": known[name].kept(one[_UNSTAMPED]),
        }
        for name, one in stamped.items()
    }
    ordered = {campaign.name: campaigns[campaign.name] for campaign in CAMPAIGNS if campaign.name in campaigns}
    date = max(str(one["date"]) for one in stamped.values())
    return {"revision": revisions.pop(), "date": date, "machine": _machine(), "campaigns": ordered}


def _stamped(path: Path, here: Revision) -> dict[str, Any]:
    content = json.loads(path.read_text(encoding="utf-8"))
    if {"revision", _UNSTAMPED} <= content.keys():
        return dict(content)
    written = path.stat().st_mtime
    if written < here.made:
        raise DocumentError(
            "figures that do not say their revision are older than the code",
            where=str(path),
            expected=f"newer than {here.name}",
            found=datetime.fromtimestamp(written, UTC).isoformat(timespec="minutes"),
            hint="measure again: knowflow bench report --keep FOLDER",
        )
    date = datetime.fromtimestamp(written, UTC).date().isoformat()
    return {"revision": here.name, "date": date, "seconds": content.get("seconds"), _UNSTAMPED: content}


def _machine() -> dict[str, Any]:
    return {
        "cpus": os.cpu_count(),
        "system": platform.system(),
        "processor": platform.machine(),
        "python": platform.python_version(),
    }


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
