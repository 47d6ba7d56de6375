"""How far other ways to answer are apart from the one that was taken, in words and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from knowflow.roof.notation import literal, number, plain, unit_sign

COLUMNS = ("way", "answer", "score", "checks held", "agrees", "steps")
NUMERIC = COLUMNS[2:]


def spread_in_words(compared: Mapping[str, Any]) -> str:
    """How much the method matters: ``by 2 other ways 26.9 to 31.2 ha``; empty where nothing was compared."""
    spread = compared.get("spread", {})
    others = spread.get("others", 0)
    failed = f"; {spread['failed']} failed" if spread.get("failed") else ""
    if not spread:
        return ""
    if not others:
        return f"no other way has an answer{failed}" if failed else "no other way to answer is at hand"
    ways = "1 other way" if others == 1 else f"{others} other ways"
    if "lowest" not in spread:
        return f"{ways} agree with it to {round(100 * spread.get('agreement', 0))} %{failed}"
    low, high, unit = number(spread["lowest"]), number(spread["highest"]), unit_sign(spread.get("unit"))
    told = low if low == high else f"{low} to {high}"
    return f"by {ways} {told}{f' {unit}' if unit else ''}{failed}"


def rows_of_ways(compared: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Each way as text, in the order of the columns; what failed says why."""
    for way in compared.get("ways", ()):
        name = f"{plain(way['way'])}{' (taken)' if way['way'] == compared.get('taken') else ''}"
        if way["status"] != "completed":
            yield name, f"{way['status']}: {plain(way.get('because', ''))}", *("" for _ in NUMERIC)
            continue
        value, unit = way["answer"], unit_sign(way["unit"])
        told = number(value) if isinstance(value, int | float) else "a map" if value is None else literal(value, 40)
        scores = (f"{way[name]:.2f}" for name in ("score", "checks", "agreement"))
        doubt = f" ({plain(way['because'])})" if way.get("because") else ""
        yield name, f"{told} {unit}".strip() + doubt, *scores, str(way["steps"])


def verdict_in_words(compared: Mapping[str, Any]) -> str:
    """What speaks for the way that was taken, or against all of them; empty where nothing more was looked at."""
    _, *found = compared.get("verdict", {}).get("findings", ()) or (None,)
    told = [
        one["because"]
        if one["truth"] is None
        else f"{one['what']}{'' if one['truth'] else ', not so'}: {one['because']}"
        for one in found
    ]
    return plain("; ".join(told))
