from __future__ import annotations

import pytest
from examples import catalogue, ndvi
from hypothesis import given
from hypothesis import strategies as st

from knowflow.ground.errors import PlanningError
from knowflow.model.artifact import Artifact, series
from knowflow.model.workflow import FromInput, Given
from knowflow.reason.achievers import Achievers
from knowflow.reason.builder import Bound, Builder
from knowflow.reason.pairing import groups, keys_of, pair

BUILDER = Builder(catalogue(), Achievers(catalogue()))


def bound(name: str, *dates: str | None) -> Bound:
    items = tuple(ndvi(f"{name}{i}", datetime=date) for i, date in enumerate(dates))
    return Bound(FromInput(name), series(items))


def named(name: str, *names: str) -> Bound:
    return Bound(FromInput(name), series(tuple(ndvi(each) for each in names)))


def single(name: str, artifact: Artifact) -> Bound:
    return Bound(FromInput(name), artifact)


def rows(**lists: Bound) -> list[tuple[str, dict[str, str]]]:
    return [
        (
            key,
            {
                name: item.known.name if isinstance(item.known, Artifact) else str(item.known)
                for name, item in row.items()
            },
        )
        for key, row in pair(BUILDER, lists, "step")
    ]


def test_items_of_equal_dates_belong_together_whatever_their_order() -> None:
    found = rows(a=bound("a", "2022-01-01", "2022-02-01"), b=bound("b", "2022-02-01", "2022-01-01", "2022-03-01"))
    assert found == [("2022-01-01", {"a": "a0", "b": "b1"}), ("2022-02-01", {"a": "a1", "b": "b0"})]


def test_a_day_is_enough_where_times_differ_and_only_one_fits() -> None:
    found = rows(a=bound("a", "2022-01-01T10:00:00"), b=bound("b", "2022-01-01T11:30:00", "2022-01-02"))
    assert found == [("2022-01-01T10:00:00", {"a": "a0", "b": "b0"})]
    with pytest.raises(PlanningError):
        rows(a=bound("a", "2022-01-01T10:00:00"), b=bound("b", "2022-01-01T09:00:00", "2022-01-01T11:00:00"))


def test_one_item_belongs_to_every_row() -> None:
    found = rows(a=bound("a", "2022-01-01", "2022-02-01"), b=single("b", ndvi("dem")))
    assert [row["b"] for _, row in found] == ["dem", "dem"]


def test_one_dated_item_belongs_to_its_date_and_to_no_other_when_that_is_there() -> None:
    with pytest.raises(PlanningError, match="1 of 2 items of 'a' have no partner in 'b'"):
        rows(a=bound("a", "2022-01-01", "2022-02-01"), b=bound("b", "2022-01-01"))


def test_items_without_dates_pair_by_name_then_by_position() -> None:
    assert rows(a=named("a", "x", "y"), b=named("b", "y", "x")) == [
        ("x", {"a": "x", "b": "x"}),
        ("y", {"a": "y", "b": "y"}),
    ]
    assert [row for _, row in rows(a=named("a", "x", "y"), b=named("b", "p", "q"))] == [
        {"a": "x", "b": "p"},
        {"a": "y", "b": "q"},
    ]


def test_dated_items_never_pair_by_position() -> None:
    with pytest.raises(PlanningError) as caught:
        rows(a=bound("a", "2022-01-01", "2022-02-01"), b=bound("b", "2023-01-01", "2023-02-01"))
    assert caught.value.where == "step"
    assert "2022-01-01" in str(caught.value.expected)
    assert "2023-01-01" in str(caught.value.found)


def test_long_lists_of_missing_partners_are_cut() -> None:
    with pytest.raises(PlanningError) as caught:
        rows(a=bound("a", *(f"2022-01-{d:02d}" for d in range(1, 20))), b=bound("b", "2023-01-01", "2023-02-01"))
    assert str(caught.value.expected).endswith("2022-01-05...")


def test_plain_lists_make_a_row_for_each_value() -> None:
    found = rows(threshold=Bound(Given((0.1, 0.2)), (0.1, 0.2)), a=single("a", ndvi("x")))
    assert found == [("1", {"threshold": "0.1", "a": "x"}), ("2", {"threshold": "0.2", "a": "x"})]


def test_given_keys_count_more_than_what_the_items_say() -> None:
    results = Bound(FromInput("r"), series((ndvi("r0"), ndvi("r1"))), keys=("2022-02-01", "2022-01-01"))
    found = rows(a=bound("a", "2022-01-01", "2022-02-01"), b=results)
    assert [row["b"] for _, row in found] == ["r1", "r0"]


@pytest.mark.parametrize(
    ("artifact", "keys"),
    [
        (series((ndvi("a", datetime="2022-01-01"), ndvi("b", datetime="2022-01-02"))), ("2022-01-01", "2022-01-02")),
        (series((ndvi("a", datetime="2022-01-01"), ndvi("b", datetime="2022-01-01"))), ("a", "b")),
        (series((ndvi("a", datetime="2022-01-01"), ndvi("b"))), ("a", "b")),
        (series((ndvi("a"), ndvi("a"))), ("1", "2")),
        (ndvi("a"), ("a",)),
    ],
)
def test_keys_are_dates_else_names_else_numbers(artifact: Artifact, keys: tuple[str, ...]) -> None:
    assert keys_of(artifact) == keys


@given(st.lists(st.dates().map(str), min_size=1, max_size=8, unique=True), st.randoms())
def test_every_item_of_the_first_list_is_paired_with_its_own_date(dates: list[str], random: object) -> None:
    shuffled = list(dates)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    rows = pair(BUILDER, {"a": bound("a", *dates), "b": bound("b", *shuffled)}, "step")
    paired = [(row["a"].known.fact("datetime"), row["b"].known.fact("datetime"), key) for key, row in rows]
    assert paired == [(date, date, date) for date in dates]


def of_image(**facts: object) -> list[str]:
    """Which of these masks goes with an NDVI image of 10 m of the first of June."""
    own = {"datetime": "2022-06-01", "sensor": "sentinel-2", "crs": "EPSG:32633"}
    image = ndvi("ndvi", **{name: value for name, value in own.items() if facts.get("image", True) or name != "sensor"})
    mask = ndvi("mask", **{name: value for name, value in {**own, **facts}.items() if name != "image" and value})
    left_out: list[str] = []
    lists = {"raster": single("r", image), "cloud_mask": single("m", mask)}
    try:
        found = pair(BUILDER, lists, "step", None, left_out, one_image=True)
    except PlanningError:
        return []
    return [row["cloud_mask"].known.name for _, row in found if "cloud_mask" in row]


@pytest.mark.parametrize(
    ("facts", "pairs"),
    [
        ({}, True),
        ({"datetime": "2022-06-01T10:30:00"}, True),
        ({"datetime": "2022-06-02"}, False),
        ({"span": ("2022-06-01", "2022-06-16")}, False),
        ({"span": ("2022-01-01", "2022-12-31")}, False),
        ({"sensor": "sentinel-2b"}, True),
        ({"sensor": "landsat-8"}, False),
        ({"sensor": None, "pixel": 60.0}, True),
        ({"sensor": None, "pixel": 500.0}, False),
        ({"image": False, "crs": "EPSG:4326"}, False),
        ({"image": False, "sensor": None}, True),
        ({"image": False, "sensor": None, "crs": "EPSG:4326"}, False),
        ({"datetime": None}, True),
    ],
)
def test_clouds_belong_to_their_own_image_alone(facts: dict[str, object], pairs: bool) -> None:
    assert of_image(**facts) == (["mask"] if pairs else [])


def test_of_several_images_a_mask_without_a_date_belongs_to_none() -> None:
    lists = {"raster": bound("a", "2022-06-01", "2022-07-01"), "cloud_mask": single("m", ndvi("mask"))}
    with pytest.raises(PlanningError, match="no partner"):
        pair(BUILDER, lists, "step", None, [], one_image=True)


def grouped(bound: Bound, by: object) -> dict[str, int]:
    return {name: len(BUILDER.items(found)) for name, found in groups(BUILDER, bound, by, "step")}


def test_items_are_taken_together_by_the_calendar() -> None:
    scenes = bound("a", "2021-12-20", "2022-01-10", "2022-04-10", "2022-04-20", "2023-01-05")
    assert grouped(scenes, "year") == {"2021": 1, "2022": 3, "2023": 1}
    assert grouped(scenes, "month") == {"2021-12": 1, "2022-01": 1, "2022-04": 2, "2023-01": 1}
    assert grouped(scenes, "season") == {"2022-winter": 2, "2022-spring": 2, "2023-winter": 1}
    assert grouped(scenes, "season_of_year") == {"spring": 2, "winter": 3}


def test_items_are_taken_together_by_periods_and_none_may_be_empty() -> None:
    scenes = bound("a", "2021-06-01", "2021-07-01", "2022-06-01")
    years = ("2021-01-01/2021-12-31", "2022-01-01/2022-12-31")
    assert grouped(scenes, years) == {"2021": 2, "2022": 1}
    with pytest.raises(PlanningError) as caught:
        grouped(scenes, (*years, "2023-01-01/2023-12-31"))
    assert "2023" in caught.value.expected


def test_items_without_a_date_have_no_year() -> None:
    with pytest.raises(PlanningError, match="no year"):
        grouped(named("a", "x", "y"), "year")


def test_items_without_a_partner_are_left_out_and_noted_where_that_is_wanted() -> None:
    lists = {"a": bound("a", "2022-01-01", "2022-02-01"), "b": bound("b", "2022-02-01")}
    noted: list[str] = []
    found = pair(BUILDER, lists, "step", unpaired=noted)
    assert [key for key, _ in found] == ["2022-02-01"]
    assert noted == ["no b for a of 2022-01-01"]


def test_of_several_partners_of_a_day_the_nearest_in_time_is_taken_or_with_once_the_first() -> None:
    lists = {
        "a": bound("a", "2022-01-01T10:30:00", "2022-01-01T22:00:00"),
        "b": bound("b", "2022-01-01T09:00:00", "2022-01-01T21:00:00"),
    }

    def partners(**how: bool) -> list[str]:
        return [row["b"].known.name for _, row in pair(BUILDER, lists, "step", unpaired=[], **how)]  # type: ignore[union-attr]

    assert partners() == ["b0", "b1"]
    assert partners(once=True) == ["b0"]


def test_a_list_may_belong_beside_another_than_the_first() -> None:
    lists = {
        "day": bound("day", "2022-01-01T10:00:00"),
        "night": bound("night", "2022-01-01T22:00:00"),
        "emissivity": bound("emissivity", "2022-01-01T10:05:00", "2022-01-01T22:05:00"),
    }
    ((_, row),) = pair(BUILDER, lists, "step", beside={"emissivity": "night"}, unpaired=[])
    assert row["emissivity"].known.name == "emissivity1"  # type: ignore[union-attr]
