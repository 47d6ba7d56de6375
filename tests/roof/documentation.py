"""The pages of the documentation as tests read them: fenced blocks, the commands of consoles, tables.

A fenced block may name the file that it is, after its language: ```` ```yaml .knowflow/templates/x.yaml ````.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from knowflow.knowledge.catalogue import kind_of

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ALL_PAGES = [*PAGES, *sorted((ROOT / "docs").glob("*/*.md"))]
CHECKED_KINDS = (
    "template",
    "tool",
    "plan",
    "cards",
    "rules",
    "lexicon",
    "legend",
    "pack",
    "servers",
    "benchmark",
)
FENCE = re.compile(r"^```(?P<language>\w+)(?: (?P<info>[^\n]+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    page: Path
    language: str
    info: str
    text: str
    line: int

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def kind(self) -> str | None:
        """What kind of authored document the block is, if it is a whole one."""
        if self.language != "yaml":
            return None
        first = next((line for line in self.text.splitlines() if line[:1].isalpha()), "")
        kind = first.partition(":")[0]
        return kind if kind in CHECKED_KINDS else None


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield Block(page, match["language"], (match["info"] or "").strip(), match["text"], line)


def commands(block: Block) -> Iterator[tuple[str, list[str], str]]:
    """Every ``$ knowflow ...`` of a console: the line, its words, and what is shown below it."""
    for part in re.split(r"^\$ ", block.text.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        words = shlex.split(line, comments=True)
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            del words[0]
        if words and words[0].rpartition("/")[2] == "knowflow":
            stop = next((i for i, word in enumerate(words) if word in ("|", ">", "&&", "2>")), len(words))
            yield line, words[1:stop], shown


def write_files(page: Path, project: Path) -> list[Path]:
    """The named files of a page, and its whole documents that have no name; those that are to be checked."""
    documents = []
    for block in blocks(page):
        name = block.info if "." in block.info else f"unnamed/{block.line}.yaml" if block.kind else ""
        if name:
            path = project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
            documents += [path] if block.kind else []
    assert all(kind_of(path) in CHECKED_KINDS for path in documents)
    return documents


def sections(page: Path) -> dict[str, str]:
    """The text below each heading, up to the next one of any depth."""
    text = page.read_text(encoding="utf-8")
    fenced = [(match.start(), match.end()) for match in FENCE.finditer(text)]
    heads = [
        match
        for match in re.finditer(r"^#+ (.+)$", text, re.MULTILINE)
        if not any(first <= match.start() < past for first, past in fenced)
    ]
    ends = [*(match.start() for match in heads[1:]), len(text)]
    return {match[1]: text[match.end() : end] for match, end in zip(heads, ends, strict=True)}


def tables(text: str) -> Iterator[tuple[list[str], list[list[str]]]]:
    """The tables of a text: the cells of the heading, and those of each row."""
    for match in re.finditer(r"(?:^\|.*\|$\n?){2,}", text, re.MULTILINE):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in match[0].splitlines()]
        yield rows[0], rows[2:]
