from __future__ import annotations

import base64
import re
import sys
from dataclasses import replace
from datetime import date, timedelta
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
import rasterio
from example_runs import raster, write_raster
from hypothesis import assume, given
from hypothesis import strategies as st
from matplotlib.ticker import MaxNLocator

from knowflow import KnowFlow
from knowflow.ground.colours import class_colours
from knowflow.ground.kept import forget
from knowflow.ground.kept_values import kept_values
from knowflow.model.artifact import Artifact, scalar, series
from knowflow.model.facts import Facts, Origin
from knowflow.model.plan import Assumption, Plan
from knowflow.model.template import Scene
from knowflow.model.trace import Trace
from knowflow.model.workflow import Workflow
from knowflow.question.operators import Beyond, Number, Quantity, Show
from knowflow.roof.report import render_report
from knowflow.roof.report.answer import trend_told
from knowflow.roof.report.behind import numbers_behind
from knowflow.roof.report.maps import draw_map, map_picture
from knowflow.roof.report.of_question import OfQuestion, of_question
from knowflow.roof.report.picture import MOST_PIXELS, read_picture
from knowflow.roof.report.ticks import nice_ticks, tick_labels
from knowflow.testing.scenes import write_scene


class Page(HTMLParser):
    """The text of a page, its tags, and every address it refers to."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.tags, self.addresses = "", [], []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "action")]

    def handle_data(self, data: str) -> None:
        self.text += data


def page_of(trace: Trace, folder: Path) -> Page:
    path = render_report(trace, folder / "report.html", delivered=trace.delivered)
    return Page(path.read_text("utf-8"))


def tiny(outputs: dict[str, Artifact], **changes: object) -> Trace:
    plan = Plan("question?", "t", Workflow(), title="Title")
    return replace(Trace("run", plan, "completed", outputs=outputs, started=0.0, finished=1.0), **changes)  # type: ignore[arg-type]


def test_question_and_answer_come_first_then_what_was_assumed(completed: Trace, tmp_path: Path) -> None:
    text = page_of(completed, tmp_path).text
    places = [
        text.index(part) for part in ("How did the vegetation", "−0.00734", "What was assumed", "How it was computed")
    ]
    assert places[1:] == sorted(places[1:])
    assert "year⁻¹" in text
    assert "Sentinel-2), 4 January 2021 to 15 December 2021" in text


def test_the_answer_its_picture_and_its_caveats_stand_before_what_is_folded(completed: Trace, tmp_path: Path) -> None:
    told = replace(completed, notes=("2 of 12 dates do not count",))
    html = render_report(told, tmp_path / "report.html", delivered={}).read_text("utf-8")
    answer, folded = html.split("<details>", 1)
    for part in ("What was assumed", "Good to know", "2 of 12 dates do not count", "<figure>"):
        assert part in answer, part
    for part in ("Every step", "Quality conditions", "Numbers", "Decisions", "Versions"):
        assert part in folded, part
        assert f">{part}<" not in answer, part


def test_a_map_says_of_what_it_is_in_the_words_of_the_question(tmp_path: Path) -> None:
    values = np.linspace(0, 1, 100, dtype="float32").reshape(10, 10)
    (tmp_path / "data").mkdir()
    write_raster(tmp_path / "data" / "ndvi_2021-07-01.tif", values)
    asked = Show(Beyond(Quantity("ndvi"), "above", Number(0.6)), "map")
    result = KnowFlow(home=tmp_path / "home").run(asked, tmp_path / "data", out=tmp_path / "out")
    assert result.report is not None
    html = Path(result.report).read_text("utf-8")
    for told in ("Where NDVI is above 0.6", "NDVI is above 0.6 · 1.6 ha, 40 %", "elsewhere · 2.4 ha, 60 %"):
        assert told in html
    assert "inside ·" not in html


def test_a_report_has_what_is_told_of_the_plan_and_its_steps_in_words(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for folder, level in (("one", 0.0), ("two", 0.5)):
        (tmp_path / "data" / folder).mkdir()
        write_raster(tmp_path / f"data/{folder}/ndvi_2021-07-01.tif", np.full((10, 10), level, dtype="float32"))
    result = KnowFlow(home=tmp_path / "home").run("What was the mean NDVI?", tmp_path / "data", out=tmp_path / "out")
    (note,) = (one for one in result.notes if "not used: two/ndvi_2021-07-01.tif" in one)
    assert result.report is not None
    html = Path(result.report).read_text("utf-8")
    assert note in unescape(html)
    steps = re.findall(r'<span class="step-name">([^<]+)</span> <span class="soft">', html)
    assert "One statistic of a raster, 2021-07-01" in steps
    assert result.trace is not None
    assert not {node.id for node in result.trace.plan.workflow.nodes} & set(steps)


def test_dates_without_a_value_are_marked_and_counted(tmp_path: Path) -> None:
    known = [0.2, None, 0.5, 0.4, None, 0.1]
    rows = [{"date": f"2017-0{month}-11", "mean": value} for month, value in enumerate(known, 1)]
    made = Artifact("table", Facts(), value=rows)
    html = render_report(tiny({"answer": made}), tmp_path / "report.html", delivered={}).read_text("utf-8")
    assert (html.count('class="fig-point"'), html.count('class="fig-none"')) == (4, 2)
    assert "Title: mean over time. Marks at the foot: 2 dates without a value." in html


def test_a_table_by_date_and_name_has_a_line_for_each_name(tmp_path: Path) -> None:
    days = [f"2017-0{month}-11" for month in range(1, 6)]
    rows = [{"name": name, "date": day, "mean": at / 10} for name in ("oak", "road") for at, day in enumerate(days)]
    html = render_report(tiny({"answer": Artifact("table", Facts(), value=rows)}), tmp_path / "r.html", delivered={})
    svg = html.read_text("utf-8").split('class="fig"')[1].split("</svg>")[0]
    lines = re.findall(r'class="fig-line" d="([^"]+)" style="stroke:(rgb\([^"]+\))"', svg)
    assert [path.count("L") for path, _ in lines] == [4, 4]
    assert len({colour for _, colour in lines}) == 2
    for name in ("oak", "road"):
        assert f">{name}</text>" in svg
    many = [{**row, "name": f"{row['name']} {at}"} for at in range(5) for row in rows]
    page = page_of(tiny({"answer": Artifact("table", Facts(), value=many)}), tmp_path)
    assert "svg" not in page.tags[: page.tags.index("table")], "ten lines are told apart by nobody"


def test_the_numbers_behind_a_trend_are_drawn_with_its_line_and_interval(tmp_path: Path) -> None:
    """The line is numpy's: through the means, at its slope."""
    (tmp_path / "data").mkdir()
    days = [date(2018, 6, 1) + timedelta(days=91 * step) for step in range(9)]
    levels = [0.3 + 0.02 * step + 0.01 * (-1) ** step for step in range(9)]
    for day, level in zip(days, levels, strict=True):
        write_raster(tmp_path / "data" / f"ndvi_{day}.tif", np.full((6, 6), level, dtype="float32"))
    question = "What was the trend of the mean NDVI?"
    result = KnowFlow(home=tmp_path / "home").run(question, tmp_path / "data", out=tmp_path / "out")
    (one,) = numbers_behind(result.trace)
    years = [(day - days[0]).days / 365.25 for day in days]
    assert one.told == "the mean of NDVI over the area"
    assert one.values == pytest.approx(levels, abs=1e-6)
    assert one.line is not None
    assert one.line.slope == pytest.approx(np.polyfit(years, levels, 1)[0], rel=1e-3)
    assert one.line.lower < one.line.slope < one.line.upper
    value, interval = trend_told(result.trace)
    assert float(value) == pytest.approx(one.line.slope, rel=1e-3, abs=(one.line.upper - one.line.lower) / 20)
    assert interval.startswith("95 % interval 0.0")
    assert result.report is not None
    html = Path(result.report).read_text("utf-8")
    assert "The mean of NDVI over the area, on each date. Dashed: the trend, grey: its 95 % interval." in html
    ends = [float(y) for y in re.search(r'fig-trend" d="M[\d.]+ ([\d.]+)L[\d.]+ ([\d.]+)"', html).groups()]  # type: ignore[union-attr]
    points = [float(y) for y in re.findall(r'fig-point" cx="[\d.]+" cy="([\d.]+)"', html)]
    assert sum(ends) / 2 == pytest.approx(sum(points) / len(points), abs=0.2)
    assert ends[0] > ends[1]  # upwards on the page


def test_a_table_by_name_is_drawn_as_bars_from_zero(tmp_path: Path) -> None:
    rows = [{"class": "forest", "mean": 0.5}, {"class": "water", "mean": -0.25}, {"class": "rock", "mean": None}]
    made = Artifact("table", Facts(), value=[*rows, {"class": "fields", "mean": 0.25}])
    html = render_report(tiny({"answer": made}), tmp_path / "report.html", delivered={}).read_text("utf-8")
    widths = [float(one) for one in re.findall(r'fig-column" x="[\d.]+" y="[\d.]+" width="([\d.]+)"', html)]
    assert [width / widths[0] for width in widths] == pytest.approx([1, 0.5, 0.5], abs=0.01)
    assert "no value" in html
    assert "<figcaption>Title.</figcaption>" in html


def test_what_stands_beside_the_first_output_is_folded_where_one_thing_was_asked(tmp_path: Path) -> None:
    values = np.arange(25, dtype="float32").reshape(5, 5)
    made = {name: raster(write_raster(tmp_path / f"{name}.tif", values), "ndvi", "1") for name in ("map", "tau")}
    html = render_report(tiny(made), tmp_path / "report.html", delivered={}).read_text("utf-8")
    open_, folded = html.split("<details>", 1)
    assert (open_.count('class="fig fig-map"'), folded.count('class="fig fig-map"')) == (1, 1)
    assert "Also made</h2>" in folded


def test_the_page_needs_nothing_but_itself(completed: Trace, tmp_path: Path) -> None:
    page = page_of(completed, tmp_path)
    assert not {"script", "link", "iframe", "object", "embed", "form"} & set(page.tags)
    assert [a for a in page.addresses if not a.startswith("data:image/png;base64,")] == [completed.ui]


def test_files_beside_the_report_are_linked_relatively(completed: Trace) -> None:
    folder = Path(completed.delivered["trend"]).parent
    assert "trend.tif" in page_of(completed, folder).addresses


def test_a_page_with_a_map_is_made_without_the_libraries_that_its_parts_were_once_made_with(
    completed: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_raster(tmp_path / "x.tif", np.arange(12.0, dtype="float32").reshape(3, 4))
    trace = replace(tiny({"map": raster(path, "ndvi", "1")}), plan=completed.plan, records=completed.records)
    pages = []
    for made in ("first", "then"):
        if made == "then":
            for library in ("matplotlib", "networkx", "jinja2.compiler"):
                monkeypatch.setitem(sys.modules, library, None)
        forget()
        with kept_values(tmp_path):
            pages.append(render_report(trace, tmp_path / "report.html", delivered={}).read_text("utf-8"))
    assert pages[0] == pages[1]
    assert "data:image/png" in pages[0]


def test_colours_are_those_of_matplotlib(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "x.tif", np.arange(12.0, dtype="float32").reshape(3, 4))
    stops = read_picture(raster(path, "ndvi", "1"), str(path)).stops
    ramp = matplotlib.colormaps["YlGn"](np.linspace(0, 1, 254), bytes=True)[:, :3]
    assert np.abs(np.array(stops) - ramp.astype(int)).max() <= 2
    assert len(stops) == 254


def test_names_and_messages_are_data_never_markup(failed: Trace, tmp_path: Path) -> None:
    page = page_of(failed, tmp_path)
    assert "b" not in page.tags[: page.tags.index("section")]
    assert "<b>here</b>" in page.text
    assert "<script>alert(1)</script>" in page.text


def test_hostile_facts_tags_and_file_names_are_escaped_everywhere(tmp_path: Path) -> None:
    evil = '"><img src=x onerror=alert(1)>\x1b\ud800'
    path = write_raster(tmp_path / "x.tif", np.arange(12.0, dtype="float32").reshape(3, 4))
    item = raster(path, evil, evil, sensor=evil, datetime=evil)
    table = Artifact("table", value=({evil: evil, "n": 1},))
    assumption = Assumption(evil, evil, evil, evil)
    trace = tiny({evil: item, "t": table, "s": scalar(evil)})
    trace = replace(trace, plan=replace(trace.plan, query=evil, inputs={evil: item}, assumptions=(assumption,)))
    page = page_of(replace(trace, run_id=evil, ui="javascript:alert(1)", delivered={evil: evil}), tmp_path)
    assert "img" not in page.tags
    assert all(a.startswith("data:") or "alert" not in a for a in page.addresses)


def test_a_failed_run_says_what_went_wrong_what_to_do_and_what_was_not_started(failed: Trace, tmp_path: Path) -> None:
    text = page_of(failed, tmp_path).text
    assert "What went wrong" in text
    assert "the trend is not physical" in text
    assert "a scene was probably not scaled: --assume scale=0.0001" in text
    assert "not started" in text


def test_inserted_nodes_decisions_checks_and_provenance_are_told(completed: Trace, tmp_path: Path) -> None:
    text = page_of(completed, tmp_path).text
    for part in (
        "lies on another grid",
        "loses information: resampling smooths values",
        "not ndvi_given: no file holds ndvi",
        "finite_fraction(output) is 0.962",
        "9 from cache, 3 done",
        "S2_2021-01-04_L2A.tif",
        "wasGeneratedBy align (align_to)",
        "trend wasDerivedFrom trend",
    ):
        assert part in text, part


def test_a_dated_table_is_also_drawn_over_time(completed: Trace, tmp_path: Path) -> None:
    page = page_of(completed, tmp_path)
    assert "Mean over time." in page.text
    assert "Valid fraction over time." in page.text


def test_long_tables_are_cut_and_the_file_named(tmp_path: Path) -> None:
    (tmp_path / "zones.csv").write_text("zone,mean\n" + "".join(f"{i},{i / 7}\n" for i in range(1000)))
    zones = Artifact("table", path=str(tmp_path / "zones.csv"))
    page = page_of(tiny({"zones": zones}, delivered={"zones": str(tmp_path / "zones.csv")}), tmp_path)
    assert page.tags.count("tr") == 1 + 25
    assert "975 more rows in zones.csv" in page.text


def test_an_output_that_cannot_be_read_does_not_stop_the_report(tmp_path: Path) -> None:
    (tmp_path / "broken.tif").write_bytes(b"II*\x00 not a raster")
    empty = write_raster(tmp_path / "empty.tif", np.full((4, 4), np.nan, "float32"))
    outputs = {
        "broken": Artifact("raster", path=str(tmp_path / "broken.tif")),
        "gone": Artifact("raster", path=str(tmp_path / "gone.tif")),
        "empty": raster(empty, "ndvi", "1"),
        "answer": scalar(4),
    }
    text = page_of(tiny(outputs), tmp_path).text
    assert text.count("Not shown:") == 3
    assert "every pixel is nodata" in text


def test_a_series_shows_its_first_and_last_maps_and_its_mean_over_time(tmp_path: Path) -> None:
    items = []
    for month in range(1, 11):
        values = np.full((5, 5), month / 10, "float32") + np.arange(25, dtype="float32").reshape(5, 5) / 100
        path = write_raster(tmp_path / f"{month}.tif", values)
        items.append(raster(path, "ndvi", "1", datetime=f"2021-{month:02d}-01", mean=float(values.mean())))
    page = page_of(tiny({"maps": series(tuple(items))}), tmp_path)
    bars = (tmp_path / "report.html").read_text("utf-8").split("</linearGradient>")[1:]
    labels = [re.findall(r">([\d.−]+)</text>", bar.split("</svg>")[0]) for bar in bars]
    assert labels == [labels[0]] * 6
    assert page.tags.count("image") == 6
    assert "10 rasters; the first and last 3 are shown." in page.text
    assert "Mean of each raster over time." in page.text


def test_no_half_written_report_is_left_behind(completed: Trace, tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    with pytest.raises(OSError, match=r"report\.html"):
        render_report(completed, tmp_path / "report.html", delivered={})
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_large_rasters_are_read_decimated(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "large.tif", np.ones((2000, 3000), "uint8"), nodata=0)
    picture = read_picture(raster(path, "ndvi", "1"), str(path))
    assert max(picture.values.shape) == MOST_PIXELS
    assert picture.shape == (2000, 3000)
    assert picture.step == pytest.approx(3000 / MOST_PIXELS)


def test_nodata_is_transparent_and_nothing_else_is(tmp_path: Path) -> None:
    values = np.linspace(0, 1, 12, dtype="float32").reshape(3, 4)
    values[0, 0] = np.nan
    path = write_raster(tmp_path / "x.tif", values)
    png = base64.b64decode(read_picture(raster(path, "ndvi", "1"), str(path)).png.split(",")[1])
    (tmp_path / "x.png").write_bytes(png)
    with pytest.warns(rasterio.errors.NotGeoreferencedWarning):
        source = rasterio.open(tmp_path / "x.png")
    with source:
        palette = source.colormap(1)
        alpha = np.vectorize(lambda index: palette[index][3])(source.read(1))
    assert (alpha == 0).sum() == 1
    assert alpha[0, 0] == 0


def test_facts_go_before_the_header(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "x.tif", np.array([[0, 5000], [9999, 10000]], "uint16"), nodata=None)
    artifact = raster(path, "surface_bidirectional_reflectance", "1", nodata=9999, scale=0.0001, offset=-0.1)
    picture = read_picture(artifact, str(path))
    assert np.isnan(picture.values[1, 0])
    assert picture.values[0, 1] == pytest.approx(0.4)
    assert picture.extremes == pytest.approx((-0.1, 0.9))


def test_masks_get_named_classes_with_their_shares(steep: Trace) -> None:
    mask = steep.outputs["map"]
    picture = read_picture(mask, str(mask.path))
    assert [one.name for one in picture.classes] == ["outside", "inside"]
    assert sum(one.share for one in picture.classes) == pytest.approx(1)


def test_a_change_of_one_sign_keeps_zero_in_the_middle_and_the_colours_of_what_changed(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "x.tif", np.linspace(0.1, 0.3, 100, dtype="float32").reshape(10, 10))
    grown = read_picture(raster(path, "difference", "1"), str(path), OfQuestion("NDVI", family="vegetation"))
    assert grown.limits[0] == -grown.limits[1] < 0
    assert grown.stops[-1][1] > grown.stops[-1][0], "more vegetation is green"
    warmer = read_picture(raster(path, "temperature_difference", "K"), str(path))
    assert warmer.stops[-1][0] > warmer.stops[-1][2], "more heat is red"


def test_classes_have_the_colours_that_files_have(tmp_path: Path) -> None:
    codes = np.tile(np.array([[0, 1, 2, 3]], dtype="uint8"), (4, 1))
    path = write_raster(tmp_path / "x.tif", codes, nodata=None)
    names = ((1, "forest"), (2, "water"), (3, "artificial surface"))
    picture = read_picture(raster(path, "land_cover_class", "1", classes=names), str(path))
    colours = {one.name: one.colour for one in picture.classes}
    own = class_colours({**dict(names), 0: "0"})
    assert colours == {name: own[code] for code, name in ((0, "0"), *names)}
    assert len(set(colours.values())) == 4
    assert max(colours["0"]) - min(colours["0"]) < 10, "what has no name is grey"


def test_signed_quantities_get_colours_even_about_zero(completed: Trace) -> None:
    trend = completed.outputs["trend"]
    low, high = read_picture(trend, str(trend.path)).limits
    assert low == -high


def scale_bar(svg: str) -> tuple[float, str]:
    wide = float(re.findall(r'class="fig-scale" d="M[\d. ]+v8h([\d.]+)', svg)[0])
    return wide, re.findall(r"([\d.,]+ k?m)</text>", svg)[0]


def test_the_scale_bar_is_right_in_a_projected_crs(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "x.tif", np.random.default_rng(0).random((100, 100), "float32"), pixel=20.0)
    artifact = raster(path, "ndvi", "1")
    picture = read_picture(artifact, str(path))
    svg = draw_map(picture, "t", "1")
    wide, label = scale_bar(svg)
    frame = float(re.findall(r'class="fig-frame" x="[\d.]+" y="[\d.]+" width="([\d.]+)"', svg)[0])
    assert label == "500 m"
    assert wide / frame * 2000 == pytest.approx(500, rel=0.002)


def test_the_scale_bar_is_geodesic_where_the_crs_is_in_degrees(tmp_path: Path) -> None:
    values = np.random.default_rng(0).random((100, 100), "float32")
    path = write_raster(tmp_path / "x.tif", values, crs="EPSG:4326", origin=(10.0, 60.5), pixel=0.01)
    svg = draw_map(read_picture(raster(path, "ndvi", "1"), str(path)), "t", "1")
    wide, label = scale_bar(svg)
    frame = float(re.findall(r'class="fig-frame" x="[\d.]+" y="[\d.]+" width="([\d.]+)"', svg)[0])
    kilometres = 111.32 * np.cos(np.radians(60.0))  # one degree of longitude at 60 N, sphere
    assert float(label.split()[0]) / (wide / frame) == pytest.approx(kilometres, rel=0.01)
    assert "°E" in svg
    assert "°N" in svg


def test_without_georeference_there_is_no_scale_and_no_north(tmp_path: Path) -> None:
    values = np.random.default_rng(0).random((9, 9), "float32")
    with pytest.warns(rasterio.errors.NotGeoreferencedWarning):
        path = write_raster(tmp_path / "x.tif", values, crs=None)
    artifact = Artifact("raster", Facts.of(Origin.DECLARED, quantity="ndvi"), path=str(path))
    svg = draw_map(read_picture(artifact, str(path)), "t", "1")
    assert "fig-scale" not in svg
    assert "fig-north" not in svg
    assert "The raster has no georeference" in page_of(tiny({"map": artifact}), tmp_path).text


def test_a_map_can_stand_alone(completed: Trace) -> None:
    root = ElementTree.fromstring(map_picture(completed.outputs["trend"]))
    assert any(element.tag.endswith("style") for element in root)
    assert "Trend" in "".join(root.itertext())


def test_a_place_that_was_assumed_is_not_shown_as_one(steep: Trace, tmp_path: Path) -> None:
    dem = steep.plan.inputs["dem"]
    facts = dem.facts.put("transform", dem.fact("transform"), Origin.USER, "--assume resolution")
    assumed = replace(steep, plan=replace(steep.plan, inputs={"dem": dem.with_facts(facts)}))
    for trace, shown in ((steep, True), (assumed, False)):
        page = page_of(trace, tmp_path)
        html = (tmp_path / "report.html").read_text("utf-8")
        assert ("fig-north" in html.split("</style>")[1]) is shown
        assert ("84.4°W" in page.text) is shown
        assert ("where they lie is not known" in page.text) is not shown


def test_north_follows_the_grid(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "x.tif", np.random.default_rng(0).random((9, 9), "float32"))
    rotated = raster(path, "ndvi", "1").with_facts(
        raster(path, "ndvi", "1").facts.put("transform", (0.0, 20.0, 465000.0, 20.0, 0.0, 5080000.0), Origin.USER)
    )
    svg = draw_map(read_picture(rotated, str(path)), "t", "1")
    (angle,) = re.findall(r"rotate\((-?[\d.]+)\)\"><path class=\"fig-north\"", svg)
    assert float(angle) == pytest.approx(90, abs=1)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 6))
def test_ticks_are_where_matplotlib_has_them(low: float, width: float, most: int) -> None:
    high = low + width
    steps = [digits * 10.0**power for power in range(-6, 8) for digits in (1, 2, 2.5, 5)]
    assume(min(abs(step * most / (high - low) - 1) for step in steps) > 1e-6)  # else both of two steps are right
    ticks = MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    assume(all(min(abs(one - low), abs(one - high)) > 1e-6 * width for one in ticks))
    expected = [one for one in ticks if low <= one <= high]
    assert nice_ticks(low, high, most) == pytest.approx(expected, rel=1e-9, abs=1e-9 * width)


def test_tick_labels_have_the_decimals_their_distance_needs() -> None:
    assert tick_labels([0.0, 0.25, 0.5]) == ["0.00", "0.25", "0.50"]
    assert tick_labels([5080000.0, 5082000.0]) == ["5,080,000", "5,082,000"]
    assert tick_labels([-0.02, 0.0]) == ["−0.02", "0.00"]


def test_an_exact_histogram_of_the_writer_is_preferred(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "x.tif", np.random.default_rng(0).random((9, 9), "float32"))
    exact = raster(path, "ndvi", "1", histogram=((0.0, 0.25, 0.5, 1.0), (1, 3, 0)))
    html = render_report(tiny({"map": exact}), tmp_path / "r.html", delivered={}).read_text("utf-8")
    assert "0.25 to 0.5: 75 %" in html
    assert "0.5 to 1" not in html


def test_the_histogram_that_the_writer_left_in_the_file_is_used(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "x.tif", np.random.default_rng(0).random((9, 9), "float32"))
    with rasterio.open(path, "r+") as out:
        out.update_tags(1, KNOWFLOW_HISTOGRAM="[[0, 0.25, 0.5, 1], [1, 3, 0]]")
    html = render_report(tiny({"map": raster(path, "ndvi", "1")}), tmp_path / "r.html", delivered={})
    assert "0.25 to 0.5: 75 %" in html.read_text("utf-8")


def test_an_answer_in_square_metres_is_also_given_in_hectares(steep: Trace, tmp_path: Path) -> None:
    assert "12,346 ha, 123.5 km²" in page_of(steep, tmp_path).text


def test_the_answer_that_was_asked_for_comes_before_the_other_numbers(steep: Trace, tmp_path: Path) -> None:
    share = scalar(0.25, Facts.of(Origin.DERIVED, quantity="share", unit="1"))
    trace = replace(steep, outputs={"share": share, **steep.outputs})
    text = page_of(trace, tmp_path).text
    assert text.index("123,456,789") < text.index("(25\u00a0%)")


def test_a_run_without_an_answer_lists_its_files(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "x.tif", np.random.default_rng(0).random((9, 9), "float32"))
    facts = Facts.of(Origin.DERIVED, quantity="ndvi")
    item = Artifact("raster", facts, path=str(path))
    page = page_of(tiny({"map": item}, delivered={"map": str(path)}), tmp_path)
    assert "File: x.tif" in page.text
    assert "x.tif" in page.addresses


def html_of(trace: Trace, folder: Path) -> str:
    return render_report(trace, folder / "report.html", delivered={}).read_text("utf-8")


def test_a_repair_is_told_with_the_failed_attempt_the_cause_the_edit_and_both_drawings(
    repaired: Trace, tmp_path: Path
) -> None:
    page = html_of(repaired, tmp_path)
    for part in (
        "What was changed on the way",
        "by the rule align_grids",
        "the rasters are on different grids; expected same_grid(bands), found red is on EPSG:32632",
        "<b>rasters on different grids</b>",
        "Insert align_to (align) before product[2021-08-11].bands.red",
        "bands that are combined must lie on the same grid",
        "insert_tool(&#39;align_to&#39;)",
        "resampling smooths values",
        "1,234 tokens",
        "Refused before it",
        "by a person",
    ):
        assert part in page, part
    section = page.split("What was changed on the way")[1].split("</section>")[0]
    assert section.count("<svg") == 4, "before and after, of each repair"
    before, after = section.split("<svg")[1:3]
    assert "kf-failed" in before
    assert "align_to" not in before.split("<style>")[0] + before.split("</style>")[1]
    assert "kf-marked" in after.split("</style>")[1]
    assert "kf-failed" not in after.split("</style>")[1]


def test_what_a_model_or_a_refusal_says_is_data_in_the_report(repaired: Trace, hopeless: Trace, tmp_path: Path) -> None:
    page = html_of(repaired, tmp_path) + html_of(hopeless, tmp_path)
    for hostile in ("<b>everything", "<i>magic", "<b>it"):
        assert hostile not in page
        assert hostile.replace("<", "&lt;").replace(">", "&gt;") in page


def test_a_failure_that_was_given_up_says_its_cause_and_what_a_user_can_do(hopeless: Trace, tmp_path: Path) -> None:
    page = html_of(hopeless, tmp_path)
    for part in (
        "Diagnosis",
        "<p>values of the scene: 12 to 9875, expected 0..1 (measured)</p>",
        "Stored numbers that were not scaled (probably)",
        "stored numbers that were not scaled",
        "(probably)",
        "values of the scene: 12 to 9875, expected 0..1 (measured)",
        "What to do: say the factor",
        "Repairs that were proposed and refused",
    ):
        assert part in page, part


def test_a_repair_is_told_in_one_sentence_without_names_of_steps_and_its_details_are_folded(
    repaired: Trace, tmp_path: Path
) -> None:
    answer, folded = html_of(repaired, tmp_path).split("<details>", 1)
    sentence = (
        "Repaired: Rasters on different grids: bands that are combined must lie on the same grid; "
        "given up: resampling smooths values."
    )
    assert sentence in answer
    assert "product[" not in answer
    assert "What was changed on the way" in folded


def test_a_run_without_a_fault_has_no_section_on_repairs(completed: Trace, tmp_path: Path) -> None:
    assert 'id="repairs"' not in html_of(completed, tmp_path)


def test_a_map_of_what_is_so_lies_over_the_scene_that_it_was_told_from(tmp_path: Path) -> None:
    values = np.linspace(0, 1, 100, dtype="float32").reshape(10, 10)
    (tmp_path / "data").mkdir()
    write_raster(tmp_path / "data" / "ndvi_2021-07-01.tif", values)
    result = KnowFlow(home=tmp_path / "home").run(
        "Map where NDVI is above 0.6", tmp_path / "data", out=tmp_path / "out"
    )
    assert result.report is not None
    html = Path(result.report).read_text("utf-8")
    below, above = (decoded(one) for one in re.findall(r'href="data:image/png;base64,([^"]+)"', html)[:2])
    assert (below[..., 3] == 255).all()
    assert (below[..., 0] == below[..., 2]).all()
    assert (np.diff(below[..., 0].ravel().astype(int)) >= 0).all()
    np.testing.assert_array_equal(above[..., 3] == 255, values > 0.6)


def test_a_number_of_one_date_is_shown_with_the_field_that_it_is_of(tmp_path: Path) -> None:
    values = np.linspace(0, 1, 100, dtype="float32").reshape(10, 10)
    (tmp_path / "data").mkdir()
    write_raster(tmp_path / "data" / "ndvi_2021-07-01.tif", values)
    flow = KnowFlow(home=tmp_path / "home")
    html = {}
    for question in ("What was the mean NDVI on 2021-07-01?", "How large is the area with NDVI above 0.6?"):
        result = flow.run(question, tmp_path / "data", out=tmp_path / "out")
        assert result.report is not None
        html[question] = Path(result.report).read_text("utf-8")
    assert [page.count('class="fig fig-map"') for page in html.values()] == [1, 1], "a map that is an output is enough"
    page = html["What was the mean NDVI on 2021-07-01?"]
    assert "0.5" in Page(page).text
    assert '<span class="day">2021-07-01</span>?</h1>' in page
    assert "From 1 file (NDVI), 1 July 2021; about 0.2 × 0.2 km at " in page


def test_a_map_is_told_in_the_words_of_the_question_and_not_of_what_it_is_defined_by(tmp_path: Path) -> None:
    data = tmp_path / "data"
    layer = {
        "name": "S2",
        "quantity": "surface_bidirectional_reflectance",
        "sensor": "sentinel-2",
        "bands": {"green": "where(x < 0.2 + 0.2 * i, 0.1, 0.05)", "swir16": "where(x < 0.2 + 0.2 * i, 0.02, 0.3)"},
        "dates": ["2021-07-05", "2021-07-20"],
    }
    write_scene(Scene.model_validate({"size": [10, 10], "layers": [layer]}), data)
    flow = KnowFlow(home=tmp_path / "home")
    titles = []
    for question in (
        "How many hectares were flooded in July 2021?",
        "Map of the change in MNDWI between 2021-07-05 and 2021-07-20",
    ):
        result = flow.run(question, data, out=tmp_path / "out")
        assert result.trace is not None, result.error
        shown = of_question(result.trace.plan, "map")
        titles.append(None if shown is None else shown.title)
    assert titles == [
        "Where there is flood in July 2021",
        "Difference of MNDWI on 20 July 2021 minus MNDWI on 5 July 2021",
    ]


def test_numbers_that_are_compared_with_a_limit_are_drawn_with_it(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for month in range(1, 6):
        path = tmp_path / "data" / f"ndvi_2021-{month:02d}-01.tif"
        write_raster(path, np.full((6, 6), month / 10, dtype="float32"))
    question = "On how many dates was the mean NDVI above 0.25?"
    result = KnowFlow(home=tmp_path / "home").run(question, tmp_path / "data", out=tmp_path / "out")
    assert (result.answer, [one.limits for one in numbers_behind(result.trace)]) == (3, [(0.25,)])
    assert result.report is not None
    html = Path(result.report).read_text("utf-8")
    assert html.count('class="fig-limit"') == 1
    assert ">NDVI</text>" in html
    assert "Line: 0.25." in html


def test_an_answer_of_two_dates_shows_both_in_one_scale_and_a_refusal_has_a_page_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for month in (6, 8):
        values = np.linspace(0.1, month / 10, 36, dtype="float32").reshape(6, 6)
        write_raster(tmp_path / "data" / f"ndvi_2021-0{month}-01.tif", values)
    flow = KnowFlow(home=tmp_path / "home")
    question = "Ratio of the mean NDVI on 1 August 2021 to the mean NDVI on 1 June 2021"
    html = Path(str(flow.run(question, tmp_path / "data", out=tmp_path / "out").report)).read_text("utf-8")
    captions = re.findall("<figcaption>([^.]*)", html)
    assert captions == [f"Normalized Difference Vegetation Index, 2021-0{month}-01" for month in (6, 8)]
    assert html.count(">0.6</text>") == 2, "June alone would end below 0.6"
    refused = flow.run("What was the mean NDVI in 1999?", tmp_path / "data", out=tmp_path / "out")
    page = Path(str(refused.report))
    assert page.is_relative_to(tmp_path / "home"), "the results of the run before keep their report"
    html = page.read_text("utf-8")
    assert "no data of 1999-01-01 to 1999-12-31 answer this" in html
    assert "These data can answer" in html
    assert "How it was computed" not in html


def decoded(png: str) -> np.ndarray:
    """The pixels of a PNG, (rows, columns, 4)."""
    from rasterio.io import MemoryFile

    with MemoryFile(base64.b64decode(png)) as memory, memory.open() as source:
        palette, indices = source.colormap(1), source.read(1)
    return np.array([palette[index] for index in range(256)], dtype=np.uint8)[indices]
