"""Answers to the same data in other clothes are the same; and a defect that makes them differ is seen."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from knowflow.ground.errors import UnknownNameError
from knowflow.model.facts import Facts
from knowflow.model.template import Scene
from knowflow.roof.cli import main
from knowflow.tools.raster import source as reading
from knowflow_bench.metamorphic import run
from knowflow_bench.metamorphic.answers import Map, One, difference
from knowflow_bench.metamorphic.relations.site import Asked
from knowflow_bench.metamorphic.relations.table import RELATIONS
from knowflow_bench.metamorphic.run import metamorphic
from knowflow_bench.metamorphic.scenes import Case

GAPS = "(x - 0.6) ** 2 + (y - 0.3) ** 2 < 0.05"
CASES = {
    "mean": Case(
        0,
        Scene.model_validate(
            {
                "size": [30, 26],
                "layers": [
                    {
                        "name": "field",
                        "quantity": "surface_temperature",
                        "unit": "K",
                        "values": "floor(64 * (290 + 20 * x + 3 * sin(9 * y))) / 64 + 2 * i",
                        "missing": GAPS,
                        "dates": ["2022-06-01", "2022-07-01"],
                    }
                ],
            }
        ),
        Asked("", "What is the mean surface temperature?", {}),
    ),
    "share": Case(
        1,
        Scene.model_validate(
            {
                "size": [28, 33],
                "layers": [
                    {
                        "name": "S2",
                        "quantity": "surface_bidirectional_reflectance",
                        "sensor": "sentinel-2",
                        "bands": {
                            "red": "floor(512 * (0.1 + 0.1 * x)) / 512",
                            "nir": "floor(512 * (0.2 + 0.3 * y)) / 512",
                        },
                        "missing": GAPS,
                        "dates": ["2022-06-01"],
                    }
                ],
            }
        ),
        Asked("", "What share of the area has an NDVI above 0.43?", {}),
    ),
}
ORDER = Case(
    2,
    Scene.model_validate(
        {
            "size": [24, 24],
            "layers": [
                {
                    "name": "veg",
                    "quantity": "ndvi",
                    "values": "0.3 + 0.03125 * i * x + 0.0625 * y",
                    "dates": ["2021-06-01", "2022-06-01", "2023-06-01"],
                }
            ],
        }
    ),
    Asked("", "What was the change of the mean NDVI from 2021 to 2023?", {}),
)


INTEGERS = Case(
    3,
    Scene.model_validate(
        {
            "size": [20, 25],
            "layers": [
                {
                    "name": "veg",
                    "quantity": "ndvi",
                    "values": "0.2 + 0.5 * x",
                    "dtype": "int16",
                    "scale": 0.0001,
                    "nodata": 9000,
                    "dates": ["2022-06-01"],
                }
            ],
        }
    ),
    Asked("", "What is the mean NDVI?", {}),
)


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch) -> Callable[[Case], None]:
    """Every seed is one case."""
    return lambda case: monkeypatch.setattr(run, "case_of", lambda catalogue, seed: case)


def ending(name: str) -> str:
    (outcome,) = run.outcomes_of(0, [name])
    return outcome.outcome if outcome.violation is None else f"{outcome.outcome}: {outcome.violation.what}"


@pytest.mark.parametrize("name", RELATIONS)
@pytest.mark.parametrize("question", CASES)
def test_every_relation_holds(name: str, question: str, fixed: Callable[[Case], None]) -> None:
    fixed(CASES[question])
    assert ending(name) == ("passed_over" if (name, question) == ("stacked", "mean") else "equal")


def test_random_questions_on_random_scenes() -> None:
    found = metamorphic(30, seed=7)
    assert (found["runs"], found["violations"], found["cases"]) == (30, 0, [])
    assert found["questions"] >= 3
    assert found["relations"].keys() == RELATIONS.keys()
    assert sum(one["runs"] for one in found["relations"].values()) == 30


# --- relations that could not fail would be worth nothing: each sees a defect that is planted ------------------------


def ignore_scale(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(reading, "stored_scale", lambda artifact, dataset, band: (1.0, 0.0))


def ignore_offset(patch: pytest.MonkeyPatch) -> None:
    known = reading.stored_scale
    patch.setattr(reading, "stored_scale", lambda *given: (known(*given)[0], 0.0))


def ignore_nodata(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(reading, "stored_nodata", lambda nodata, dtype: None)


def know_small_nodata_only(patch: pytest.MonkeyPatch) -> None:
    """Where it is large, the highest value is read: a number that is no data is found, and repaired."""
    known = reading.Source.missing

    def missing(self: reading.Source, stored: NDArray[Any], mask: NDArray[np.bool_] | None) -> Any:
        if self.nodata is not None and abs(self.nodata) > 10_000:
            gone = stored == self.nodata
            stored[gone] = np.max(stored[~gone], initial=0)
        return known(self, stored, mask)

    patch.setattr(reading.Source, "missing", missing)


def ignore_masks(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(reading.Source, "read_mask", lambda self, opened, window: None)


def read_upside_down(patch: pytest.MonkeyPatch) -> None:
    """Maps are written as if the first row were the northernmost, whatever the transform says."""
    from knowflow.tools.raster import writer

    plain = writer.creation_profile

    def north_up(grid: Any, output: Any, *more: Any) -> Any:
        made = plain(grid, output, *more)
        t = grid.transform
        if t.e > 0:
            made["transform"] = type(t)(t.a, t.b, t.c, t.d, -t.e, t.f + t.e * grid.shape[0])
        return made

    patch.setattr(writer, "creation_profile", north_up)


def ignore_units(patch: pytest.MonkeyPatch) -> None:
    """A fact that is read from a tag is dropped; the unit is then taken to be the quantity's own."""
    from knowflow.reason.inventory import header

    plain = header.tag_facts

    def without_unit(*given: Any, **more: Any) -> Facts:
        found = plain(*given, **more)
        return found if found.value("unit") is None else found.put("unit", "K", found.known("unit").origin, "planted")  # type: ignore[union-attr]

    patch.setattr(header, "tag_facts", without_unit)


def ignore_sidecars(patch: pytest.MonkeyPatch) -> None:
    from knowflow.reason.inventory import header

    plain = header._tags

    def inside_only(dataset: Any, index: int) -> dict[str, str]:
        return {} if Path(f"{dataset.name}.aux.xml").exists() else plain(dataset, index)

    patch.setattr(header, "_tags", inside_only)


def order_by_name(patch: pytest.MonkeyPatch) -> None:
    """Dates are dealt out to the files in the order of their names."""
    from knowflow.reason.inventory import scan

    plain = scan._read_all

    def by_name(paths: list[Path], *more: Any) -> Any:
        drafts, *others = plain(paths, *more)
        dates = sorted(draft.artifact.fact("datetime") for draft, _ in drafts)
        dealt = []
        for (draft, said), date in zip(drafts, dates, strict=True):
            known = draft.artifact.known("datetime")
            facts = draft.artifact.facts.put("datetime", date, known.origin, "planted")
            dealt.append((scan.Draft(draft.artifact.with_facts(facts), draft.name), said))
        return dealt, *others

    patch.setattr(scan, "_read_all", by_name)


def forget_tiles(patch: pytest.MonkeyPatch) -> None:
    from knowflow.reason.inventory import inventory

    patch.setattr(inventory, "with_tiles_joined", tuple)


@pytest.mark.parametrize(
    ("defect", "relation", "case"),
    [
        (ignore_scale, "scale_and_offset", CASES["mean"]),
        (ignore_offset, "scale_and_offset", CASES["mean"]),
        (know_small_nodata_only, "nodata_value", CASES["mean"]),
        (ignore_nodata, "padded", INTEGERS),
        (ignore_masks, "mask_band", CASES["mean"]),
        (read_upside_down, "south_up", CASES["share"]),
        (ignore_units, "units", CASES["mean"]),
        (ignore_sidecars, "sidecar", CASES["mean"]),
        (order_by_name, "renamed", ORDER),
        (forget_tiles, "tiles", CASES["mean"]),
    ],
)
def test_a_planted_defect_is_seen(
    defect: Callable[[pytest.MonkeyPatch], None],
    relation: str,
    case: Case,
    fixed: Callable[[Case], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    endings = []
    for seed in range(5):  # a relation may choose: not every choice shows every defect
        fixed(replace(case, seed=seed))
        assert ending(relation) == "equal"
        with monkeypatch.context() as patch:
            defect(patch)
            endings.append(ending(relation))
        if endings[-1].startswith("violation"):
            return
    pytest.fail(f"{relation} does not see it: {endings}")


def patches(*areas: float, name: str = "") -> list[dict[str, Any]]:
    return [{"class": number, "name": name, "area": area} for number, area in enumerate(areas, start=1)]


@pytest.mark.parametrize(
    ("relation", "one", "other", "same"),
    [
        ("tiled", One(2.0, "K"), One(2.0, "K"), True),
        ("tiled", One(2.0, "K"), One(2.0 + 1e-6, "K"), False),
        ("units", One(300.0, "K"), One(26.85, "degC"), True),
        ("units", One(300.0, "K"), One(300.0, "degC", quantity="surface_temperature"), False),
        ("units", One(10.0, "K"), One(18.0, "delta_degF", quantity="temperature_difference"), True),
        ("units", One(10.0, "K"), One(10.0, "m"), False),
        ("units", One([{"mean": 2.0, "unit": "m"}], "m"), One([{"mean": 200.0, "unit": "cm"}], "cm"), True),
        ("units", One([{"mean": 2.0, "unit": "m"}], "m"), One([{"mean": 210.0, "unit": "cm"}], "cm"), False),
        ("other_years", One("2021-06-01", None), One("2025-06-01", None), True),
        ("other_years", One("2021-06-01", None), One("2021-06-01", None), False),
        ("finer", One([{"count": 4, "mean": 1.0}], None), One([{"count": 16, "mean": 1.0}], None), True),
        ("tiled", One([{"count": 4}], None), One([{"count": 5}], None), False),
        ("tiled", One(float("nan"), None), One(1.0, None), False),
        ("reprojected", One(patches(2.0, 4.0), "ha"), One(patches(4.0, 2.02), "ha"), True),
        ("reprojected", One(patches(2.0, 4.0), "ha"), One(patches(4.0, 4.0), "ha"), False),
        ("reprojected", One(patches(2.0, 4.0), "ha"), One(patches(4.0, 2.0, name="water"), "ha"), False),
        ("south_up", One(patches(2.0, 4.0), "ha"), One(patches(4.0, 2.0), "ha"), True),
        ("tiled", One(patches(2.0, 4.0), "ha"), One(patches(4.0, 2.0), "ha"), False),
    ],
)
def test_answers_are_compared_in_one_unit_and_at_one_time(relation: str, one: One, other: One, same: bool) -> None:
    assert (difference(RELATIONS[relation], {"answer": one}, {"answer": other}) == "") is same


def test_maps_are_compared_where_they_lie() -> None:
    from rasterio.transform import Affine

    pixels = np.arange(12.0).reshape(3, 4)
    pixels[1, 1] = np.nan
    plain = Map(pixels, Affine(10, 0, 500, 0, -10, 800), None)
    turned = Map(pixels[::-1], Affine(10, 0, 500, 0, 10, 770), None)
    margin = Map(np.pad(pixels, 2, constant_values=np.nan), Affine(10, 0, 480, 0, -10, 820), None)
    exact = RELATIONS["south_up"]
    for other in (plain, turned, margin):
        assert difference(exact, {"map": One(None, None, plain)}, {"map": One(None, None, other)}) == ""
    for other in (Map(pixels, turned.transform, None), Map(np.nan_to_num(pixels), plain.transform, None)):
        assert difference(exact, {"map": One(None, None, plain)}, {"map": One(None, None, other)}) != ""


def test_a_refusal_on_one_side_is_a_violation_and_on_both_is_no_pass(fixed: Callable[[Case], None]) -> None:
    case = CASES["mean"]
    answered, refused = run.Ending({"answer": One(1.0, "K")}), run.Ending(None, "precondition", "no")
    for base, found, outcome in (
        (answered, answered, "equal"),
        (answered, refused, "violation"),
        (refused, answered, "violation"),
        (refused, refused, "refused"),
    ):
        assert run._judged(case, RELATIONS["tiled"], base, found, 0.0).outcome == outcome
    fixed(Case(0, case.scene, Asked("", "What is the mean NDVI?", {})))
    found = metamorphic(1, names=["tiled"])
    assert (found["runs"], found["violations"]) == (0, 0)
    assert found["refused_on_both"] > 0


def test_the_command_says_what_it_compared(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["bench", "metamorphic", "--n", "2", "--seed", "3", "--relation", "byte_order", "--json"])
    assert ended.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["runs"], found["violations"]) == (2, 0)
    assert found["relations"]["byte_order"]["runs"] == 2
    with pytest.raises(UnknownNameError):
        metamorphic(1, names=["no_such_relation"])


def test_a_case_is_the_same_each_time_and_cases_differ() -> None:
    from knowflow_bench.metamorphic.scenes import case_of

    catalogue = run.bench_catalogue()
    assert case_of(catalogue, 11) == case_of(catalogue, 11)
    assert len({case_of(catalogue, seed).scene.model_dump_json() for seed in range(20)}) == 20
    assert len({case_of(catalogue, seed).asked.template for seed in range(60)}) >= 25
