"""Tables in pages: what stands between ``<!-- figures:NAME -->`` and ``<!-- /figures:NAME -->`` is rendered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from knowflow.ground.errors import DocumentError

_BLOCK = re.compile(r"<!-- figures:([a-z-]+) -->\n(.*?)<!-- /figures:\1 -->", re.DOTALL)


def pages_of(checkout: Path) -> list[Path]:
    """The pages of a checkout that show figures."""
    pages = [checkout / "README.md", *sorted((checkout / "docs").glob("*.md"))]
    return [page for page in pages if page.is_file() and _BLOCK.search(page.read_text(encoding="utf-8"))]


def rendered(text: str, tables: Mapping[str, str]) -> str:
    """A page with its tables as the figures have them.

    Raises:
        DocumentError: the page asks for a table that there is not.
    """

    def made(found: re.Match[str]) -> str:
        name = found[1]
        if name not in tables:
            raise DocumentError("there is no such table of figures", expected=", ".join(tables), found=name)
        return f"<!-- figures:{name} -->\n{tables[name]}\n<!-- /figures:{name} -->"

    return _BLOCK.sub(made, text)
