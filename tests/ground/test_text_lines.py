"""Text files that users hand over: their lines, or why there are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowflow.ground.errors import DataNotFoundError, UnreadableDataError
from knowflow.ground.text_lines import text_lines


def test_lines_come_without_a_mark_of_their_encoding(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("ä.tif\nb.tif\n", encoding="utf-8-sig")
    assert text_lines(tmp_path / "names.txt", "names") == ["ä.tif", "b.tif"]


def test_what_is_no_file_or_no_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match="no such file of names"):
        text_lines(tmp_path, "names")
    (tmp_path / "image.tif").write_bytes(b"II*\x00\xf2\x80")
    with pytest.raises(UnreadableDataError, match="the names cannot be read"):
        text_lines(tmp_path / "image.tif", "names")
