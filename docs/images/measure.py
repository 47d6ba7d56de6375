"""Measure reports in a real browser: ``python docs/images/measure.py FOLDER... --axe AXE``, with chromium installed.

A folder is searched for pages (``*.html``), and each is opened as a client would: at 1280 x 800 and at 390 x 844 CSS
pixels, with all that is folded left folded, then once more with all of it open. Told are, of all of them and of each
that misses a bar:

- screens: how many windows high it is down to the first folded part; at most 3 at 1280
- overflow: by how many pixels the page is wider than the window at 390, folded and open; none
- axe: problems of accessibility that axe-core calls serious or critical, in light and dark; none. ``--axe`` names its
  ``axe.min.js``, of the npm package ``axe-core``; without it this is not measured
- size: bytes of the file; at most 2 MB; and what it would fetch from elsewhere; nothing
- pages: how many sheets of A4 it is when it is printed as it opens
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from browser import Browser, BrowserError

DESKTOP, PHONE = (1280, 800), (390, 844)
MOST_SCREENS, MOST_BYTES = 3.0, 2_000_000
_FOLD = """(() => {
  const folded = document.querySelector('section.audit');
  return folded ? folded.getBoundingClientRect().top + scrollY : document.documentElement.scrollHeight;
})()"""
_WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
_OPEN = "document.querySelectorAll('details').forEach(one => one.open = true)"
_AXE = """axe.run(document, {resultTypes: ['violations']}).then(found => found.violations
  .filter(one => ['serious', 'critical'].includes(one.impact))
  .map(one => one.id + ': ' + one.nodes.slice(0, 2).map(node => node.html.slice(0, 160)).join(' | ')))"""
_SHEET = re.compile(rb"/Type\s*/Page\b(?!s)")


def measured(browser: Browser, page: Path, axe: str | None) -> dict[str, Any]:
    """What is told of a report; ``axe`` is the text of axe-core."""
    browser.open(page, *DESKTOP)
    found: dict[str, Any] = {"page": str(page), "bytes": page.stat().st_size}
    found["fetched"] = browser.run(
        "performance.getEntriesByType('resource').filter(e => !e.name.startsWith('data:')).length"
    )
    found["screens"] = round(browser.run(_FOLD) / DESKTOP[1], 2)
    found["sheets"] = len(_SHEET.findall(browser.printed()))
    browser.size(*PHONE)
    found["screens_phone"] = round(browser.run(_FOLD) / PHONE[1], 2)
    found["overflow"] = browser.run(_WIDER)
    browser.size(*DESKTOP)
    browser.run(_OPEN)
    found["axe"] = list(_problems(browser, axe)) if axe is not None else None
    browser.size(*PHONE)
    found["overflow_open"] = browser.run(_WIDER)
    return found


def _problems(browser: Browser, axe: str) -> Iterator[str]:
    """What axe-core finds of a page that is open all through, by day and by night."""
    browser.run(f"{axe}; true")
    for scheme in ("light", "dark"):
        browser.tell("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        yield from (f"{scheme}: {one}" for one in browser.run(_AXE))
    browser.tell("Emulation.setEmulatedMedia", features=[])


def missed(one: dict[str, Any]) -> list[str]:
    """The bars that a report misses, in words."""
    found = [f"{one['screens']} screens before the fold"] if one["screens"] > MOST_SCREENS else []
    found += [f"{one[name]} px wider than a phone" for name in ("overflow", "overflow_open") if one[name] > 0]
    found += [f"{one['bytes']} bytes"] if one["bytes"] > MOST_BYTES else []
    found += [f"{one['fetched']} things fetched"] if one["fetched"] else []
    return [*found, *(one["axe"] or ())]


def summary(found: Sequence[dict[str, Any]]) -> list[str]:
    def spread(name: str) -> str:
        values = sorted(one[name] for one in found)
        return f"median {values[len(values) // 2]:,}, most {values[-1]:,}"

    axe = [one["axe"] for one in found]
    told = "not measured" if None in axe else f"{sum(map(len, axe))} serious problems in {sum(map(bool, axe))} reports"
    return [
        f"{len(found)} reports, {sum(bool(missed(one)) for one in found)} miss a bar",
        f"screens before the fold, 1280 x 800   {spread('screens')}",
        f"screens before the fold, 390 x 844    {spread('screens_phone')}",
        f"pixels too wide at 390                {spread('overflow')}; open: {spread('overflow_open')}",
        f"axe-core, light and dark              {told}",
        f"bytes                                 {spread('bytes')}",
        f"sheets of A4                          {spread('sheets')}",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, help="reports, or folders that are searched for them")
    parser.add_argument("--axe", type=Path, help="axe.min.js of axe-core")
    parser.add_argument("--json", type=Path, help="file for all that was measured")
    given = parser.parse_args()
    pages = [one for name in given.folders for one in (sorted(name.rglob("*.html")) if name.is_dir() else [name])]
    if not pages:
        print(f"no reports: expected *.html below {', '.join(map(str, given.folders))}, found none", file=sys.stderr)
        return 2
    axe = None if given.axe is None else given.axe.read_text("utf-8")
    found = []
    try:
        with Browser() as browser:
            for page in pages:
                found.append(measured(browser, page, axe))
                for bar in missed(found[-1]):
                    print(f"{page}: {bar}")
    except BrowserError as error:
        print(error, file=sys.stderr)
        return 2
    if given.json is not None:
        given.json.write_text(json.dumps(found, indent=1), "utf-8")
    print("\n".join(summary(found)))
    return 1 if any(map(missed, found)) else 0


if __name__ == "__main__":
    raise SystemExit(main())
