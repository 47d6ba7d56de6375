"""Numbers beside a year that are months by their series alone."""

from __future__ import annotations

import pytest

from knowflow.reason.inventory.folder_dates import folder_dates
from knowflow.reason.inventory.names import name_facts


@pytest.mark.parametrize(
    ("stems", "month"),
    [
        ([f"chl_{month}_2020" for month in (5, 6, 7, 8)], "2020-05-01"),
        ([f"swvl 2022 {month}" for month in range(1, 13)], "2022-01-01"),
        ([f"ws10_{month:02d}_21" for month in range(1, 13)], "2021-01-01"),
        ([f"t_{year}{month:02d}_x" for year in (2010, 2011) for month in range(1, 13)], "2010-01-01"),
        (["NO2_02lut_2021", "NO2_03mar_2021", "NO2_04kwi_2021"], "2021-02-01"),
        (["chl_10_listopad_2022", "chl_11_studeni_2022", "chl_12_prosinac_2022"], "2022-10-01"),
    ],
)
def test_numbers_of_a_series_are_months(stems: list[str], month: str) -> None:
    beside = folder_dates(stems)
    found = [name_facts(f"{stem}.tif", beside=lambda: beside).facts for stem in stems]
    assert found[0].value("datetime") == month
    assert found[0]["span"].value[0] == month
    assert len({facts.value("datetime") for facts in found}) == len(stems)


@pytest.mark.parametrize(
    "stems",
    [
        [f"plot_{number}_2020" for number in (5, 6, 7)],
        [f"ndvi_{number}_2020" for number in (1, 2, 3)],  # the first three of anything
        [f"ndvi_{number}_2020" for number in (5, 6, 13)],
        ["x_02feb_2021", "x_03mar_2021", "x_04apr_2021", "x_15apr_2021"],  # days
        [f"x_{number:02d}_40" for number in (4, 5, 6)],
        [f"a_1{number}_06_21" for number in range(1, 9)],
    ],
)
def test_other_numbers_are_not(stems: list[str]) -> None:
    beside = folder_dates(stems)
    assert not beside.month_numbers.keys
