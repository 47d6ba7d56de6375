"""The template of the report, compiled once for all runs of the command line."""

from __future__ import annotations

import marshal
import re
from collections.abc import Mapping, MutableMapping
from functools import lru_cache
from importlib.resources import as_file, files
from typing import Any

from jinja2 import BaseLoader, Environment, StrictUndefined, Template
from markupsafe import Markup, escape

from knowflow.ground.kept import kept
from knowflow.ground.kept_values import between_runs
from knowflow.roof.notation import duration, fact_of, literal, plain, words

_DAY = re.compile(r"\b(\d{4}-\d{2}-\d{2})\b")
_PAGE, *_PARTS = ("page.html.j2", "page.css", "figures.css")


def page() -> Template:
    """The template of the whole page."""
    return _environment().get_template(_PAGE)


class _Loader(BaseLoader):
    def load(self, environment: Environment, name: str, globals: MutableMapping[str, Any] | None = None) -> Template:
        code = marshal.loads(_compiled()[name])
        return environment.template_class.from_code(environment, code, {} if globals is None else globals)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=_Loader(), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        unbroken=_unbroken, plain=plain, words=words, fact_of=fact_of, literal=literal, duration=duration
    )
    return environment


def _unbroken(text: str) -> Markup:
    """Text whose dates stay on one line."""
    return Markup(_DAY.sub(r'<span class="day">\1</span>', str(escape(text))))


@kept()
@between_runs
def _compiled() -> Mapping[str, bytes]:
    """The code of the page and of what it includes, by name."""
    found = {}
    for name in (_PAGE, *_PARTS):
        with as_file(files(__package__).joinpath(name)) as path:
            code = _environment().compile(path.read_text("utf-8"), name, str(path))
        found[name] = marshal.dumps(code)
    return found
