"""The command line: thin, instant to start, and without tracebacks."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

# objects made beyond those freed before cycles are looked for: at Python's 700 the search costs a tenth of a command,
# and so it does at half of what a command makes to read its words by, which stays
_CYCLES_AFTER = 500_000


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and end the process with its exit code: 0 fine, 1 problems found, 2 bad input, 3 run failed."""
    gc.set_threshold(_CYCLES_AFTER)
    from knowflow.ground.kept_documents import kept_documents
    from knowflow.ground.kept_values import kept_values
    from knowflow.ground.regex import kept_regexes
    from knowflow.ground.system import reuse_memory

    reuse_memory()
    atexit.register(gc.freeze)  # what ends with the process needs no search for cycles
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # to look for them reads what every package says
    with kept_regexes(), kept_documents(), kept_values():
        _run(arguments)


def _run(arguments: Sequence[str] | None) -> None:
    from knowflow.ground.errors import KnowFlowError
    from knowflow.ground.system import require_posix
    from knowflow.roof.cli.app import asked_alone
    from knowflow.roof.cli.options import with_values
    from knowflow.roof.cli.output import fail, unexpected

    _replace_what_cannot_be_written()
    given = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in given
    try:
        require_posix()
        asked_alone(given)(with_values(given), prog_name="knowflow")
    except KnowFlowError as error:
        fail(error, as_json)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads on: nothing is left to say
        raise SystemExit(0) from None
    except Exception as error:
        unexpected(error, as_json)


def _replace_what_cannot_be_written() -> None:
    """A terminal of few characters (ASCII, Latin 1) shows ``?`` for others, rather than nothing at all."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
