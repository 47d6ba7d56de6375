"""``python -m knowflow.roof.reference FOLDER``: write the reference pages."""

from __future__ import annotations

import sys
from pathlib import Path

from knowflow.ground.errors import EXIT_OK, EXIT_USAGE, KnowFlowError
from knowflow.roof.reference import COMMAND, write_pages


def main(arguments: list[str]) -> int:
    """Write the pages into the folder given; the exit code."""
    if len(arguments) != 1:
        print(f"usage: {COMMAND}", file=sys.stderr)
        return EXIT_USAGE
    try:
        written = write_pages(Path(arguments[0]))
    except KnowFlowError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print("\n".join(map(str, written)))
    return EXIT_OK


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
