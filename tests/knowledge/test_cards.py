"""Task cards as authored, and what their check finds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from knowflow.ground import yamldoc
from knowflow.ground.errors import UnknownNameError
from knowflow.ground.kept import forget
from knowflow.ground.resources import packaged_root
from knowflow.knowledge.cards import card_problems, check_cards, load_card, load_cards, load_taxonomy

CARD = """\
cards:
  - card: my_card
    title: My own question
    domain: environmental_monitoring
    sub_domain: water
    definition: Something that I ask of water every week of the year.
    keywords: [mine, own, question]
    guidance: Nothing to mind here at all.
    templates: [water_bodies]
    examples: [How is my water?]
"""


@pytest.fixture
def user_cards(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "pkb" / "cards"
    folder.mkdir(parents=True)
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path))
    forget()
    yield folder / "mine.yaml"
    forget()


def test_there_are_at_least_64_cards_and_every_sub_domain_has_some() -> None:
    cards = load_cards()
    assert len(cards) >= 64
    places = {(card.domain, card.sub_domain) for card in cards}
    tree = {(name, sub) for name, domain in load_taxonomy().domains.items() for sub in domain.sub_domains}
    assert len(tree) == 12
    assert places == tree


def test_every_field_of_application_is_used() -> None:
    assert {field for card in load_cards() for field in card.fields} == set(load_taxonomy().fields)


def test_the_authored_cards_have_no_problems_and_name_templates_that_exist() -> None:
    documents = [yamldoc.load(path).data for path in packaged_root("templates").glob("**/*.yaml")]
    templates = {str(data["template"]) for data in documents if isinstance(data, dict) and "template" in data}
    assert len(templates) > 20
    assert check_cards(templates) == ()


def test_titles_and_examples_are_not_shared() -> None:
    cards = load_cards()
    examples = [example.lower() for card in cards for example in card.examples]
    assert len({card.title for card in cards}) == len(cards)
    assert len(set(examples)) == len(examples)


def test_a_card_that_names_an_unknown_template_is_found_with_its_line(user_cards: Path) -> None:
    known = {"water_bodies", *(template for card in load_cards() for template in card.templates)}
    user_cards.write_text(CARD.replace("[water_bodies]", "[watr_bodies]"), encoding="utf-8")
    mine = [problem for problem in check_cards(known) if problem.file == str(user_cards)]
    assert [(problem.code, problem.line, problem.where) for problem in mine] == [
        ("unknown_name", 9, "cards[0].templates[0]")
    ]
    assert mine[0].hint == "did you mean water_bodies?"


def test_all_problems_of_a_file_are_told_at_once(user_cards: Path) -> None:
    text = CARD.replace("sub_domain: water", "sub_domain: watr").replace("[water_bodies]", "[watr_bodies, nonsense]")
    user_cards.write_text(text.replace("domain: env", "fields: [sports]\n    domain: env", 1), encoding="utf-8")
    codes = [problem.where for problem in check_cards({"water_bodies"}) if problem.file == str(user_cards)]
    assert codes == [
        "cards[0].sub_domain",
        "cards[0].fields[0]",
        "cards[0].templates[0]",
        "cards[0].templates[1]",
    ]


def test_a_user_s_card_hides_a_packaged_one_and_the_check_says_so(user_cards: Path) -> None:
    user_cards.write_text(CARD.replace("my_card", "open_water_extent"), encoding="utf-8")
    assert load_card("open_water_extent").title == "My own question"
    (problem,) = check_cards()
    assert problem.code == "shadowed"
    assert problem.severity == "warning"


def test_the_same_card_twice_in_one_layer_is_an_error(user_cards: Path) -> None:
    user_cards.write_text(CARD + CARD.removeprefix("cards:\n"), encoding="utf-8")
    assert [problem.code for problem in check_cards()] == ["duplicate_name"]


def test_a_card_of_the_wrong_form_is_left_out_with_every_problem(user_cards: Path) -> None:
    user_cards.write_text(
        CARD.replace("guidance", "guidence").replace("[mine, own, question]", "[mine]"), encoding="utf-8"
    )
    assert {problem.where.rpartition(".")[2] for problem in check_cards()} == {"guidance", "guidence", "keywords"}
    assert set(card_problems()) == set(check_cards())
    assert "my_card" not in {card.card for card in load_cards()}


def test_an_unknown_card_suggests_a_close_one() -> None:
    with pytest.raises(UnknownNameError, match="no task card") as caught:
        load_card("open_water_extend")
    assert "open_water_extent" in str(caught.value.hint)
