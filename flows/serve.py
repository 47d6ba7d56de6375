"""Serve the flow ``answer`` as a deployment to be started and scheduled from the Prefect UI (run this file).

Uses the server that the user configured, else KnowFlow's own local one, which it starts if need be.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from knowflow.execution.prefect_server import configured_server, ensure_server, server_folder, ui_of
from knowflow.ground.errors import KnowFlowError


def main() -> int:
    try:
        if configured_server() is None:
            os.environ["PREFECT_API_URL"] = ensure_server()  # also for the processes of the flow runs
            os.environ.setdefault("PREFECT_HOME", str(server_folder()))
    except KnowFlowError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    os.environ.setdefault("DO_NOT_TRACK", "1")
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from answer import answer  # imports Prefect, which reads the environment once

    print(f"Serving answer/answer. Start or schedule it in {ui_of(configured_server() or '')}/deployments", flush=True)
    answer.serve(
        name="answer",
        description="Answers a question about a folder of Earth-observation files.",
        tags=["knowflow"],
        print_starting_message=False,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
