"""What a worker of a Prefect work pool does for a run: a flow run that carries out groups of nodes, one after the
other, for as long as there are any.

It is deployed by its import path, so that a worker needs nothing but KnowFlow, installed where it runs, and the state
folder of the run. Whoever finds nothing to do for some seconds ends, and leaves its place to others.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.logging import get_run_logger
from prefect.runtime import flow_run
from prefect.states import Completed, Failed

from knowflow.execution.dask_worker import AtWork
from knowflow.execution.group_folder import Hand
from knowflow.execution.together import carried
from knowflow.ground.errors import KnowFlowError
from knowflow.tools.raster.engine import in_one_thread

_IDLE_S = 10.0  # that somebody stays who finds nothing to do
_TURN_S = 0.1


@flow(name="knowflow-group", persist_result=False, validate_parameters=False)
def carry_groups(folder: str) -> State[None]:
    """Carry out groups of nodes of a run of KnowFlow, which hands them over through a folder in its state folder.

    Args:
        folder: where the groups are, in the state folder of the run
    """
    try:
        hand = Hand(Path(folder), str(flow_run.id))
        hand.stand_in()
        count = work(hand, get_run_logger().info)
    except KnowFlowError as error:
        return Failed(message=str(error))
    return Completed(message=f"{count} done")


def work(hand: Hand, tell: Callable[[str], None]) -> int:
    """Do what is to be done, until nothing has been for a while; how many actions that were."""
    works: list[AtWork] = []  # made with the first action
    ended = threading.Event()

    def end() -> None:
        ended.set()
        for one in works:
            one.workshop.stop()

    count, since = 0, time.monotonic()
    with hand.beating(end), in_one_thread():
        while not ended.is_set() and time.monotonic() - since < _IDLE_S:
            taken = hand.take()
            if taken is None:
                ended.wait(_TURN_S)
                continue
            name, action, logs = taken
            if not works:
                works.append(AtWork(str(hand.home), str(logs)))
            outcome = carried(works[0].workshop, action)
            if ended.is_set():  # and so it may have been broken off: whoever still wants it has it done again
                break
            hand.give(name, (outcome, works[0].news()))
            came = "from the cache" if outcome.cached else "done" if outcome.error is None else str(outcome.error)
            tell(f"{action.title or action.node}: {came}")
            count, since = count + 1, time.monotonic()
    for one in works:
        one.workshop.close()
    return count
