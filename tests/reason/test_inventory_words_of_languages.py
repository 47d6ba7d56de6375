"""Words for what remote sensing measures in the languages of those who name files, and what they say beside others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from hypothesis import given
from hypothesis import strategies as st
from rasters import write_raster

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory import name_facts, take_inventory
from knowflow.reason.inventory.concepts import concepts_in
from knowflow.reason.inventory.evidence import Candidate

# one or more of each language
IN_LANGUAGES = {
    "night_lights": (
        *("luz nocturna", "iluminacao noturna", "lumiere nuit", "illuminazione notturna", "verlichting nacht"),
        *("swiatlo nocne", "svetlo noc", "nocne osvetlenie", "nocna svetloba", "nocno svjetlo"),
        *("ejszakai vilagitas", "iluminat nocturn", "fota nyxtas", "gece aydinlatma", "ljus natt"),
        *("nattbelysning", "natbelysning", "yovalot", "oine valgus", "naktine sviesa", "cahaya malam hari"),
        *("anh sang ban dem", "yeguang", "yakanko", "adwa layliya", "mwanga wa usiku", "nochnoy svet"),
        "nichne osvitlennya",
    ),
    "soil_moisture": (
        *("humedad del suelo superficial", "umid solo", "hum sol", "umidita del terreno", "feuchte boden"),
        *("vocht bodem", "wilgotnosc gruntu", "vlhkost puda", "podna vlhkost", "talna vlaga", "vlaga u tlu"),
        *("talaj nedvesseg", "umid sol", "edafiki ygrasia", "toprak nem", "jordfukt", "markfugt"),
        *("maan kosteus", "mulla niiskus", "dirvos dregnumas", "lengas tanah", "do am dat", "turang shidu"),
        *("土壌水分量", "rutubat alturba", "unyevu udongo", "pochvennaya vlaga"),
    ),
    "canopy_height": (
        *("altura copas", "altura da vegetacao", "haut canopee", "altezza vegetazione", "waldhoehe"),
        *("kroonhoogte", "wys lasu", "vyska lesa", "vyska vegetacie", "visina gozda", "visina sume"),
        *("novenyzet magassag", "inaltime coronament", "ypsos vlastisis", "orman yuksekligi", "bestandshojd"),
        *("skoghoyde", "skovhojde", "kasvillisuuden korkeus", "vorade korgus", "misko aukstis"),
        *("ketinggian pokok", "do cao cay", "shugao", "樹冠高", "kimo cha miti", "vysota rastitelnosti"),
        "vysota roslynnosti",
    ),
    "population_density": (
        *("densidad de habitantes", "hab km2", "densite habitants", "abitanti km2", "bev dichte"),
        *("bev dichtheid", "os na km2", "obyvatel na km2", "obyvatelov na km2", "preb na km2"),
        *("stanovnika po km2", "lakos km2", "locuitori km2", "katoikoi km2", "kisi km2", "invanare km2"),
        *("innbyggere km2", "indbyggere km2", "asukkaita km2", "elanikke km2", "gyventoju tankis"),
        *("kepadatan populasi", "nguoi km2", "renkou midu", "jinko mitsudo", "kathafat alsukkan", "watu km2"),
        *("chel na km2", "gustota naselennya"),
    ),
    "snow_depth": (
        *("altura nieve", "profundidade neve", "profondeur neige", "spessore manto nevoso", "schneedicke"),
        *("sneeuwdikte", "glebokosc sniegu", "vyska snehove pokryvky", "hrubka snehu", "visina snezne odeje"),
        *("dubina snijega", "ho magassag", "adancime zapada", "paxos xioniou", "kar yuksekligi"),
        *("snotjocklek", "snotykkelse", "snetykkelse", "lumikorkeus", "lume sugavus", "sniego storis"),
        *("xueshen", "積雪深", "vysota snezhnogo pokrova", "tovshchyna snihu"),
    ),
    "tree_cover_fraction": (
        *("cobertura de copas", "densidade arvores", "couvert forestier", "copertura chiome"),
        *("ueberschirmung", "kroondichtheid", "gestosc drzew", "hustota stromu", "lesnatost"),
        *("pokritost z drevesi", "pokrov drveca", "lombboritas", "acoperire coronament", "pyknotita dentron"),
        *("agac kapaliligi", "tradtathet", "tretetthet", "kronedaekke", "latvuston peittavyys"),
        *("puude katvus", "miskingumas", "kerapatan tajuk", "do tan che", "树冠覆盖", "森林被覆率"),
        *("kifuniko cha miti", "pokrytie derevyami", "zimknutist kron"),
    ),
    "wind_speed": (
        *("viento vel", "vel vento", "vit vent", "vento velocita", "windstaerke", "gem windsnelheid"),
        *("pred wiatru", "rychl vetru", "vietor rychlost", "hitr vetra", "vjetar brzina", "szel sebesseg"),
        *("viteza vantului", "anemos taxytita", "ruzgar hiz", "medelvind", "middelvind", "tuulennopeus"),
        *("tuulekiirus", "vejo greitis", "kec angin", "van toc gio", "fengsu", "fusoku", "sureat riyah"),
        *("kasi ya upepo", "veter skorost", "shvydkist vitru"),
    ),
    "land_cover_class": (
        *("usos suelo", "ocupacao solo", "couverture terrestre", "copertura del terreno", "bodennutzung"),
        *("grondgebruik", "pokr terenu", "vyuziti krajiny", "vyuzitie krajiny", "pokrovnost tal"),
        *("zemljisni pokrov", "felszinboritottsag", "utilizare teren", "kalypsi edafous", "arazi siniflari"),
        *("marktackedata", "arealtype", "arealbrug", "maanpeiteluokat", "maakattetyybid", "zemenauda"),
        *("litupan tanah", "tham phu", "tudi fugai", "tochi hifuku", "alghita alardi", "matumizi ardhi"),
        *("ispolzovanie zemel", "vykorystannya zemel"),
    ),
    "aboveground_biomass": (
        *("biomasa forestal", "biomassa aerea", "biomasse forestiere", "biomassa forestale", "holzbiomasse"),
        *("bosbiomassa", "biomasa drzew", "nadzemni biomasa", "nadzemna biomasa", "foldfeletti biomassza"),
        *("biomasa supraterana", "yperygeia viomaza", "biyokutle orman", "skogsbiomassa", "skogbiomasse"),
        *("skovbiomasse", "puuston biomassa", "maapealne biomass", "antzemine biomase", "biojisim"),
        *("sinh khoi rung", "shengwuliang", "地上部バイオマス", "biomasi juu ya ardhi", "fitomassa"),
    ),
    "soil_organic_carbon": (
        *("cos suelo", "carb org sol", "sostanza organica carbonio", "org kohlenstoff", "podny uhlik"),
        *("ogljik tal", "ugljik tla", "szervesszen", "anthrakas edafous", "toprak organik karbonu"),
        *("karbon i jord", "org kulstof", "mulla susinik", "dirvozemio anglis", "cac bon huu co dat"),
        *("youjitan", "org uglerod", "organichnyi vuglets"),
    ),
    "sea_surface_temperature": (
        *("temp agua mar", "temp mer surface", "temp mare", "ostseetemperatur", "zeetemperatuur"),
        *("temperatura wody morskiej", "teplota povrchu more", "teplota povrchu mora"),
        *("temperatura gladine morja", "temp mora", "tenger felszin homerseklet", "temperatura apei marii"),
        *("thermokrasia epifaneias thalassas", "deniz sicakligi", "vattentemp hav", "overflatetemp hav"),
        *("havvandstemperatur", "meren lampotila", "merevee temperatuur", "juros pavirsiaus temperatura"),
        *("suhu laut", "nhiet do be mat bien", "haibiao wendu", "kaimen suion"),
        "temperatura poverhnosti morya",
    ),
}
UNCERTAINTIES = (
    *("uncertainty", "incertidumbre", "incerteza", "incertitude", "incertezza", "Unsicherheit", "onzekerheid"),
    *("niepewnosc", "nejistota", "neistota", "negotovost", "nesigurnost", "bizonytalansag", "incertitudine"),
    *("avevaiotita", "belirsizlik", "osakerhet", "usikkerhet", "usikkerhed", "epavarmuus", "maaramatus"),
    *("neapibreztis", "ketidakpastian", "do bat dinh", "不确定性", "誤差", "neopredelennost", "nevyznachenist"),
    *("error", "erro", "erreur", "errore", "Fehler", "fout", "blad", "chyba", "napaka", "pogreska", "hiba", "eroare"),
    *("sfalma", "hata", "feil", "fejl", "virhe", "paklaida", "kesalahan", "sai so", "oshibka", "pokhybka", "makosa"),
)
DEVIATIONS = (
    *("std", "desv est", "desvio padrao", "ecart type", "dev std", "Standardabweichung", "standaardafwijking"),
    *("odchylenie standardowe", "smerodatna odchylka", "standardni odklon", "standardna devijacija", "szoras"),
    *("abatere standard", "typiki apoklisi", "std sapma", "standardavvikelse", "standardavvik", "standardafvigelse"),
    *("keskihajonta", "standardhalve", "simpangan baku", "do lech chuan", "标准差", "standartnoe otklonenie"),
)
MEASURED = ("biomass", "tree height", "LST", "soil moisture", "NDVI", "snow depth", "population density", "biomasa")


@pytest.mark.parametrize(("quantity", "names"), IN_LANGUAGES.items())
def test_words_of_a_language_say_their_quantity(quantity: str, names: tuple[str, ...]) -> None:
    found = {name: name_facts(f"{name}_20210714.tif").facts.value("quantity") for name in names}
    assert found == dict.fromkeys(names, quantity)


@given(
    word=st.sampled_from(UNCERTAINTIES),
    of=st.sampled_from(MEASURED),
    before=st.booleans(),
    separator=st.sampled_from(["_", " ", "-"]),
)
def test_an_uncertainty_is_never_the_quantity_that_it_is_of(word: str, of: str, before: bool, separator: str) -> None:
    name = separator.join((word, of) if before else (of, word))
    assert name_facts(f"{name}_2021.tif").facts.value("quantity") == "uncertainty"


@given(word=st.sampled_from(DEVIATIONS), of=st.sampled_from(MEASURED), before=st.booleans())
def test_a_standard_deviation_is_never_the_quantity_that_it_is_of(word: str, of: str, before: bool) -> None:
    name = "_".join((word, of) if before else (of, word))
    assert name_facts(f"{name}_2021.tif").facts.value("quantity") in (None, "uncertainty")


@pytest.mark.parametrize(
    ("word", "concepts"),
    [
        ("Regensumme", {"rain"}),
        ("nederbordssumma", {"rain"}),
        ("sandgehalt", {"sand"}),
        ("siltinnhold", {"silt"}),
        ("medelvind", {"wind"}),
        ("Landoberflaechentemperatur", {"land", "surface", "temperature"}),
    ],
)
def test_means_sums_and_amounts_are_told_of_what_they_are_written_with(word: str, concepts: set[str]) -> None:
    assert concepts_in(word).keys() == concepts


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("uhlik v pude", "soil_organic_carbon"),
        ("vlaga u tlu", "soil_moisture"),
        ("wind v 10m", "northward_wind"),
        ("v", None),
        ("Ton_0-5cm", "clay_content"),
        ("Ton", None),  # a tone, or a tonne
        ("debu 5-15cm", "silt_content"),
        ("debu", None),  # dust
    ],
)
def test_what_stands_beside_a_word_decides(name: str, quantity: str | None) -> None:
    assert name_facts(f"{name}.tif").facts.value("quantity") == quantity


@given(
    people=st.sampled_from(["einw", "pop", "inwoners", "asukkaita", "habitants", "ludnosc"]),
    per=st.sampled_from(["", "pro_", "per_", "na_", "po_"]),
)
def test_people_in_square_kilometres_are_how_many_there_are_on_each(people: str, per: str) -> None:
    facts = name_facts(f"{people}_{per}km2_2020.tif").facts
    assert (facts.value("quantity"), facts.value("unit")) == ("population_density", "km-2")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("osadki_iyul_2020", ("precipitation", "2020-07-01")),
        ("vroxi_ioul_2021", ("precipitation", "2021-07-01")),
        ("mua_thang_3_2020", ("precipitation", "2020-03-01")),
        ("opadiv_serpnya_2020", ("precipitation", "2020-08-01")),
    ],
)
def test_months_in_letters_of_another_script(name: str, said: tuple[str, str]) -> None:
    facts = name_facts(f"{name}.tif").facts
    assert (facts.value("quantity"), facts.value("datetime")) == said


def test_a_folder_that_repeats_what_published_names_say_makes_nothing_of_them() -> None:
    name = "seasonality_10E_50Nv1_4_2021.tif"
    inside, made = (name_facts(name, "uint8", folders=folder).facts for folder in ("seasonality", "anomaly"))
    assert (inside.value("quantity"), inside.value("unit")) == ("duration", "month")
    assert "quantity" not in made


def test_a_product_that_more_words_tell_goes_before_that_of_one_of_them() -> None:
    names = ("HLS_nir_2020-07-09.tif", "HLS_L30_B05_2020-07-09.tif")
    either, landsat = (name_facts(name, "int16") for name in names)
    assert (either.product, landsat.product) == ("hls", "hls_landsat")
    assert either.facts["bands"].value == ("nir08",)
    assert either.facts["bands"].origin is Origin.ASSUMED


def _taken(folder: Path, name: str, numbers: np.ndarray[tuple[int, ...], np.dtype[np.int64]], dtype: str) -> Artifact:
    path = folder / name
    write_raster(path, dtype=dtype, shape=(40, 40))
    with rasterio.open(path, "r+") as file:
        file.write(numbers.astype(dtype), 1)
    (item,) = take_inventory(folder).artifacts
    return item


@pytest.mark.parametrize("most", [12, 30, 45])
def test_whole_numbers_of_a_share_are_per_cent_where_no_product_stores_them_otherwise(
    tmp_path: Path, most: int
) -> None:
    numbers = np.random.default_rng(most).integers(0, most + 1, (40, 40))
    told = _taken(tmp_path, "builtup_cover_2019.tif", numbers, "uint8").known("unit")
    assert told is not None
    assert (told.value, told.origin) == ("%", Origin.ASSUMED)


def test_whole_numbers_that_are_no_shares_are_in_no_unit_of_shares(tmp_path: Path) -> None:
    numbers = np.random.default_rng(1).integers(0, 31, (40, 40))
    assert _taken(tmp_path, "fcover_2019.tif", numbers, "uint8").fact("unit") != "1"


def test_units_and_scales_of_an_uncertainty_are_shown(tmp_path: Path) -> None:
    numbers = np.random.default_rng(2).integers(100, 900, (40, 40))
    item = _taken(tmp_path, "biomass_uncertainty_2019.tif", numbers, "uint16")
    shown = {one.value for one in take_inventory(tmp_path).open[str(item.path), item.band] if one.fact == "unit"}
    assert {"kg m-2", "Mg ha-1"} <= shown
    kelvin = {one.value for one in _open(tmp_path, "LST_uncertainty_K_2019.tif", numbers) if one.fact == "scale"}
    assert 0.01 in kelvin


def _open(folder: Path, name: str, numbers: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> tuple[Candidate, ...]:
    inside = folder / "other"
    inside.mkdir()
    item = _taken(inside, name, numbers, "int16")
    return take_inventory(inside).open.get((str(item.path), item.band), ())
