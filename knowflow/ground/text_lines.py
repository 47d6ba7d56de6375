"""Text files with one thing a line, as users hand them over."""

from __future__ import annotations

from pathlib import Path

from knowflow.ground.errors import DataNotFoundError, UnreadableDataError


def text_lines(path: Path, what: str) -> list[str]:
    """The lines of a file of ``what``, as errors call it.

    Raises:
        DataNotFoundError: there is no such file.
        UnreadableDataError: it cannot be read, or is no text in UTF-8.
    """
    if not path.is_file():
        raise DataNotFoundError(f"there is no such file of {what}", where=str(path), expected="a file", found="nothing")
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableDataError(
            f"the {what} cannot be read", where=str(path), expected="text in UTF-8", found=str(error)
        ) from error
