"""A plan and a run as a notebook shows them, and what a run made as frames and maps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.extras import require_extra
from knowflow.roof.notation import number, plain, unit_sign
from knowflow.roof.notebook.maps import Map
from knowflow.roof.report.answer import answers_of, trend_told
from knowflow.service.results import PlanResult, RunResult

if TYPE_CHECKING:
    from knowflow.roof.report.outputs import Shown

_STYLE = (
    ".knowflow{font-family:system-ui,sans-serif;max-width:46rem;line-height:1.45}.knowflow p{margin:.2em 0}"
    ".knowflow .soft{opacity:.7}.knowflow .value{font-size:2em;font-weight:600}.knowflow svg.fig{max-width:34rem}"
    ".knowflow table td:first-child{text-align:left}.knowflow img{max-width:34rem}"
)


@dataclass(frozen=True, repr=False)
class Result(RunResult):
    """How a run ended, as :class:`~knowflow.service.results.RunResult`, with what it made ready to work with.

    Example:
        >>> result = KnowFlow().run("Map the NDVI change from June 2016 to June 2017", "scenes/")
        >>> result.map.plot()
    """

    @property
    def maps(self) -> Mapping[str, Map]:
        """The rasters it made, by the name of the output; of a series one for each date."""
        from knowflow.roof.report.of_question import of_question

        found: dict[str, Map] = {}
        for name, artifact in {} if self.trace is None else self.trace.outputs.items():
            leaves = [leaf for leaf in artifact.leaves() if leaf.type == "raster" and leaf.path is not None]
            delivered = [path for key, path in self.outputs.items() if key == name or key.startswith(f"{name}_")]
            for leaf, path in zip(leaves, delivered if len(delivered) == len(leaves) else (), strict=False):
                asked = None if self.trace is None else of_question(self.trace.plan, name)
                found[name if len(leaves) == 1 else Path(path).stem] = Map(path, leaf, asked)
        return found

    @property
    def map(self) -> Map:
        """The first of its maps.

        Raises:
            KnowFlowError: it made none.
        """
        made = self.maps
        if not made:
            raise KnowFlowError("the run made no map", expected="a map", found=", ".join(self.outputs) or "no file")
        return next(iter(made.values()))

    @property
    def table(self) -> Any:
        """The rows of its answer as a ``pandas.DataFrame``; of a single number one row.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        require_extra("notebook", "pandas")
        import pandas

        rows = self.answer if isinstance(self.answer, (list, tuple)) else [{"value": self.answer, "unit": self.unit}]
        return pandas.DataFrame([row if isinstance(row, Mapping) else {"value": row} for row in rows])

    def __repr__(self) -> str:
        if self.status != "completed":
            return f"<Result {self.status}: {plain((self.error or {}).get('message', ''))}>"
        if isinstance(self.answer, (list, tuple)):
            told = f"{len(self.answer)} rows"
        elif self.answer is None:
            told = ", ".join(self.outputs)
        else:
            trend = None if self.trace is None else trend_told(self.trace)
            value = _told(self.answer) if trend is None else trend[0]
            told = " ".join(filter(None, (value, unit_sign(self.unit))))
        return f"<Result {told}: {plain(self.understood or self.query)}>"

    def _repr_html_(self) -> str:
        css = files("knowflow.roof.report").joinpath("figures.css").read_text("utf-8")
        return str(Markup("<style>{}</style><div class='knowflow'>{}</div>").format(Markup(css + _STYLE), self._body()))

    def _body(self) -> Markup:
        said = Markup("<p class='soft'>{}</p>").format(self.understood or self.query)
        if self.status != "completed" or self.trace is None:
            error = self.error or {}
            parts = [Markup("<p><b>{}</b> {}</p>").format(self.status, error.get("message", ""))]
            parts += [
                Markup("<p class='soft'>{}: {}</p>").format(label, error[key])
                for key, label in (("expected", "expected"), ("found", "found"), ("hint", "to do"))
                if error.get(key)
            ]
            return said + Markup("").join(parts)
        from knowflow.roof.report.outputs import figures_behind, shown_outputs

        numbers = [
            Markup("<p>{} <span class='value'>{}</span> {} <span class='soft'>{}</span></p>").format(
                one.asked, one.value, one.unit, one.detail
            )
            for one in answers_of(self.trace)
        ]
        figures = [one.svg for one in figures_behind(self.trace)]
        shown = shown_outputs(self.trace, self.outputs, Path(self.report or "report.html"))
        output = Markup("").join(_shown(one) for one in shown[:1])
        provisos = [*map(str, self.assumptions), *self.notes]
        told = Markup("<ul class='soft'>{}</ul>").format(_items(provisos))
        report = Markup("<p><a href='{}'>report</a></p>").format(Path(self.report).as_uri()) if self.report else ""
        return said + Markup("").join((*numbers, *figures, output, told if provisos else "", report))


@dataclass(frozen=True, repr=False)
class Planned(PlanResult):
    """A plan, as :class:`~knowflow.service.results.PlanResult`, that a notebook shows as its drawing."""

    def __repr__(self) -> str:
        return f"<Plan of {len(self.plan.workflow)} nodes: {plain(self.plan.title or self.plan.query)}>"

    def _repr_html_(self) -> str:
        from knowflow.roof.drawing import draw

        told = _items(self.plan.assumptions)
        page = "<div class='knowflow'><p><b>{}</b></p>{}<ul>{}</ul></div>"
        return str(Markup(page).format(self.plan.title, Markup(draw(self.plan)), told))


def _items(said: Iterable[object]) -> Markup:
    return Markup("").join(Markup("<li>{}</li>").format(plain(one)) for one in said)


def _told(answer: Any) -> str:
    return number(answer) if isinstance(answer, (int, float)) and not isinstance(answer, bool) else plain(answer)


def _shown(one: Shown) -> Markup:
    """The first figure of an output, else its table."""
    if one.figures:
        return Markup("<div>{}</div><p class='soft'>{}</p>").format(one.figures[0].svg, one.figures[0].caption)
    if one.table is None:
        return Markup("")
    cells = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(Markup("<td>{}</td>").format(cell) for cell in row))
        for row in one.table.rows
    )
    head = Markup("").join(Markup("<th>{}</th>").format(name) for name in one.table.columns)
    return Markup("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>").format(head, cells)
