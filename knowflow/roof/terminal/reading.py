"""How a question was read: the tree with the words behind each part, what was not read, other readings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from knowflow.question.form import to_data
from knowflow.question.operators import Expression, Over, Position, children
from knowflow.roof.notation import plain
from knowflow.roof.terminal.console import ACCENT, BAD, QUIET
from knowflow.roof.terminal.problems import show_questions

if TYPE_CHECKING:
    from knowflow.question.reading.readings import Reading


def show_reading(console: Console, reading: Reading) -> None:
    """The expression in words and as a tree; or what stands in the way."""
    if reading.by:
        console.print(Text.assemble(("Read by ", "bold"), plain(reading.by)), soft_wrap=True)
    for line in _told(reading):
        console.print(line, soft_wrap=True)
    show_questions(console, reading.instead)


def show_topics(console: Console, topics: Mapping[str, Sequence[str]]) -> None:
    """Questions by topic, each on a line of its own, to be copied."""
    for topic, questions in topics.items():
        console.print(Text(topic[:1].upper() + topic[1:], style="bold"))
        for question in questions:
            console.print(Text(f"  {plain(question)}", style=ACCENT), soft_wrap=True)
    if not topics:
        console.print(Text("Nothing that these data hold can be asked for yet.", style=QUIET))


def _told(reading: Reading) -> Iterator[Text | Tree]:
    if reading.expression is not None:
        yield Text.assemble(("Understood as: ", "bold"), plain(reading.in_words(reading.expression)))
        yield reading_tree(reading, reading.expression)
        joining = [part.words for part in reading.parts if part.at is None]
        if joining:
            yield Text(f"Words that join: {', '.join(map(plain, joining))}", style=QUIET)
    elif reading.unread:
        words = ", ".join(repr(word) for word in reading.unread)
        yield Text.assemble(("Not read: ", f"bold {BAD}"), f"nothing is known by {plain(words)}; say it in other words")
    elif reading.apart:
        yield Text.assemble(("Not read: ", f"bold {BAD}"), "these parts do not go together")
        yield from (Text(f"  {plain(part)}") for part in reading.apart)
    else:
        yield Text.assemble(("Not taken: ", f"bold {BAD}"), "these readings are as likely as each other")
        yield from (Text(f"  {plain(reading.in_words(one))}") for one in reading.alike)
    if reading.others:
        yield Text("Less likely:", style=QUIET)
    yield from (Text(f"  {plain(reading.in_words(other))}", style=QUIET) for other in reading.others)


def reading_tree(reading: Reading, expression: Expression, at: Position = ()) -> Tree:
    """An operator with its own values, the words behind it, and what is below."""
    data = to_data(expression)
    line = Text(expression.op if isinstance(data, dict) else plain(str(data)), style=ACCENT)
    own = data.get(expression.op) if isinstance(data, dict) else None
    below = {str(place[1]) for place, _ in children(expression)}
    if own in (to_data(child) for _, child in children(expression)):
        pass  # written without the name of its one part
    elif isinstance(own, dict):
        line.append("".join(f" {name} {_value(value)}" for name, value in own.items() if name not in below), "default")
    elif own is not None and not below:
        line.append(f" {_value(own)}", "default")
    words = reading.behind(at)
    if words:
        line.append(f"   ← {', '.join(map(plain, words))}", style=QUIET)
    elif isinstance(expression, Over):
        line.append("   not said, so by the usual order", style=QUIET)
    tree = Tree(line)
    for place, child in children(expression):
        tree.add(reading_tree(reading, child, (*at, *place)))
    return tree


def _value(value: object) -> str:
    return plain(", ".join(map(str, value)) if isinstance(value, list) else str(value))
