"""The records of a run: each state is a value of its own, and shares what did not change with the one before."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from knowflow.model import trace as module
from knowflow.model.plan import Plan
from knowflow.model.trace import NodeRecord, Records, Trace
from knowflow.model.workflow import Workflow

NAMES = st.integers(0, 30).map(str)
EMPTY = Trace("r", Plan("", "", Workflow(())))


@given(st.lists(st.tuples(NAMES, st.sampled_from(["running", "done"])), max_size=900))
def test_states_of_a_run_are_what_plain_mappings_would_be(changes: list[tuple[str, str]]) -> None:
    plain: dict[str, NodeRecord] = {}
    trace, half = EMPTY, EMPTY
    for number, (name, status) in enumerate(changes):
        record = NodeRecord(name, status)  # type: ignore[arg-type]
        plain[name] = record
        trace = trace.with_record(record)
        if number == len(changes) // 2:
            half, then = trace, dict(plain)
    assert dict(trace.records) == plain
    assert trace.records == plain
    assert list(trace.records) == list(plain)
    assert len(trace.records) == len(plain)
    assert Trace.from_json(trace.to_json()) == trace == replace(trace, records=plain)
    if changes:
        assert half.records == then, "what was is not changed by what came"


def test_a_change_copies_few_records_however_many_there_are() -> None:
    copied = 0
    records = Records.of({})
    for number in range(4000):
        after = records.put(NodeRecord(str(number)))
        copied += len(after._latest) if after._earlier is records._earlier else len(after._earlier)
        records = after
    assert len(records) == 4000
    assert copied < 4000 * (module._MOST_LATEST + 4000 // module._MOST_LATEST)
