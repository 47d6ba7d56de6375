"""What the consoles of the documentation (```` ```console run ````) show is what the commands print on a screen.

The commands of a page run in order in one folder, with the demo's data and the page's own files. "..." stands for what
is left out. Times are not compared.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from documentation import PAGES, blocks, commands, write_files

from knowflow.testing.demo import write_demo

SHOWN = {
    page: [
        shown
        for block in blocks(page)
        if block.language == "console" and block.info == "run"
        for shown in commands(block)
    ]
    for page in PAGES
}
_COLUMNS = "92"
_TIME = re.compile(r"\d[\d.]* (?=s\b)")
# a process of its own: what a page adds to the knowledge is known from the start, and forgotten afterwards
_PROGRAM = """
import contextlib, io, json, sys
from knowflow.roof.cli import main
printed = []
for words in json.load(sys.stdin):
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text), contextlib.suppress(SystemExit):
        main([*words, "--runner", "local"] if words[0] == "run" else words)
    printed.append(text.getvalue())
json.dump(printed, sys.stdout)
"""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    write_demo(folder / "data")
    return folder


def printed(each: list[list[str]], folder: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input=json.dumps(each),
        cwd=folder,
        env={**os.environ, "COLUMNS": _COLUMNS},
        capture_output=True,
        text=True,
        check=True,
    )
    return [str(text) for text in json.loads(done.stdout)]


def left_out(shown: str, text: str) -> str | None:
    """The first part of what is shown that the text does not have there, if any."""
    place = 0
    parts = ("\n" + plain(shown)).split("...")
    for part in parts:
        found = ("\n" + plain(text)).find(part, place)
        if found < 0 or (part is parts[0] and found > 0):
            return part
        place = found + len(part)
    rest = ("\n" + plain(text))[place:]
    return rest if rest and not shown.rstrip().endswith("...") else None


def plain(text: str) -> str:
    """A text without times, empty lines and blanks at the end of lines."""
    return "\n".join(line.rstrip() for line in _TIME.sub("", text).splitlines() if line.strip())


@pytest.mark.parametrize("page", [page for page in PAGES if SHOWN[page]], ids=lambda page: page.name)
def test_what_is_shown_is_what_is_printed(page: Path, demo: Path, tmp_path: Path) -> None:
    write_files(page, tmp_path)
    (tmp_path / "knowflow-demo").symlink_to(demo)
    texts = printed([words for _, words, _ in SHOWN[page]], tmp_path)
    for (line, _, shown), text in zip(SHOWN[page], texts, strict=True):
        assert left_out(shown, text) is None, f"$ {line}\n{text}"


def test_something_is_shown() -> None:
    assert sum(len(shown) for shown in SHOWN.values()) >= 15


@pytest.mark.parametrize(
    ("shown", "same"),
    [
        ("one\ntwo 3 s\n\nthree", True),
        ("one\n...", True),
        ("...\nthree", True),
        ("one\n...\nthree", True),
        ("one\n... 4 s\nthree", True),
        ("two 3 s\nthree", False),
        ("one\ntwo 3 s", False),
        ("one\n...\nfour", False),
        ("three\n...\none", False),
    ],
)
def test_dots_stand_for_what_is_left_out(shown: str, same: bool) -> None:
    assert (left_out(shown, "one\ntwo 4 s\nthree\n") is None) is same
