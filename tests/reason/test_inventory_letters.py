"""Words of names in letters that are not Latin."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.reason.inventory import name_facts
from knowflow.reason.inventory.letters import romanized

IN_LETTERS = {
    "precipitation": "осадки опади дождь βροχή أمطار باران 강수량 月降水量 降雨量",
    "soil_moisture": "влажность_почвы вологість_ґрунту υγρασία_εδάφους رطوبة_التربة 토양수분 土壤湿度 土壌水分",
    "air_temperature": "температура_воздуха температура_повітря θερμοκρασία_αέρα حرارة_الهواء دمای_هوا 기온 气温 気温",
    "soil_temperature": "температура_почвы θερμοκρασία_εδάφους",
    "snow_depth": "высота_снега глубина_снега عمق_الثلج 적설심 雪深 積雪深",
    "canopy_height": "высота_деревьев высота_леса ύψος_δέντρων ارتفاع_الأشجار 수고 树高 樹高",
    "wind_speed": "скорость_ветра швидкість_вітру ταχύτητα_ανέμου سرعة_الرياح 풍속 风速 風速",
    "population_density": "плотность_населения πυκνότητα_πληθυσμού كثافة_السكان 인구밀도 人口密度",
    "land_cover_class": "الغطاء_الأرضي 토지피복 土地利用 土地覆盖",
    "flow_accumulation": "تراكم_الجريان 흐름누적 汇流累积量 累積流量",
    "incidence_angle": "زاوية_السقوط 입사각 入射角",
    "evapotranspiration": "эвапотранспирация εξατμισοδιαπνοή التبخر_نتح 증발산량 蒸散量 蒸発散量",
}
CYRILLIC, GREEK = "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ", "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώ"


@pytest.mark.parametrize(
    ("quantity", "name"), [(one, name) for one, names in IN_LETTERS.items() for name in names.split()]
)
def test_words_in_other_letters_say_their_quantity(quantity: str, name: str) -> None:
    for form in (name, name.replace("_", " "), f"{name.replace('_', ' ')} 2021"):
        assert name_facts(f"{form}.tif").facts.value("quantity") == quantity


@given(st.text(CYRILLIC, max_size=3) | st.text(GREEK, max_size=3))
def test_short_words_are_no_abbreviations_in_latin_letters(word: str) -> None:
    assert romanized(word) == word
    if word not in ("м", "мм", "см", "км"):
        assert name_facts(f"{word}_7.tif").facts.value("quantity") is None


@given(st.text(CYRILLIC + "abc水降土장", min_size=4) | st.text(GREEK + "abc水降土장", min_size=4))
def test_latin_letters_stand_for_all_of_a_word(word: str) -> None:
    assert not set(romanized(word)) & set(CYRILLIC + GREEK)


@pytest.mark.parametrize("name", ["дом", "水域分類", "نقطة", "мода", "река"])
def test_words_that_say_no_quantity_say_none_in_other_letters(name: str) -> None:
    assert name_facts(f"{name}.tif").facts.value("quantity") is None


@pytest.mark.parametrize(
    ("name", "when"), [("ночью", "night"), ("день", "day"), ("ليل", "night"), ("昼間", "day"), ("밤", "night")]
)
def test_night_and_day_in_other_letters(name: str, when: str) -> None:
    assert name_facts(f"LST {name} 2021.tif").facts.value("daynight") == when
