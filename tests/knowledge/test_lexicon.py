"""The lexicon as authored, and how phrases are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowflow.ground.errors import DocumentError
from knowflow.ground.kept import forget
from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.lexicon_check import check_lexicon
from knowflow.knowledge.lexicon_file import words_of
from knowflow.knowledge.phrases import key_of
from knowflow.knowledge.words import clean, stem, stems, tokens


def test_the_authored_lexicon_has_no_problems() -> None:
    assert check_lexicon() == ()


def test_every_quantity_of_the_lexicon_is_a_kind() -> None:
    kinds = quantity_kinds()
    named = [m.entry.quantity for meanings in lexicon().phrases.values() for m in meanings if m.entry.quantity]
    assert named
    assert set(named) <= set(kinds)


def test_a_default_limit_cites_its_source() -> None:
    features = {
        m.entry.value: m.entry for found in lexicon().phrases.values() for m in found if m.category == "feature"
    }
    assert len(features) >= 20
    assert [name for name, entry in features.items() if entry.threshold is not None and len(entry.source) < 20] == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("burned", "burns"),
        ("averages", "averaged"),
        ("mapping", "maps"),
        ("classes", "class"),
        ("vegetated", "vegetation"),
        ("normalised", "normalized"),
        ("vapour", "vapor"),
        ("exceeding", "exceeds"),
        ("Cities", "city"),
    ],
)
def test_forms_of_a_word_share_a_stem(first: str, second: str) -> None:
    assert stem(first) == stem(second)


@pytest.mark.parametrize(
    ("first", "second"), [("greening", "green"), ("warming", "warm"), ("meaning", "mean"), ("exceed", "excess")]
)
def test_other_words_do_not(first: str, second: str) -> None:
    assert stem(first) != stem(second)


def test_the_longest_phrase_wins() -> None:
    text = clean("share of the area, dense vegetation")
    assert [mention.words for mention in lexicon().scan(text)] == ["share of the area", "dense vegetation"]


def test_articles_and_hyphens_do_not_matter() -> None:
    assert key_of("share of the area") == key_of("share of area")
    assert key_of("cloud-free") == key_of("cloud free")
    assert stems("The split-window algorithm") == ("split", "window", "algorithm")


def test_a_phrase_does_not_reach_over_a_comma() -> None:
    assert lexicon().scan(clean("dense, vegetation"))[0].words == "vegetation"


def test_short_index_names_are_read_with_case_only() -> None:
    assert any(mention.of("quantity") for mention in lexicon().scan("the EVI"))
    assert not any(mention.of("quantity") for mention in lexicon().scan("the pi"))


def test_cleaning_keeps_one_kind_of_dash_and_quote() -> None:
    assert clean("0.4–0.6 km² ‘x’\x00") == "0.4-0.6 km2 'x' "
    assert [piece.kind for piece in tokens("NDVI > 0.3")] == ["word", "mark", "number"]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("each acquİsition ıs ſmall", "each acquIsition is small"),
        ("NDVI above ½, 2½ or 1⅓ km²", "NDVI above 0.5, 2.5 or 1.333333 km2"),
        ("２０१６, ٠٫٥", "2016, 0.5"),
        ("above 5² or 5 m³", "above 5^2 or 5 m3"),
        ("10⁻³ mol m⁻² sr⁻¹", "10^-3 mol m-2 sr-1"),
        ("mean\u00a0NDVI\n\t in \u202e2016", "mean NDVI in 2016"),
    ],
)
def test_letters_and_numbers_of_other_scripts_are_read_as_they_mean(text: str, plain: str) -> None:
    assert clean(text) == plain


def test_a_letter_that_only_patterns_take_for_another_is_no_end_of_the_reading() -> None:
    assert lexicon().written_out(clean("each acquıs\u0131t\u0130on")) == "each scene"


def _write(folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(text, encoding="utf-8")


def test_a_user_adds_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _write(
        tmp_path / "pkb" / "lexicon",
        "lexicon: quantity\nentries:\n  - {value: ndvi, phrases: [plant happiness]}\n",
    )
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path))
    forget()
    try:
        (mention,) = lexicon().scan("plant happiness")
        meaning = mention.of("quantity")
        assert meaning is not None
        assert meaning.entry.value == "ndvi"
    finally:
        forget()


def test_all_problems_of_a_broken_file_are_told_with_their_lines(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _write(
        tmp_path / "pkb" / "lexicon",
        "lexicon: quantity\nentries:\n  - {value: nvdi, phrases: [x y]}\n  - {value: slopes, phrases: [x z]}\n",
    )
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path))
    found = [(problem.code, problem.line) for problem in check_lexicon()]
    assert found == [("unknown_name", 3), ("unknown_name", 4)]


def test_a_file_of_the_wrong_form_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _write(tmp_path / "pkb" / "lexicon", "lexicon: quantity\nentries:\n  - {valeu: ndvi}\n")
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path))
    forget()
    try:
        with pytest.raises(DocumentError) as caught:
            lexicon()
        assert {problem.code for problem in caught.value.problems} == {"missing_key", "unknown_key"}
    finally:
        forget()


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("no. of days w/ a mean temp above 300 K", "number of days with a mean temperature above 300 K"),
        ("NDVI per yr by landcover", "NDVI per year by land cover"),
        ("Temps of 2 yrs", "temperatures of 2 years"),
        ("template, contemporary and tempo stay", "template, contemporary and tempo stay"),
    ],
)
def test_shortened_words_are_written_out(text: str, full: str) -> None:
    assert lexicon().written_out(text) == full


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Which acquisition is it?", "Which scene is it?"),
        ("Number of overpasses by acquisition date", "number of scenes by date"),
        ("Count the raster cells", "Count the pixels"),
        ("Cell values by cell line", "Cell values by cell line"),
        ("every one of the parishes", "each districts"),
        ("unconnected lakes", "separate lakes"),
    ],
)
def test_words_that_mean_the_same_are_read_as_one(text: str, same: str) -> None:
    assert lexicon().written_out(text).lower() == same.lower()


@pytest.mark.parametrize(
    "text",
    ["Mean NDVI in Canton, Ohio", "NDVI of the Prefecture of Attica", "What is the NDVI in the Constituency of Bath?"],
)
def test_a_word_that_is_written_large_inside_a_sentence_is_a_name(text: str) -> None:
    assert lexicon().written_out(text) == text


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Mean NDVI Of Each Parish", "Mean NDVI Of Each district"),
        ("MEAN NDVI OF EACH PARISH", "MEAN NDVI OF EACH district"),
        ("It rained. Parishes are many.", "It rained. districts are many."),
    ],
)
def test_a_word_that_is_written_large_as_all_are_is_no_name(text: str, same: str) -> None:
    assert lexicon().written_out(text) == same


@pytest.mark.parametrize(
    ("text", "read", "written"),
    [
        ("mean temp of each blob", "temperature of each patch", "temp of each blob"),
        ("on each acquisition date", "each date", "each acquisition date"),
        ("each parish of the district", "each district", "each district"),
    ],
)
def test_what_is_read_otherwise_is_told_in_its_own_words(text: str, read: str, written: str) -> None:
    assert lexicon().reworded(text).as_written(read) == written


def test_what_usual_words_may_mean_as_well_are_quantities() -> None:
    others = {name for names in lexicon().instead.values() for name in names}
    assert {"sea_surface_temperature", "fire_radiative_power"} <= others <= quantity_kinds().keys()


def test_algorithms_say_which_quantity_they_retrieve() -> None:
    assert lexicon().retrieved["split_window"] == "surface_temperature"


def test_what_looks_or_acts_so_is_known_in_all_forms() -> None:
    for words in ("muddiest", "murkier", "smoky", "shone", "shining"):
        assert any(mention.of("feature") for mention in lexicon().scan(words)), words


MOVEMENT = "lexicon: movement\nentries:\n  - "
FEATURE = "lexicon: feature\nentries:\n  - {value: it, phrases: [it], quantity: ndvi, "


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        (MOVEMENT + "{value: sideways, verbs: [wobble]}", "bad_value", "one of up, down, either"),
        (MOVEMENT + "{value: [up], verbs: [wobble]}", "bad_value", "one of up, down, either"),
        (MOVEMENT + "{value: up, phrases: [goes wild]}", "missing_key", "one of verbs, nouns, adjectives"),
        (
            MOVEMENT + "{value: up, verbs: ['+ up']}",
            "bad_value",
            "a verb in letters, such as grow, or go went gone + up",
        ),
        (
            MOVEMENT + "{value: up, verbs: ['(((']}",
            "bad_value",
            "a verb in letters, such as grow, or go went gone + up",
        ),
        (MOVEMENT + "{value: up, nouns: ['(a+)+$']}", "bad_value", "words in letters"),
        (FEATURE.replace("[it]", "[six overpasses]") + "}", "never_met", "a phrase as it is read: 'six scenes'"),
        (FEATURE + "of_area: true}", "unread_key", "a field that a feature has"),
        (
            "lexicon: unit\nentries:\n  - {value: m, phrases: [jigs], rank: analysis}",
            "unread_key",
            "a field that a unit has",
        ),
        (MOVEMENT + "{value: up, adjectives: ['']}", "bad_value", "words in letters"),
        (
            MOVEMENT + "{value: up, verbs: [jig]}\n  - {value: down, verbs: [jig]}",
            "two_meanings",
            "one meaning a phrase",
        ),
        ("lexicon: common\nalike: {scene: ['a|b']}", "bad_value", "words in letters"),
        ("lexicon: common\nalike: {scene: ['']}", "bad_value", "words in letters"),
        ("lexicon: common\nalike: {scene: [jig], date: [jig]}", "two_meanings", "one meaning a word"),
        ("lexicon: common\nalike: {overpass: [jig]}", "two_meanings", "a word that is read as it stands"),
        ("lexicon: common\nshorthand: {'': years}", "bad_value", "words"),
        ("lexicon: direction\nentries: [{value: sideways, phrases: [jig]}]", "bad_value", "one of above, below"),
        ("lexicon: unit\nentries: [{value: jiggles, exact: [jig]}]", "unknown_unit", "a unit that is known"),
        ("lexicon: setting\nentries: [{value: day, slot: daynihgt, phrases: [jig]}]", "unknown_name", "one of "),
        ("lexicon: quantity\nentries: [{value: ndvi, phrases: [' ']}]", "bad_value", "words"),
        (FEATURE + "threshold: {value: .nan, side: above}}", "bad_value", "a finite number"),
        (FEATURE + "threshold: {value: much, side: above}}", "bad_value", "a number"),
        (FEATURE + "threshold: {value: 5, side: above, unit: m}}", "unknown_unit", "a unit of ndvi, such as 1"),
        (FEATURE + "threshold: {value: 0.5, side: between, upper: 0.1}}", "bad_value", "an upper limit beside"),
    ],
)
def test_an_entry_that_nothing_could_read_is_told_as_such(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, code: str, expected: str
) -> None:
    _write(tmp_path / "pkb" / "lexicon", text + "\n")
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path))
    (problem,) = check_lexicon()
    assert problem.code == code
    assert problem.expected.startswith(expected)
    assert problem.line == text.count("\n") + 1


@pytest.mark.parametrize("entry", ["{value: sideways, verbs: [wobble]}", "{value: up, verbs: ['(']}"])
def test_a_movement_that_nothing_could_read_is_refused_before_a_question_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, entry: str
) -> None:
    _write(tmp_path / "pkb" / "lexicon", MOVEMENT + entry + "\n")
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path))
    forget()
    with pytest.raises(DocumentError, match=r"mine\.yaml:3"):
        lexicon()
    forget()


def test_what_a_user_says_of_a_word_hides_what_is_packaged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _write(
        tmp_path / "pkb" / "lexicon",
        MOVEMENT + "{value: down, verbs: [rise], nouns: [rise, growth], adjectives: [big]}\n",
    )
    (tmp_path / "pkb" / "lexicon" / "alike.yaml").write_text("lexicon: common\nalike: {date: [overpass]}\n", "utf-8")
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path))
    forget()
    try:
        assert check_lexicon() == ()
        ways = {(word.split()[0], str(one.value)) for one in lexicon().movements for _, word in words_of(one)}
        assert {way for word, way in ways if word in ("rise", "growth", "big")} == {"down"}
        assert lexicon().written_out("each overpass") == "each date"
    finally:
        forget()
