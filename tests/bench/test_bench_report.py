"""Figures of all campaigns are of one revision, and the pages show them as they are stored."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from knowflow.ground.errors import DataNotFoundError, DocumentError
from knowflow.roof.cli import main
from knowflow_bench.report import figures
from knowflow_bench.report.campaigns import CAMPAIGNS
from knowflow_bench.report.figures import collected, measured, revision_of
from knowflow_bench.report.ledger import ledger
from knowflow_bench.report.pages import pages_of, rendered
from knowflow_bench.report.write import FIGURES, LEDGER, tables_of, written

ROOT = Path(__file__).parents[2]
EARTH = {"n": 123, "tao": 0.97, "tio": 0.922, "tem": 0.885, "param": 0.634, "by_family": {"a": 1}, "causes": []}
KIND = {"repairable": True, "fails": True, "cases": 2}
FAULTS = {
    "first": {
        **dict.fromkeys(("cases", "right", "wrong", "hangs", "crashed", "told", "repairable", "repaired_by_rules"), 2),
        **dict.fromkeys(("repaired_while_planning", "repaired_during_run", "refused_truly", "refused_falsely"), 1),
        **dict.fromkeys(("failing", "cause_named", "recomputed_needlessly", "edited_without_fault", "seconds"), 3),
        "by_kind": {"a": KIND, "b": {**KIND, "fails": False, "repairable": False}},
    }
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of one commit, with a page and a ledger."""
    place = tmp_path / "checkout"
    (place / "docs").mkdir(parents=True)
    (place / "pkb").mkdir()
    (place / "pkb" / "x.yaml").write_text("x", encoding="utf-8")
    (place / "README.md").write_text(
        "# X\n<!-- figures:first-met-newest -->\nold\n<!-- /figures:first-met-newest -->\n"
        "<!-- figures:measured -->\n<!-- /figures:measured -->\nend\n",
        encoding="utf-8",
    )
    (place / "docs" / "faults.md").write_text("<!-- figures:faults -->\n<!-- /figures:faults -->\n", encoding="utf-8")
    (place / LEDGER).write_text(
        "first_met:\n  - {set: unseen, date: 2026-11, n: 105, figures: {right: 35 %}, source: tests}\n",
        encoding="utf-8",
    )
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        subprocess.run(["git", *arguments], cwd=place, check=True, env={**os.environ, **who}, capture_output=True)
    return place


def _leave(folder: Path, **campaigns: Any) -> Path:
    folder.mkdir(exist_ok=True)
    for name, found in campaigns.items():
        (folder / f"{name}.json").write_text(json.dumps(found), encoding="utf-8")
    return folder


def _stamped(found: Any, revision: str = "abc") -> dict[str, Any]:
    return {"command": "knowflow bench x", "seconds": 2.0, "revision": revision, "date": "2026-11-23", "found": found}


def test_the_pages_show_the_figures_that_are_stored() -> None:
    tables = tables_of(ROOT)
    pages = pages_of(ROOT)
    assert ROOT / "README.md" in pages
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert rendered(text, tables) == text, f"{page.name} is not of the stored figures: knowflow bench report"


def test_the_stored_figures_are_of_one_revision_and_led_by_what_was_first_met() -> None:
    document = json.loads((ROOT / FIGURES).read_text(encoding="utf-8"))
    assert document["campaigns"]
    assert document["revision"]
    assert not any("revision" in one for one in document["campaigns"].values())
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.index("figures:first-met") < text.index("figures:measured")
    met = ledger(ROOT / LEDGER)
    unseen = next(one for one in met if "nobody looked at" in one.set)
    assert unseen.figures == {"TAO": ".859", "TIO": ".735", "TEM": ".714", "Param": ".492"}
    assert [one.figures["right"] for one in met if "independently" in one.set] == [
        "35 % (48 % with tidy file names)",
        "1 % (20 % with tidy file names)",
    ]


def test_campaigns_are_collected_and_pages_rendered(checkout: Path, tmp_path: Path) -> None:
    folder = _leave(tmp_path / "json", earth_bench_ap=_stamped(EARTH), faults=_stamped(FAULTS), other={"n": 1})
    document = collected(folder, checkout)
    assert document["revision"] == "abc"
    assert document["campaigns"]["earth_bench_ap"]["figures"] == {
        name: value for name, value in EARTH.items() if name not in ("by_family", "causes")
    }
    assert document["campaigns"]["faults"]["figures"]["first"]["kinds_harmless"] == 1
    assert {page.name for page in written(checkout, document)} == {"README.md", "faults.md"}
    text = (checkout / "README.md").read_text(encoding="utf-8")
    assert "| unseen | 105 | right 35 % | tests |" in text
    assert "TAO 0.970, TIO 0.922, TEM 0.885, Param 0.634" in text
    assert "old" not in text
    assert text.endswith("end\n")
    assert "| kinds, of which repairable and harmless | 2, 1, 1 |" in (checkout / "docs/faults.md").read_text("utf-8")
    assert written(checkout, document) == []


def test_the_front_page_shows_the_last_two_sets_of_each_kind(checkout: Path, tmp_path: Path) -> None:
    (checkout / "docs" / "first_met.md").write_text(
        "<!-- figures:first-met -->\n<!-- /figures:first-met -->\n", encoding="utf-8"
    )
    sets = [
        ("first", "folders"),
        ("... and second", "folders"),
        ("other", "faults"),
        ("... and third", "folders"),
    ]
    entries = "\n".join(
        f"  - {{set: {name!r}, date: 2026-11, figures: {{right: 35 %}}, source: {source}, page: docs/{source}.md}}"
        for name, source in sets
    )
    (checkout / LEDGER).write_text(f"first_met:\n{entries}\n", encoding="utf-8")
    written(checkout, collected(_leave(tmp_path / "json", faults=_stamped(FAULTS)), checkout))
    front = (checkout / "README.md").read_text(encoding="utf-8")
    assert [name for name in ("first", "second", "other", "third") if f"| {name} |" in front] == [
        "second",
        "other",
        "third",
    ]
    assert "[folders](docs/folders.md)" in front
    whole = (checkout / "docs" / "first_met.md").read_text(encoding="utf-8")
    assert all(f"| {name} |" in whole for name, _ in sets)
    assert "[folders](folders.md)" in whole


INVENTORY = {
    "folders": 2,
    **dict.fromkeys(("files", "right"), 4),
    **dict.fromkeys(("wrong", "unknown", "left_out_silently"), 0),
    "candidates_right": None,
    "names": {"published": {"files": 3, "right": 3}, "renamed": {"files": 3, "right": 1}},
    "cases": [],
}


def test_files_that_are_understood_have_a_row_of_their_own(checkout: Path, tmp_path: Path) -> None:
    written(checkout, collected(_leave(tmp_path / "json", inventory=_stamped(INVENTORY)), checkout))
    text = (checkout / "README.md").read_text(encoding="utf-8")
    told = "100.0 % of 3 files under published names, 33.3 % of 3 files as people rename them; 0 wrong, 0 left out"
    assert told in text


def _sealed(checkout: Path, written_: str, revision: str = "HEAD") -> None:
    digest = "5f70bf18" * 8
    (checkout / LEDGER).write_text(
        f"first_met:\n  - {{set: unseen, date: 2026-11, revision: {revision!r}, figures: {{right: 35 %}}, "
        f"source: tests, sealed: {{digest: '{digest}', written: '{written_}'}}}}\n",
        encoding="utf-8",
    )


def test_a_sealed_set_is_younger_than_the_revision_that_met_it(checkout: Path, tmp_path: Path) -> None:
    document = collected(_leave(tmp_path / "json", faults=_stamped(FAULTS)), checkout)
    made = datetime.fromtimestamp(revision_of(checkout).made, UTC)
    _sealed(checkout, (made + timedelta(minutes=1)).isoformat())
    assert written(checkout, document)
    _sealed(checkout, (made - timedelta(minutes=1)).isoformat())
    with pytest.raises(DocumentError, match="not older"):
        written(checkout, document)
    _sealed(checkout, made.isoformat(), revision="")
    with pytest.raises(ValidationError, match="at a revision"):
        ledger(checkout / LEDGER)
    _sealed(checkout, "2026-11-23T10:00")
    with pytest.raises(ValidationError, match="time zone"):
        ledger(checkout / LEDGER)


def test_figures_of_several_revisions_are_refused(checkout: Path, tmp_path: Path) -> None:
    folder = _leave(tmp_path / "json", earth_bench_ap=_stamped(EARTH), faults=_stamped(FAULTS, "def"))
    with pytest.raises(DocumentError, match="several revisions"):
        collected(folder, checkout)


def test_what_a_command_printed_is_of_the_code_only_where_it_is_newer(checkout: Path, tmp_path: Path) -> None:
    folder = _leave(tmp_path / "json", earth_bench_ap=EARTH)
    here = revision_of(checkout)
    os.utime(folder / "earth_bench_ap.json", (here.made + 60, here.made + 60))
    assert collected(folder, checkout)["revision"] == here.name
    os.utime(folder / "earth_bench_ap.json", (here.made - 60, here.made - 60))
    with pytest.raises(DocumentError, match="older than the code"):
        collected(folder, checkout)
    with pytest.raises(DataNotFoundError, match=r"faults\.json"):
        collected(_leave(tmp_path / "none"), checkout)


def test_changed_code_is_another_revision_and_changed_pages_are_none(checkout: Path, tmp_path: Path) -> None:
    (checkout / "README.md").write_text("other", encoding="utf-8")
    assert not revision_of(checkout).name.endswith("+")
    (checkout / "pkb" / "x.yaml").write_text("y", encoding="utf-8")
    assert revision_of(checkout).name.endswith("+")
    with pytest.raises(DataNotFoundError, match="checkout"):
        revision_of(tmp_path)


def test_campaigns_without_their_files_are_left_out_and_told(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        asked.append(command[3:])
        return subprocess.CompletedProcess(command, 1, stdout=json.dumps(EARTH), stderr="")

    real = subprocess.run
    monkeypatch.setattr(figures.subprocess, "run", lambda c, **o: real(c, **o) if c[0] == "git" else run(c, **o))
    said: list[str] = []
    measured(checkout, tmp_path / "kept", {"questions": "/x/q.jsonl", "each": "4", "n": "9"}, told=said.append)
    assert ["bench", "earth-bench", "--questions", "/x/q.jsonl", "--regime", "ap", "--json"] in asked
    assert "parity: left out, for want of --calls" in said
    kept = json.loads((tmp_path / "kept" / "earth_bench_ap.json").read_text(encoding="utf-8"))
    assert kept["command"] == "knowflow bench earth-bench --questions q.jsonl --regime ap --json"
    assert kept["revision"] == revision_of(checkout).name


def test_one_command_collects_and_renders(checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = _leave(tmp_path / "json", earth_bench_ap=_stamped(EARTH))
    with pytest.raises(SystemExit) as end:
        main(["bench", "report", "--checkout", str(checkout), "--from", str(folder)])
    assert not end.value.code
    assert "1 campaigns of revision abc" in capsys.readouterr().out
    assert "Not measured at this revision." in (checkout / "docs" / "faults.md").read_text(encoding="utf-8")


def test_a_table_that_there_is_not_is_refused() -> None:
    with pytest.raises(DocumentError, match="no such table"):
        rendered("<!-- figures:weather -->\n<!-- /figures:weather -->", {"faults": ""})


def test_every_campaign_is_a_command() -> None:
    assert len({campaign.name for campaign in CAMPAIGNS}) == len(CAMPAIGNS)
    for campaign in CAMPAIGNS:
        given = dict.fromkeys(campaign.inputs(), "x")
        assert campaign.command(given)[0] == "bench"
        assert "{" not in " ".join(campaign.command(given))
