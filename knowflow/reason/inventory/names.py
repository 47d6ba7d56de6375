"""What the names of files and layers say by the grammars in force."""

from __future__ import annotations

from knowflow.ground.errors import DocumentError
from knowflow.ground.kept import kept
from knowflow.reason.inventory.grammar import Grammars, NameFacts, compile_grammars, documents, read_layer, read_name
from knowflow.reason.inventory.grammar_check import check_grammars


def name_facts(path: str, dtype: str | None = None) -> NameFacts:
    """What the name of a file says; ``dtype`` is its data type where the header is known.

    Raises ``DocumentError`` where an authored grammar is broken.
    """
    return read_name(path, dtype, load_grammars())


def layer_facts(layer_name: str, dtype: str | None = None) -> NameFacts:
    """What the name of a layer alone says: the description of a band in a file of several.

    Raises ``DocumentError`` where an authored grammar is broken.
    """
    return read_layer(layer_name, dtype, load_grammars())


@kept()
def load_grammars() -> Grammars:
    """The grammars in force, the project's and the user's tried first.

    Raises ``DocumentError`` with everything that is wrong with them.
    """
    # units are checked by `check_grammars()` alone: that loads the unit library
    problems = tuple(problem for problem in check_grammars(units_too=False) if problem.severity == "error")
    if problems:
        raise DocumentError("the file-name grammars are not valid", problems=problems)
    return compile_grammars([document.data for document in documents()])
