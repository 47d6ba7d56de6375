"""What earlier attempts say to the next: kept by instance, each once, latest first, and never of what is in files."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.memory.reflections import Attempt, Instance, Reflection, Reflections, contrast, instance_of
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.model.plan import Plan
from knowflow.model.workflow import Workflow
from knowflow.question.form import expression_of, to_data

HERE = Instance("a", "b")
SHARE = "over(over(beyond(during(ndvi, '{when}'), above, {limit}), space, share), time, mean)"


def said(title: str, kind: Literal["failed", "mended"] = "failed", when: str = "") -> Reflection:
    return Reflection(source="run", kind=kind, title=title, when=when)


def plan(text: str, **facts: object) -> Plan:
    asked, faults = expression_of(text)
    assert asked is not None, faults
    file = Artifact("raster", Facts.of(Origin.DECLARED, "tag", **{"quantity": "ndvi", **facts}), path="f.tif")
    return Plan("q", "", Workflow(()), {"f": file}, understood={"question": {"value": to_data(asked)}})


def test_questions_that_differ_in_numbers_and_times_are_one_instance() -> None:
    one = instance_of(plan(SHARE.format(when=2020, limit=0.5)))
    assert one == instance_of(plan(SHARE.format(when=2021, limit=0.3)))
    assert one.shape != instance_of(plan(SHARE.format(when=2020, limit=0.5).replace("above", "below"))).shape
    assert one.shape != instance_of(plan(SHARE.format(when=2020, limit=0.5).replace("share", "area"))).shape
    assert one.shape != instance_of(plan(SHARE.format(when=2020, limit=0.5).replace("ndvi", "evi"))).shape


def test_files_of_another_kind_are_another_instance_whatever_somebody_says_of_them() -> None:
    text = SHARE.format(when=2020, limit=0.5)
    one = instance_of(plan(text, dtype="uint16"))
    assert one.data != instance_of(plan(text, dtype="float32")).data
    mended = plan(text, dtype="uint16")
    facts = mended.inputs["f"].facts.put("scale", 0.5, Origin.USER, "a person")
    assert one == instance_of(
        Plan("q", "", Workflow(()), {"f": mended.inputs["f"].with_facts(facts)}, understood=mended.understood)
    )


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["failed", "mended"])), max_size=12))
def test_each_is_kept_once_and_the_latest_stand_first(
    tmp_path_factory: pytest.TempPathFactory, seen: list[tuple[str, Literal["failed", "mended"]]]
) -> None:
    kept = Reflections(tmp_path_factory.mktemp("home"), "p")
    for title, kind in seen:
        kept.keep(HERE, [said(title, kind)])
    expected = list(dict.fromkeys(reversed(seen)))
    assert [(one.title, one.kind) for one in kept.of(HERE)] == expected
    assert all(one.when for one in kept.of(HERE))


def test_what_is_of_one_project_or_instance_is_not_of_another(tmp_path: Path) -> None:
    Reflections(tmp_path, "p").keep(HERE, [said("x")])
    assert Reflections(tmp_path, "other").of(HERE) == ()
    assert Reflections(tmp_path, "p").of(Instance("a", "c")) == ()
    assert Reflections(tmp_path, "p").forget() == 1
    assert Reflections(tmp_path, "p").all() == ()


def test_a_file_that_somebody_broke_says_nothing(tmp_path: Path) -> None:
    kept = Reflections(tmp_path, "p")
    kept.keep(HERE, [said("x")])
    (path,) = (tmp_path / "reflections" / "p").glob("*.yaml")
    path.write_text("reflections: [{source: nobody}]")
    assert kept.of(HERE) == ()
    kept.keep(HERE, [said("y")])
    assert [one.title for one in kept.of(HERE)] == ["y"]


FEATURES = st.frozensets(st.sampled_from("abcdef"), max_size=5)


@given(st.lists(st.builds(Attempt, FEATURES, st.booleans()), max_size=6))
def test_a_contrast_is_what_all_of_one_side_have_and_none_of_the_other(attempts: list[Attempt]) -> None:
    found = {(one.kind, one.title) for one in contrast(attempts)}
    well = [one.made_of for one in attempts if one.well]
    ill = [one.made_of for one in attempts if not one.well]
    if not well or not ill:
        assert found == set()
        return
    worked = {("worked", f) for f in "abcdef" if all(f in one for one in well) and not any(f in one for one in ill)}
    failed = {("failed", f) for f in "abcdef" if all(f in one for one in ill) and not any(f in one for one in well)}
    assert found == worked | failed
