"""Features of vector files as the objects of questions: random expressions against the interpreter, and in words."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import shapely
from affine import Affine

from knowflow import KnowFlow
from knowflow.ground.errors import PlanningError
from knowflow.ground.vectors import write
from knowflow.question.check import check
from knowflow.question.form import expression_of, to_data
from knowflow.question.operators import (
    Attribute,
    Beyond,
    Distance,
    Expression,
    Extreme,
    Holds,
    Not,
    Number,
    Outline,
    Over,
    Polygons,
    Quantity,
    Split,
    Within,
)
from knowflow.question.words import in_words
from knowflow.testing.interpreter.evaluate import evaluate
from knowflow.testing.interpreter.features import Feature
from knowflow.testing.interpreter.values import Layer, OutsideError, Scene

WEST, NORTH, PIXEL, SIDE = 680_000.0, 5_100_000.0, 50.0, 20  # where the metres of the map are those of the ground
CRS = "EPSG:32633"


def corners(*xy: tuple[float, float]) -> Any:
    return np.array([(WEST + x, NORTH - y) for x, y in xy])


def box(x: float, y: float, size: float) -> Any:
    return corners((x, y), (x + size, y), (x + size, y + size), (x, y + size))


FEATURES: dict[str, tuple[Feature, ...]] = {
    "mountain_huts": tuple(
        Feature(name, "point", (corners(at),), {"beds": beds, "height_m": tall}, {"kind": use})
        for name, at, beds, tall, use in (
            ("Alm", (120, 130), 12, 4.5, "private"),
            ("Berg", (430, 210), 30, 7.0, "club"),
            ("Dorf", (610, 780), 8, 5.5, "club"),
            ("Egg", (905, 415), 21, 9.0, "private"),
        )
    ),
    "ski_runs": tuple(
        Feature(name, "line", (corners(*way),), {}, {"kind": colour})
        for name, way, colour in (
            ("Falcon", ((50, 90), (420, 260), (700, 300)), "red"),
            ("Gully", ((800, 100), (760, 600), (500, 900)), "blue"),
            ("Hare", ((90, 900), (330, 520)), "red"),
        )
    ),
    "lakes": (
        Feature("Mirror Lake", "polygon", (box(350, 150, 200),), {"depth_m": 12.0}),
        Feature("Long Lake", "polygon", (corners((650, 500), (900, 560), (820, 850), (600, 800)),), {"depth_m": 31.0}),
    ),
    "parishes": (
        Feature("Upper", "polygon", (box(0, 0, 500),), {}),
        Feature("Lower", "polygon", (box(500, 450, 450),), {}),
    ),
}
HEIGHTS = (np.add.outer(np.arange(SIDE) * 13.0, np.arange(SIDE) * 29.0) % 211).astype(np.float64)
UPPER, LOWER = HEIGHTS[:10, :10].mean(), HEIGHTS[9:18, 10:19].mean()
_MIDDLES = (np.arange(SIDE) + 0.5) * PIXEL
PLACES = np.stack(np.meshgrid(WEST + _MIDDLES, NORTH - _MIDDLES), axis=-1)
SCENE = Scene(
    {"elevation": Layer(HEIGHTS)},
    np.full((SIDE, SIDE), PIXEL**2),
    np.full((SIDE, SIDE), 17.3),
    np.full((SIDE, SIDE), 46.0),
    features=FEATURES,
    places=PLACES,
)
SORTS = (Polygons(by="kind", layer="mountain_huts"), Polygons(by="kind", layer="ski_runs"))
SHAPES = {"point": shapely.Point, "line": shapely.LineString, "polygon": shapely.Polygon}


def write_layer(path: Path, layer: tuple[Feature, ...]) -> None:
    columns: dict[str, list[Any]] = {"name": [one.name for one in layer]}
    columns |= {name: [one.numbers[name] for one in layer] for name in layer[0].numbers}
    columns |= {"kind": [one.words["kind"] for one in layer]} if layer[0].words else {}
    shapes = [
        SHAPES[one.kind](one.parts[0][0] if one.kind == "point" else one.parts[0])  # type: ignore[abstract]
        for one in layer
    ]
    data = [np.array(one, dtype=object if isinstance(one[0], str) else np.float64) for one in columns.values()]
    geometry = np.array(shapely.to_wkb(shapes), dtype=object)
    kind = shapes[0].geom_type
    write(path, geometry=geometry, field_data=data, fields=list(columns), crs=CRS, geometry_type=kind, driver="GPKG")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("valley")
    place = Affine(PIXEL, 0, WEST, 0, -PIXEL, NORTH)
    with rasterio.open(data / "elevation.tif", "w", "GTiff", SIDE, SIDE, 1, CRS, place, "float32") as file:
        file.write(HEIGHTS.astype(np.float32), 1)
        file.update_tags(QUANTITY="elevation", UNIT="m")
    for name, layer in FEATURES.items():
        write_layer(data / f"{name}.gpkg", layer)
    return data


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> KnowFlow:
    return KnowFlow(home=tmp_path_factory.mktemp("home"))


# --- random expressions -------------------------------------------------------------------------------------------


def features(rng: random.Random, kinds: tuple[str, ...] = ("point", "line", "polygon")) -> Expression:
    name = rng.choice([name for name, layer in FEATURES.items() if layer[0].kind in kinds])
    every = FEATURES[name]
    called = [(one.name,) for one in every] + [tuple(one.words.values()) for one in every if one.words]
    found: Expression = Polygons(rng.choice(called) if rng.random() < 0.3 else (), layer=name)
    if every[0].kind == "polygon" and "line" in kinds and rng.random() < 0.4:
        found = Outline(found)
    if every[0].numbers and rng.random() < 0.2:
        column = rng.choice(sorted(every[0].numbers))
        limit = Number(float(sorted(one.numbers[column] for one in every)[len(every) // 2]))
        side: Any = rng.choice(["above", "at_least", "below", "at_most"])
        found = Within(found, Holds(Beyond(Attribute(Polygons(layer=name), column), side, limit)))
    if rng.random() < 0.4:
        zones = Polygons(("Upper",) if rng.random() < 0.5 else (), layer="parishes")
        if every[0].kind == "point" and rng.random() < 0.5:
            found = Within(found, Beyond(Quantity("elevation"), "above", Number(100.0, "m")))
        elif name != "parishes":
            outside = every[0].kind == "point" and rng.random() < 0.3
            found = Within(found, Not(zones) if outside else zones)
    return found


def number(rng: random.Random) -> Expression:
    match rng.randrange(4):
        case 0:
            return Over(features(rng, ("polygon",)), "space", "area")
        case 1:
            return Over(features(rng, ("line",)), "space", "length")
        case 2:
            return Attribute(features(rng, ("point",)), rng.choice(["beds", "height_m"]))
    return Distance(features(rng), features(rng))


def whole(rng: random.Random) -> Expression:
    x = number(rng)
    own = check(x).type
    unit = "1" if own is None else own.measure.unit
    test = Beyond(x, rng.choice(["above", "at_most"]), Number(rng.choice([150.0, 420.0, 9_000.0, 70_000.0]), unit))  # type: ignore[arg-type]
    return rng.choice(
        [
            Over(features(rng, ("point",)), "objects", "count"),
            Over(Split(features(rng, ("point",)), Polygons(layer="parishes")), "objects", "count"),
            Over(Split(features(rng, ("line",)), Polygons(layer="parishes")), "space", "length"),
            Over(Split(features(rng, ("point",)), Polygons(by="kind", layer="mountain_huts")), "objects", "count"),
            Over(Split(features(rng, ("line",)), Polygons(by="kind", layer="ski_runs")), "space", "length"),
            Over(Split(x, SORTS[rng.random() < 0.5]), "objects", rng.choice(["mean", "sum", "maximum"])),  # type: ignore[arg-type]
            Over(x, "objects", rng.choice(["mean", "minimum", "maximum", "sum", "median"])),  # type: ignore[arg-type]
            Over(test, "objects", rng.choice(["count", "share", "any"])),  # type: ignore[arg-type]
            Extreme(x, rng.choice(["highest", "lowest"]), 1),  # type: ignore[arg-type]
            Holds(test),
            x,
        ]
    )


def expressions(seed: int, most: int) -> Iterator[Expression]:
    rng = random.Random(seed)
    found: dict[Expression, None] = {}
    while len(found) < most:
        one = whole(rng)
        if check(one).type is not None and one not in found:
            found[one] = None
            yield one


def told(answer: Any) -> Any:
    """Numbers as they are, tables by their names."""
    if isinstance(answer, tuple):
        return {next(iter(row.values())): tuple(row.values())[1] for row in answer}
    return {"yes": 1.0, "no": 0.0}.get(answer, answer) if isinstance(answer, str) else answer


def true_value(e: Expression) -> Any:
    value = evaluate(e, SCENE)
    numbers = {key: leaf.number for key, leaf in value.items.items()}
    if value.names:
        return {key[0]: one for key, one in numbers.items()}
    return numbers.get((), float("nan"))


def test_random_expressions_agree_with_the_interpreter(folder: Path, flow: KnowFlow, tmp_path: Path) -> None:
    compared = 0
    for place, e in enumerate(expressions(1, 16)):
        try:
            wanted = true_value(e)
        except OutsideError:
            continue
        known = wanted if isinstance(wanted, dict) else {"": wanted}
        if not any(one == one for one in known.values()):
            continue  # nothing is known, and none is told
        found = flow.run(e, folder, out=tmp_path / str(place))
        assert found.status == "completed", (in_words(e), found.error)
        answer = told(found.answer)
        if isinstance(e, Holds):
            answer, wanted = sorted(answer), sorted(wanted)
        elif isinstance(e, Extreme):
            assert answer.keys() == wanted.keys(), in_words(e)
            continue
        elif isinstance(wanted, dict):
            wanted = {name: one for name, one in wanted.items() if one == one}
            answer = {name: one for name, one in answer.items() if one is not None}
        if found.unit == "km2":
            scale = 1e-6
            wanted = {n: one * scale for n, one in wanted.items()} if isinstance(wanted, dict) else wanted * scale
        if found.unit == "1" and isinstance(e, Over) and e.statistic == "share":
            wanted = wanted / 100
        assert answer == (wanted if isinstance(e, Holds) else pytest.approx(wanted, rel=1e-3, abs=0.2)), in_words(e)
        compared += 1
    assert compared >= 4


def test_expressions_of_features_are_written_and_said_apart() -> None:
    every = list(expressions(7, 60))
    assert all(expression_of(to_data(one)) == (one, ()) for one in every)
    assert len({in_words(one) for one in every}) == len(every)


@pytest.mark.parametrize(
    "wrong",
    [
        "over(polygons(), objects, mean)",
        "over(polygons(), time, count)",
        "over(point(1, 2), space, length)",
        "attribute(elevation, 'beds')",
        "distance(elevation)",
        "outline(elevation)",
        "within(point(1, 2), polygons())",
        "polygons('Upper')",
    ],
)
def test_what_is_no_measure_of_features_does_not_fit(wrong: str) -> None:
    expression, _ = expression_of(wrong)
    assert expression is not None
    assert check(expression).misfits


# --- in words -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "answer", "unit"),
    [
        ("How many lakes are there in our lake layer?", 2, "1"),
        ("How many mountain huts are there in Upper?", 2, "1"),
        ("How many huts stand within 150 m of a lake?", 3, "1"),
        ("How many huts are more than 400 m from Falcon?", 1, "1"),
        ("surface area of Mirror Lake in hectares", 4.0, "ha"),
        ("How long is the shoreline of Mirror Lake?", 800.0, "m"),
        ("What is the total length of the red ski runs in km?", 1.1395, "km"),
        ("How many metres of ski run lie inside the Upper parish?", 488.0, "m"),
        ("How far is Alm from Berg, as the crow flies?", 320.2, "m"),
        ("What percentage of Long Lake lies within the Lower parish?", 100.0, "%"),
        ("How many beds do the club huts have in total?", 38, "1"),
        ("What is the mean height of the huts?", 6.5, "m"),
        ("Which hut is the tallest?", {"Egg"}, None),
        ("which of the lakes is the deepest?", {"Long Lake"}, None),
        ("Which hut is nearest to Long Lake?", {"Dorf"}, None),
        ("Which huts are in Upper?", {"Alm", "Berg"}, None),
        ("In which parish is the Alm?", {"Upper"}, None),
        ("Which ski runs are red?", {"Falcon", "Hare"}, None),
        ("List the private huts.", {"Alm", "Egg"}, None),
        ("Which ski run is the longest?", {"Gully"}, None),
        ("How many huts have more than 10 beds?", 3, "1"),
        ("How many huts are of the club kind?", 2, "1"),
        ("What is the mean height of the huts with more than 10 beds?", 20.5 / 3, "m"),
        ("How many beds do the huts with more than 10 beds have in total?", 63, "1"),
        ("What share of the huts is private?", 50.0, "%"),
        ("Which private hut has the most beds?", {"Egg"}, None),
        ("Which private hut has the lowest mean elevation?", {"Alm"}, None),
        ("Number of huts per kind", {"private", "club"}, None),
        ("mean height of the huts by kind", {"private", "club"}, None),
        ("length of the ski runs per kind", {"red", "blue"}, None),
        ("Which ski runs are shorter than 500 m?", {"Hare"}, None),
        ("What percentage of the huts lies in Upper?", 50.0, "%"),
        ("How many huts are outside Upper?", 2, "1"),
        ("How many metres of ski run lie outside the parishes?", 1002.6, "m"),
        ("How many huts are there in each parish?", {"Upper", "Lower"}, None),
        ("Which parish has the most huts?", {"Upper"}, None),
        ("Take the hut with the most beds and tell me its height.", 7.0, "m"),
        ("How many beds does the hut nearest to Long Lake have?", 8, "1"),
        ("Find the hut with the most beds; what is the elevation there?", HEIGHTS[4, 8], "m"),
        ("What is the mean elevation of the parish in which the hut with the most beds stands?", UPPER, "m"),
        ("How many huts are in the parish with the lowest mean elevation?", 1 + (UPPER < LOWER), "1"),
        ("How far is each hut from the nearest lake?", {"Alm", "Berg", "Dorf", "Egg"}, None),
        ("Length of each ski run", {"Falcon", "Gully", "Hare"}, None),
    ],
)
def test_features_are_asked_about_in_words(
    folder: Path, flow: KnowFlow, tmp_path: Path, question: str, answer: Any, unit: str | None
) -> None:
    found = flow.run(question, folder, out=tmp_path / "out")
    assert found.status == "completed", found.error
    if isinstance(answer, set):
        assert set(told(found.answer)) == answer
    else:
        assert (found.answer, found.unit) == (pytest.approx(answer, rel=2e-3), unit)


@pytest.mark.parametrize(
    "question",
    [
        "How long is Mirror Lake?",  # which has no length
        "What is the area of Falcon?",
        "How many zorks are there in Upper?",
        "How many lakes are there in Upper?",  # one lies there, one in part
        "Which lakes are in Upper?",
    ],
)
def test_what_features_have_not_is_refused(folder: Path, flow: KnowFlow, tmp_path: Path, question: str) -> None:
    assert flow.run(question, folder, out=tmp_path / "out").status == "refused"


@pytest.fixture(scope="module")
def sparse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Paths of which two have no name, two the same and one no place, and a layer of nothing."""
    data = tmp_path_factory.mktemp("sparse")
    ways = [shapely.LineString(corners((0, 100 * n), (300, 100 * n))) for n in range(4)]
    shapes = np.array([*shapely.to_wkb(ways), None], dtype=object)
    names = np.array(["Long", "Long", None, None, "Lost"], dtype=object)
    data_of = {"fields": ["name", "width_m"], "crs": CRS, "driver": "GPKG"}
    widths = np.array([2.0, 4.0, np.nan, 6.0, 8.0])
    write(data / "paths.gpkg", shapes, [names, widths], geometry_type="LineString", **data_of)
    nothing = [np.array([], dtype=object), np.array([])]
    write(data / "wells.gpkg", np.array([], dtype=object), nothing, geometry_type="Point", **data_of)
    return data


@pytest.mark.parametrize(
    ("question", "answer", "note"),
    [
        ("How many paths are there?", 5, ""),
        ("Total length of the paths in m", 1200, "of 1 of 5 features the file tells no place"),
        ("What is the mean width of the paths?", 5, "of 1 of 5 features the file tells no 'width_m'"),
        ("How many paths are longer than 200 m?", 4, "the file tells no place"),
    ],
)
def test_features_without_name_place_or_number_are_counted_or_told(
    sparse: Path, flow: KnowFlow, tmp_path: Path, question: str, answer: float, note: str
) -> None:
    found = flow.run(question, sparse, out=tmp_path / "out")
    assert found.answer == pytest.approx(answer, rel=2e-3), found.error
    assert note in " ".join(found.notes)


def test_a_layer_of_nothing_is_told_to_be(sparse: Path, flow: KnowFlow) -> None:
    with pytest.raises(PlanningError, match="wells, which holds none"):
        flow.plan("How many wells are there?", sparse)


def test_of_several_layers_the_one_that_is_not_named_is_asked_back(folder: Path, flow: KnowFlow) -> None:
    with pytest.raises(PlanningError, match="several files hold polygons"):
        flow.plan("What was the mean elevation of each polygon?", folder)
