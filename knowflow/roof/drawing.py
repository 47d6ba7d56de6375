"""A self-contained SVG drawing of a plan or run: layers left to right (or top down where that is narrower).

Siblings beyond six are folded; colour is the status; what was inserted wears a badge with its reason as tooltip.
Works in light and dark, inside a page and alone; the same plan and records give the same bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any
from xml.sax.saxutils import escape

from knowflow.graph.export import Group, folded
from knowflow.graph.input_groups import InputGroup, input_groups
from knowflow.graph.topology import order
from knowflow.ground.quantities import quantity_kinds
from knowflow.model.plan import Plan
from knowflow.model.trace import NodeRecord, NodeStatus
from knowflow.model.workflow import FromInput, Workflow, references
from knowflow.roof.layout import Layout, Point, layered
from knowflow.roof.notation import duration, plain, shorten, words

MOST_SIBLINGS = 6
_WIDTH, _HEIGHT, _MARGIN, _LEGEND = 204.0, 46.0, 18.0, 26.0
_GAP_ALONG, _GAP_ACROSS = 52.0, 18.0
_WIDEST = 1080.0
_DETAIL_ROOM = 33
_WORST: tuple[NodeStatus, ...] = ("failed", "running", "pending", "skipped", "done", "cached")
_SAYS: Mapping[str, str] = {
    "done": "done",
    "cached": "from cache",
    "failed": "failed",
    "skipped": "not started",
    "running": "running",
    "pending": "waiting",
}


@dataclass(frozen=True, slots=True)
class _Box:
    """What is drawn for a node, a folded group, an input or an output of the plan."""

    title: str
    detail: str
    tooltip: str
    classes: str
    stacked: int = 1
    badge: bool = False


def draw(plan: Plan, records: Mapping[str, NodeRecord] | None = None, marked: Collection[str] = frozenset()) -> str:
    """The plan as an SVG document; with ``records``, as far as it has been carried out.

    ``marked`` nodes are those that a repair or an edit concerns: they stand out, and alone.
    """
    ordered = order(plan.workflow)
    workflow = Workflow(ordered)  # what lies on a cycle cannot be drawn in layers; the check reports it
    groups = [part for group in folded(workflow, MOST_SIBLINGS + 1) for part in _apart(group, marked)]
    home = {node.id: f"n{index}" for index, group in enumerate(groups) for node in group.nodes}
    boxes = {home[group.head.id]: _node_box(group, records, marked) for group in groups}
    taken = input_groups(plan, home)
    inputs = {f"i:{one.inputs[0]}": _input_box(one, plan) for one in taken}
    drawn_as = {name: f"i:{one.inputs[0]}" for one in taken for name in one.inputs}
    boxes |= inputs
    weights: dict[tuple[str, str], int] = {}
    for node in ordered:
        for value in node.args.values():
            for ref in references(value):
                source = drawn_as[ref.name] if isinstance(ref, FromInput) else home.get(ref.node)
                if source in boxes:
                    edge = (source, home[node.id])
                    weights[edge] = weights.get(edge, 0) + 1
    for name, value in plan.outputs.items():
        key = f"o:{name}"
        boxes[key] = _Box(words(name), "output", f"output {name}", "kf-output")
        for ref in references(value):
            source = drawn_as[ref.name] if isinstance(ref, FromInput) else home.get(ref.node)
            if source in boxes:
                weights[source, key] = weights.get((source, key), 0) + 1
    drawn = [*inputs, *(key for key in boxes if key not in inputs)]
    return _svg(plan, layered(drawn, weights), boxes, weights)


def _input_box(group: InputGroup, plan: Plan) -> _Box:
    found = [plan.inputs[name] for name in group.inputs if name in plan.inputs]
    of = words(found[0].type) if found else "input"
    count = sum(1 for artifact in found for _ in artifact.leaves())
    detail = of + (f" · {count} files" if count > 1 else "")
    quantities = {str(artifact.fact("quantity")) for artifact in found}
    kind = quantity_kinds().get(quantities.pop()) if len(quantities) == 1 else None
    title = words(group.name) if kind is None else plain(kind.title).split(" (")[0]
    return _Box(title, detail, f"input {group.label}: {detail}", "kf-input", len(group.inputs))


def _apart(group: Group, marked: Collection[str]) -> Iterator[Group]:
    """A group of siblings, and those of it that are marked each alone."""
    rest = tuple(node for node in group.nodes if node.id not in marked)
    if len(rest) == len(group.nodes) or len(group.nodes) == 1:
        yield group
        return
    if rest:
        yield replace(group, nodes=rest)
    for node in group.nodes:
        if node.id in marked:
            yield replace(group, nodes=(node,))


def _node_box(group: Group, records: Mapping[str, NodeRecord] | None, marked: Collection[str]) -> _Box:
    head, count = group.head, len(group.nodes)
    found = [(records or {}).get(node.id, NodeRecord(node.id)) for node in group.nodes]
    statuses = [record.status for record in found]
    worst = min(statuses, key=_WORST.index)
    title = group.title
    detail = head.tool
    tooltip = [title, f"step {group.name}", f"tool {head.tool}, layer {head.layer}"]
    if records is not None:
        seconds = sum(record.seconds or 0.0 for record in found if record.status != "cached")
        said = duration(seconds) if set(statuses) <= {"done"} else _SAYS[worst]
        if worst == "done" and "cached" in statuses:
            said = f"{statuses.count('cached')} cached"
        detail = f"{shorten(detail, _DETAIL_ROOM - len(said) - 3)} · {said}" if detail else said
        counts = {status: statuses.count(status) for status in _WORST if status in statuses}
        tooltip.append(
            ", ".join(f"{number} {_SAYS[status]}" if count > 1 else _SAYS[status] for status, number in counts.items())
        )
        tooltip += [str(record.error.get("message", "")) for record in found if record.error]
    classes = f"kf-node kf-{worst if records is not None else 'planned'}"
    if any(node.id in marked for node in group.nodes):
        classes += " kf-marked"
    if head.inserted is not None:
        classes += " kf-inserted"
        tooltip += [f"inserted by {head.inserted.who}: {reason}" for reason in group.reasons[:4]]
        tooltip += [f"loses: {head.inserted.lossy}"] if head.inserted.lossy else []
    return _Box(title, detail, "\n".join(tooltip), classes, count, head.inserted is not None)


def _svg(plan: Plan, layout: Layout, boxes: Mapping[str, _Box], weights: Mapping[tuple[str, str], int]) -> str:
    wide = layout.ranks * (_WIDTH + _GAP_ALONG)
    tall = layout.breadth * (_WIDTH + _GAP_ACROSS)
    across = not (wide > _WIDEST and tall < wide)
    frame = _Frame(across)
    width, height = frame.extent(layout)
    bodies = [_edge(frame, layout.routes[edge], weight, boxes[edge[1]].classes) for edge, weight in weights.items()]
    bodies += [_box(frame.centre((layout.rank[key], layout.across[key])), box) for key, box in boxes.items()]
    legend = _legend(list(boxes.values()), height)
    height += _LEGEND if legend else 0.0
    title = f"Workflow: {plan.title or plan.template or 'plan'}, {len(plan.workflow)} nodes"
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="kf-dag" role="img" width="{width:.0f}" '
            f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">',
            f"<title>{_text(title)}</title>",
            f"<style>{_style()}</style>",
            '<defs><marker id="kf-arrow" viewBox="0 0 8 8" refX="7.2" refY="4" markerWidth="7" markerHeight="7" '
            'markerUnits="userSpaceOnUse" orient="auto"><path d="M0.5 0.8 7.5 4 0.5 7.2Z"/></marker></defs>',
            f'<rect class="kf-paper" width="{width:.0f}" height="{height:.0f}" rx="6"/>',
            *bodies,
            legend,
            "</svg>",
        )
    )


@dataclass(frozen=True, slots=True)
class _Frame:
    """From ranks and places to the page: ranks run along x (``horizontal``) or along y."""

    horizontal: bool

    @property
    def _steps(self) -> tuple[float, float]:
        along, across = (_WIDTH, _HEIGHT) if self.horizontal else (_HEIGHT, _WIDTH)
        return along + (_GAP_ALONG if self.horizontal else 38.0), across + _GAP_ACROSS

    def centre(self, point: Point) -> Point:
        along, across = self._steps
        a, b = point[0] * along, point[1] * across
        x, y = (a, b) if self.horizontal else (b, a)
        return x + _WIDTH / 2 + _MARGIN, y + _HEIGHT / 2 + _MARGIN

    def extent(self, layout: Layout) -> Point:
        x, y = self.centre((max(layout.ranks - 1, 0), layout.breadth - 1.0))
        return x + _WIDTH / 2 + _MARGIN, y + _HEIGHT / 2 + _MARGIN

    def path(self, route: Sequence[Point]) -> str:
        """A smooth curve through the places of an edge, leaving and reaching boxes at right angles."""
        points = [self.centre(point) for point in route]
        half = (_WIDTH if self.horizontal else _HEIGHT) / 2
        start, *between, end = points
        shift: Point = (half, 0.0) if self.horizontal else (0.0, half)
        stops = [(start[0] + shift[0], start[1] + shift[1])]
        for x, y in between:  # an edge that passes a rank runs straight through it
            stops += [(x - shift[0], y - shift[1]), (x + shift[0], y + shift[1])]
        stops.append(
            (end[0] - shift[0] - (2 if self.horizontal else 0), end[1] - shift[1] - (0 if self.horizontal else 2))
        )
        parts = [f"M{stops[0][0]:.1f} {stops[0][1]:.1f}"]
        for index in range(1, len(stops)):
            (x0, y0), (x1, y1) = stops[index - 1], stops[index]
            if index % 2 == 0:
                parts.append(f"L{x1:.1f} {y1:.1f}")
            elif self.horizontal:
                parts.append(f"C{(x0 + x1) / 2:.1f} {y0:.1f} {(x0 + x1) / 2:.1f} {y1:.1f} {x1:.1f} {y1:.1f}")
            else:
                parts.append(f"C{x0:.1f} {(y0 + y1) / 2:.1f} {x1:.1f} {(y0 + y1) / 2:.1f} {x1:.1f} {y1:.1f}")
        return "".join(parts)


def _edge(frame: _Frame, route: Sequence[Point], weight: int, target: str) -> str:
    classes = "kf-edge" + (" kf-many" if weight > 1 else "") + (" kf-idle" if "kf-skipped" in target else "")
    return f'<path class="{classes}" marker-end="url(#kf-arrow)" d="{frame.path(route)}"/>'


def _box(centre: Point, box: _Box) -> str:
    x, y = centre[0] - _WIDTH / 2, centre[1] - _HEIGHT / 2
    lone = not box.detail
    round_end = box.classes in ("kf-input", "kf-output")
    radius = _HEIGHT / 2 if round_end else 5
    parts = [f'<g class="{box.classes}"><title>{_text(box.tooltip)}</title>']
    if box.stacked > 1:
        parts += [_rect("kf-box", x + shift, y + shift, radius) for shift in (7, 3.5)]
    parts.append(_rect("kf-box", x, y, radius))
    if not round_end:
        parts.append(f'<path class="kf-stripe" d="M{x + 5:.1f} {y + 6:.1f}v{_HEIGHT - 12:.1f}"/>')
    room = 25 if box.stacked > 1 else 29
    left = x + (20 if round_end else 14)
    name = _fit(box.title, room)
    parts.append(f'<text class="kf-name" x="{left:.1f}" y="{y + (28 if lone else 20):.1f}">{name}</text>')
    if not lone:
        parts.append(f'<text class="kf-detail" x="{left:.1f}" y="{y + 35:.1f}">{_fit(box.detail, _DETAIL_ROOM)}</text>')
    if box.stacked > 1:
        parts.append(f'<text class="kf-count" x="{x + _WIDTH - 9:.1f}" y="{y + 20:.1f}">×{box.stacked}</text>')
    if box.badge:
        parts.append(_badge(x + _WIDTH - 4, y + 3))
    return "".join((*parts, "</g>"))


def _rect(classes: str, x: float, y: float, radius: float) -> str:
    return (
        f'<rect class="{classes}" x="{x:.1f}" y="{y:.1f}" width="{_WIDTH:.0f}" height="{_HEIGHT:.0f}" rx="{radius:g}"/>'
    )


def _badge(x: float, y: float) -> str:
    return (
        f'<circle class="kf-badge" cx="{x:.1f}" cy="{y:.1f}" r="7.5"/>'
        f'<path class="kf-plus" d="M{x - 3.6:.1f} {y:.1f}h7.2M{x:.1f} {y - 3.6:.1f}v7.2"/>'
    )


def _legend(boxes: Sequence[_Box], y: float) -> str:
    """What the colours and marks mean, of those that occur."""
    present = [status for status in _WORST if any(f"kf-{status}" in box.classes.split() for box in boxes)]
    parts, x, line = [], _MARGIN, y + 4
    for status in present:
        parts.append(
            f'<g class="kf-node kf-{status}"><path class="kf-stripe" d="M{x + 2:.1f} {line - 6:.1f}v14"/>'
            f'<text class="kf-detail" x="{x + 10:.1f}" y="{line + 5:.1f}">{_SAYS[status]}</text></g>'
        )
        x += 22 + 6.2 * len(_SAYS[status])
    if any(box.badge for box in boxes):
        label = "inserted, not in the template"
        parts.append(
            _badge(x + 7, line + 1) + f'<text class="kf-detail" x="{x + 20:.1f}" y="{line + 5:.1f}">{label}</text>'
        )
        x += 40 + 6.2 * len(label)
    if any({"kf-marked", "kf-failed"} & set(box.classes.split()) == {"kf-marked"} for box in boxes):
        parts.append(
            f'<g class="kf-marked"><rect class="kf-box" x="{x:.1f}" y="{line - 6:.1f}" width="20" height="14" rx="3"/>'
            f'</g><text class="kf-detail" x="{x + 27:.1f}" y="{line + 5:.1f}">changed here</text>'
        )
    return f'<g class="kf-legend">{"".join(parts)}</g>' if parts else ""


def _fit(text: str, room: int) -> str:
    return escape(shorten(text, room))


def _text(text: Any) -> str:
    return escape(plain(text))


@lru_cache(maxsize=1)
def _style() -> str:
    return files("knowflow.roof").joinpath("drawing.css").read_text("utf-8").strip()
