from __future__ import annotations

from knowflow.model.workflow import free_name


def test_a_name_that_is_taken_gets_the_first_number_that_is_free() -> None:
    assert free_name("mean", ()) == "mean"
    assert free_name("mean", {"mean"}) == "mean_2"
    assert free_name("mean", {"mean", "mean_2", "mean_4"}) == "mean_3"
