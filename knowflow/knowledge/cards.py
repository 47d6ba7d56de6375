"""Task cards: the kinds of question that users ask, with guidance and the templates that answer them.

Authored in ``pkb/cards/*.yaml``; the tree of domains and the fields of application are in ``pkb/taxonomy.yaml``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from pydantic import Field

from knowflow.ground.errors import DocumentError, UnknownNameError
from knowflow.ground.kept import kept
from knowflow.ground.report import Problem, Problems
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.yamldoc import Key
from knowflow.knowledge.documents import authored, strongest
from knowflow.model.tool import Document

_FILES = "cards/**/*.yaml"


class TaskCard(Document):
    """A kind of question: what it is, the words people use for it, what an expert minds, and what answers it."""

    card: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str = Field(min_length=3)
    domain: str
    sub_domain: str
    definition: str = Field(min_length=20)
    keywords: tuple[str, ...] = Field(min_length=3)
    guidance: str = Field(min_length=10)
    templates: tuple[str, ...] = Field((), description="templates that answer it by name, best first")
    fields: tuple[str, ...] = Field((), description="fields of application")
    examples: tuple[str, ...] = Field(min_length=1, description="questions of this kind")


class CardFile(Document):
    """One file of task cards."""

    cards: tuple[TaskCard, ...]


class Domain(Document):
    """A domain with its sub-domains by id."""

    title: str
    sub_domains: dict[str, str]


class Taxonomy(Document):
    """The tree in which cards hang, and the fields of application that tag them."""

    taxonomy: str
    domains: dict[str, Domain]
    fields: dict[str, str]


def load_cards() -> tuple[TaskCard, ...]:
    """All task cards, strongest layer first; a card of a stronger layer hides one of the same id.

    A file with errors of form is left out: ``card_problems`` has them, ``check_cards`` finds those of meaning too.
    """
    return _cards()[0]


def card_problems() -> tuple[Problem, ...]:
    """What keeps files of task cards out of use."""
    return _cards()[1]


@kept()
def _cards() -> tuple[tuple[TaskCard, ...], tuple[Problem, ...]]:
    problems = Problems()
    found: dict[str, TaskCard] = {}
    for loaded in authored(_FILES, CardFile, problems):
        for card in loaded.model.cards:
            found.setdefault(card.card, card)
    return tuple(found.values()), problems.errors


def load_card(name: str) -> TaskCard:
    """The card of that id; raises ``UnknownNameError`` with the closest ids."""
    cards = {card.card: card for card in load_cards()}
    if name in cards:
        return cards[name]
    raise UnknownNameError(
        f"no task card is called {name!r}",
        expected=f"one of {len(cards)} task cards",
        found=repr(name),
        hint=did_you_mean(name, cards) or None,
    )


@kept()
def load_taxonomy() -> Taxonomy:
    """The tree of domains and sub-domains; raises ``DocumentError`` when it is missing or not valid."""
    taxonomy, problems = strongest("taxonomy.yaml", Taxonomy)
    if taxonomy is None:
        raise DocumentError("there is no valid taxonomy", expected="pkb/taxonomy.yaml", problems=problems)
    return taxonomy


def check_cards(known_templates: Collection[str] | None = None) -> tuple[Problem, ...]:
    """Everything that is wrong with the task cards: form, taxonomy, duplicates, templates that do not exist.

    Without ``known_templates`` the names of templates are not checked. A card that hides one of a weaker layer is a
    warning.
    """
    problems = Problems()
    taxonomy = load_taxonomy()
    first: dict[str, tuple[str, str]] = {}
    for loaded in authored(_FILES, CardFile, problems):
        for number, card in enumerate(loaded.model.cards):
            path: Key = ("cards", number)
            place = f"{loaded.document.file}:{loaded.document.line(path)}"
            layer, where = first.setdefault(card.card, (loaded.layer, place))
            if where != place:
                again, hidden = f"{card.card} again, first in {where}", f"{card.card}, hidden by {where}"
                problems.add(
                    loaded.document.problem((*path, "card"), "duplicate_name", "each card once", again)
                    if layer == loaded.layer
                    else loaded.document.problem(
                        (*path, "card"), "shadowed", "cards in use", hidden, severity="warning"
                    )
                )
            for key, name, known in _names(card, taxonomy, known_templates):
                hint = did_you_mean(name, known, f"known: {', '.join(sorted(known)[:8])}", most=1)
                problems.add(loaded.document.problem((*path, *key), "unknown_name", "a known name", repr(name), hint))
    return tuple(problems)


def _names(
    card: TaskCard, taxonomy: Taxonomy, templates: Collection[str] | None
) -> Iterator[tuple[Key, str, Collection[str]]]:
    """Every name in a card that nothing in its catalogue has: where it stands, the name, the catalogue."""
    domains: Mapping[str, Domain] = taxonomy.domains
    if card.domain not in domains:
        yield ("domain",), card.domain, domains.keys()
    elif card.sub_domain not in domains[card.domain].sub_domains:
        yield ("sub_domain",), card.sub_domain, domains[card.domain].sub_domains.keys()
    for number, field in enumerate(card.fields):
        if field not in taxonomy.fields:
            yield ("fields", number), field, taxonomy.fields.keys()
    for number, template in enumerate(card.templates if templates is not None else ()):
        if templates is not None and template not in templates:
            yield ("templates", number), template, templates
