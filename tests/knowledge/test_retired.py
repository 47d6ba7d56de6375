"""Who names a template that is no more is told the expression that it was; each of them is one."""

from __future__ import annotations

import re

import pytest

from knowflow.ground.errors import UnknownNameError
from knowflow.knowledge.catalogue import load_catalogue
from knowflow.knowledge.retired import retired_templates
from knowflow.question.check import type_of
from knowflow.question.form import expression_of

VALUES = {
    "quantity": "ndvi", "other": "ndwi", "side": "above", "other_side": "below", "part_side": "above",
    "which": "highest",
    "statistic": "mean", "by": "year", "class": "['forest']", "first": "2020", "second": "2021", "threshold": "0.3",
    "limit": "0.4", "method": "median", "current": "2021", "other_limit": "0.4", "change": "0.1", "part": "'50 %'",
}  # fmt: skip
NOTES = (
    *("two areas: ", "one for each: ", ", and the other way round", ", minimum, maximum, median, deviation"),
    *(", and area", ", 'maximum': ..."),
)


@pytest.mark.parametrize("name", sorted(retired_templates()))
def test_what_a_retired_template_was_is_an_expression(name: str) -> None:
    text = retired_templates()[name]
    for words in NOTES:
        text = text.replace(words, "")
    if name in ("statistic_of_period_totals", "extreme_of_means"):
        text = text.replace("$which", "mean")
    if "percent_change" in name:
        text = text.replace("$quantity", "precipitation")
    if name == "count_of_period_totals_above" or name.endswith("totals") or "total" in name:
        text = text.replace("$quantity", "precipitation").replace("$threshold", "'5 mm'")
    filled = re.sub(r"\$(\w+)", lambda match: VALUES[match.group(1)], text)
    found, faults = expression_of(filled)
    assert found is not None, (filled, faults)
    assert type_of(found) is not None, filled


def test_who_names_it_is_told() -> None:
    catalogue = load_catalogue()
    assert not retired_templates().keys() & catalogue.templates.keys()
    with pytest.raises(UnknownNameError, match="is retired") as told:
        catalogue.template("range_over_area")
    assert "over(over($quantity, space, range), time, mean)" in str(told.value.expected)
