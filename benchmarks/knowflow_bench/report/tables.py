"""The tables of pages, made of the figures and the ledger: what was first met comes first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from knowflow_bench.report.ledger import FirstMet

Figures = Mapping[str, Any]
Row = Sequence[str]


def blocks(document: Mapping[str, Any], met: Sequence[FirstMet]) -> dict[str, str]:
    """What stands between the markers of pages, by their names."""
    return {
        "first-met": _first_met([one.model_copy(update={"page": one.page.removeprefix("docs/")}) for one in met]),
        "first-met-newest": _first_met(_newest(met)),
        "measured": _measured(document),
        "faults": _faults(document),
        "failing-calls": _failing_calls(document),
    }


def _table(head: Row, rows: Sequence[Row]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(one) + " |" for one in lines)


def _of(document: Mapping[str, Any], name: str) -> Figures | None:
    found = document["campaigns"].get(name)
    return None if found is None else found["figures"]


def _told(document: Mapping[str, Any]) -> str:
    machine = document["machine"]
    return f"Of revision `{document['revision']}`, {document['date']}, on {machine['cpus']} cores."


def _first_met(met: Sequence[FirstMet]) -> str:
    rows = [
        [
            one.set,
            "" if one.n is None else str(one.n),
            ", ".join(f"{name} {value}" for name, value in one.figures.items()),
            f"[{one.source}]({one.page})" if one.page else one.source,
        ]
        for one in met
    ]
    return _table(["when first met", "n", "scored", "where from"], rows)


def _newest(met: Sequence[FirstMet], each: int = 2) -> list[FirstMet]:
    """The last sets of each source and page; what they said of the set before them is left out."""
    of_kind: dict[tuple[str, str], list[FirstMet]] = {}
    for one in met:
        of_kind.setdefault((one.source, one.page), []).append(one)
    last = [one for found in of_kind.values() for one in found[-each:]]
    return [one.model_copy(update={"set": one.set.removeprefix("... ").removeprefix("and ")}) for one in last]


# --- what is measured at the revision -------------------------------------------------------------------------------


def _measured(document: Mapping[str, Any]) -> str:
    rows = [
        [title, text(found), f"[{page}](docs/{page}.md)"]
        for name, title, text, page in _ROWS
        if (found := _of(document, name)) is not None
    ]
    return f"{_told(document)}\n\n{_table(['campaign', 'measured', 'page'], rows)}"


def _earth(found: Figures) -> str:
    numbers = (f"{name} {found[key]:.3f}" for name, key in _EARTH.items() if key in found)
    return f"{found['n']} questions: " + ", ".join(numbers)


def _tasks(found: Figures) -> str:
    return (
        f"{found['n']} questions: right {_share(found['tsr_simple'])} (simple), {_share(found['tsr_complex'])} "
        f"(complex); {found['wrong_confident']} wrong; {found['refused_rightly']} of {found['unanswerable']} "
        "unanswerable ones refused with the reason"
    )


def _all_faults(found: Figures) -> str:
    def total(name: str) -> int:
        return sum(int(one[name]) for one in found.values())

    return (
        f"{total('cases')} cases of {total('kinds')} kinds: {total('wrong')} wrong answers, {total('hangs')} hangs, "
        f"{total('crashed')} crashes; {total('repaired_by_rules')} of {total('repairable')} repairable ones repaired "
        f"without a model ({total('repaired_while_planning')} while planning, {total('repaired_during_run')} in "
        f"the run); the cause named in {total('cause_named')} of {total('failing')} that fail"
    )


def _one_table(found: Figures) -> str:
    return _all_faults({"real": found})


def _inventory(found: Figures) -> str:
    told = (
        f"{_percent(found[names]['right'], found[names]['files'])} of {found[names]['files']} files {text}"
        for names, text in (("published", "under published names"), ("renamed", "as people rename them"))
    )
    return f"understood {', '.join(told)}; {found['wrong']} wrong, {found['left_out_silently']} left out silently"


def _metamorphic(found: Figures) -> str:
    return f"{found['runs']} answers by {found['relations']} relations: {found['violations']} violations"


def _opinion(found: Figures) -> str:
    return (
        f"{found['agreeing_tools']} of {found['counterparts']} tools and {found['agreeing_products']} of "
        f"{found['products_judged']} products that it judges agree to 1e-6"
    )


def _calls(found: Figures) -> str:
    return (
        f"{_percent(found['reason_right'], found['visible'])} of {found['visible']} refused for the recorded reason, "
        f"{_percent(found['expert_refused'], found['expert_calls'])} of the experts' calls refused, "
        f"{_percent(found['proposal_passes'], found['refused'])} of first proposals keep the intent"
    )


def _parity(found: Figures) -> str:
    return f"{found['agree']} of {found['n']} agree with what was published"


def _raster(found: Figures) -> str:
    return (
        f"NDVI of two {found['size']} x {found['size']} bands: {found['index_over_limit']:.2f} x the time of reading "
        f"and writing the same bytes, {found['whole_array_over_index']:.1f} times as fast as whole arrays, in "
        f"{found['peak_mb']:.0f} MB"
    )


_EARTH = {"TAO": "tao", "TIO": "tio", "TEM": "tem", "Param": "param"}
_ROWS: Sequence[tuple[str, str, Callable[[Figures], str], str]] = (
    (
        "earth_bench_ap",
        "development half of Earth-Bench, planned from the question alone",
        _earth,
        "planning_benchmark",
    ),
    ("earth_bench_if", "... with its steps named", _earth, "planning_benchmark"),
    ("tasks", "questions of our own, carried out and compared with independent truth", _tasks, "task_benchmark"),
    ("tasks_fresh", "... of those written after the planner had met the others", _tasks, "task_benchmark"),
    ("faults", "faults put into runs, judged by what is true", _all_faults, "faults"),
    ("faults_real", "... into real data", _one_table, "faults"),
    ("inventory", "folders of published products, and the same files renamed", _inventory, "inventory_benchmark"),
    ("metamorphic", "the same data said in other ways", _metamorphic, "second_opinion"),
    ("opinion", "what an engine that shares no code makes of the same", _opinion, "second_opinion"),
    ("failing_calls", "published failing calls, checked before they are made", _calls, "faults"),
    ("parity", "published calls carried out again", _parity, "earth_agent"),
    ("raster", "the raster core", _raster, "runs"),
)

# --- the page on faults ---------------------------------------------------------------------------------------------


def _parts(*names: str, of: str = "") -> Callable[[Figures], str]:
    """Some numbers beside each other, or one of another."""
    return lambda found: f" {of} ".join(str(found[name]) for name in names) if of else _beside(found, names)


def _beside(found: Figures, names: Sequence[str]) -> str:
    return ", ".join(f"{found[name]:.0f}" for name in names)


_FAULT_ROWS: Sequence[tuple[str, Callable[[Figures], str], str]] = (
    ("kinds, of which repairable and harmless", _parts("kinds", "kinds_repairable", "kinds_harmless"), ""),
    ("cases", _parts("cases"), ""),
    ("seconds", _parts("seconds"), ""),
    ("true answers", _parts("right"), ""),
    ("wrong answers given as right", _parts("wrong"), "0"),
    ("hangs, ended with an error that nobody named", _parts("hangs", "crashed"), "0, 0"),
    (
        "repaired to the true answer without a model",
        _parts("repaired_by_rules", "repairable", of="of"),
        "90 %",
    ),
    ("... while planning, during the run", _parts("repaired_while_planning", "repaired_during_run"), ""),
    ("first diagnosis true, of those in which something failed", _parts("cause_named", "failing", of="of"), "95 %"),
    ("refused with a false cause", _parts("refused_falsely"), ""),
    ("finished and untouched nodes computed again", _parts("recomputed_needlessly"), "0"),
    ("runs without a fault edited", _parts("edited_without_fault"), "0"),
    ("answered with a note that names the cause (`told`)", _parts("told"), ""),
)


def _faults(document: Mapping[str, Any]) -> str:
    tables = dict(_of(document, "faults") or {})
    if not tables:
        return "Not measured at this revision."
    rows = [[title, *(text(one) for one in tables.values()), bar] for title, text, bar in _FAULT_ROWS]
    return f"{_told(document)}\n\n{_table(['', *(f'{name} table' for name in tables), 'bar'], rows)}"


def _failing_calls(document: Mapping[str, Any]) -> str:
    found = _of(document, "failing_calls")
    if found is None:
        return "Not measured at this revision."
    rows = [
        ["refused with the recorded reason", _part(found, "reason_right", "visible", "visible calls"), "98 %"],
        ["expert calls refused", _part(found, "expert_refused", "expert_calls", ""), "0.5 %"],
        [
            "first proposal passes and keeps the intent",
            _part(found, "proposal_passes", "refused", "refused calls"),
            "70 %",
        ],
    ]
    return f"{_told(document)}\n\n{_table(['', 'measured', 'bar'], rows)}"


def _part(found: Figures, part: str, whole: str, of: str) -> str:
    return f"{found[part]} of {found[whole]}{' ' + of if of else ''} ({_percent(found[part], found[whole])})"


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"
