"""The reference pages, written from the knowledge and the code themselves.

``python -m knowflow.roof.reference docs/reference`` writes them; a test fails where the committed pages are older than
what they describe. They tell of the packaged knowledge only, not of a project's or a user's own.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from knowflow.ground.errors import DocumentError, KnowFlowError
from knowflow.ground.resources import Kind, search_path
from knowflow.knowledge.catalogue import load_catalogue
from knowflow.roof.reference.gdal import gdal_lines
from knowflow.roof.reference.products import product_lines
from knowflow.roof.reference.vocabulary import error_lines, predicate_lines, quantity_lines
from knowflow.roof.reference.workflows import card_lines, template_lines, tool_lines

COMMAND = "python -m knowflow.roof.reference docs/reference"
_KINDS: tuple[Kind, ...] = ("schemas", "templates", "pkb")


def pages() -> dict[str, str]:
    """Every page by file name.

    Raises ``KnowFlowError`` where other knowledge than the packaged would get in, and ``DocumentError`` where the
    packaged knowledge has errors; ``ToolError`` where there is no GDAL to describe its algorithms.
    """
    _refuse_other_layers()
    catalogue = load_catalogue()
    errors = [problem for problem in catalogue.problems if problem.severity == "error"]
    if errors:
        raise DocumentError("the packaged knowledge has errors", problems=errors)
    return {
        "tools.md": _page("Tools", tool_lines(catalogue)),
        "gdal.md": _page("The algorithms of GDAL", gdal_lines(catalogue)),
        "templates.md": _page("Templates", template_lines(catalogue)),
        "quantities.md": _page("Quantity kinds and spectral indices", quantity_lines()),
        "predicates.md": _page("Predicates and facts", predicate_lines()),
        "errors.md": _page("Errors and exit codes", error_lines()),
        "products.md": _page("Products", product_lines()),
        "retrieval.md": _page("Task cards", card_lines()),
    }


def write_pages(folder: Path) -> list[Path]:
    """Write every page into a folder, which is made where needed; the files. Raises what ``pages`` raises."""
    written = pages()
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in written]


def _refuse_other_layers() -> None:
    others = [str(path) for kind in _KINDS for layer, path in search_path(kind) if layer != "packaged"]
    if others:
        raise KnowFlowError(
            "the reference tells of the packaged knowledge only",
            expected="no knowledge of a project or user on the search path",
            found=", ".join(others),
            hint="run it elsewhere, with KNOWFLOW_CONFIG set to an empty folder",
        )


def _page(title: str, lines: Iterable[str]) -> str:
    return "\n".join((f"# {title}", "", f"<!-- Written by `{COMMAND}`: edits here are lost. -->", "", *lines)) + "\n"
