"""What every part of the facade stands on: one home folder, and the knowledge at hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from knowflow.ground.kept import as_authored
from knowflow.ground.resources import state_home

if TYPE_CHECKING:
    from knowflow.execution.action import Runner
    from knowflow.knowledge.catalogue import Catalogue
    from knowflow.model.trace import Trace
    from knowflow.service.engine import Engine
    from knowflow.service.presenter import Presenter


class Home:
    """One home folder with the knowledge at hand, which is read again where its files changed."""

    def __init__(self, home: Path | str | None = None, presenter: Presenter | None = None) -> None:
        self.home = Path(home).resolve() if home is not None else state_home()
        self._presenter = presenter
        self._known: tuple[int, Catalogue] | None = None
        self._planning: tuple[Catalogue, Engine] | None = None

    @property
    def catalogue(self) -> Catalogue:
        """All tools and templates at hand, as their files are now."""
        from knowflow.service.knowledge_cache import catalogue_of

        state = as_authored()
        if self._known is None or self._known[0] != state:
            self._known = state, catalogue_of(self.home)
        return self._known[1]

    @property
    def _engine(self) -> Engine:
        from knowflow.service.engine import Engine

        catalogue = self.catalogue
        if self._planning is None or self._planning[0] is not catalogue:
            self._planning = catalogue, Engine(self.home, catalogue, self._presenter)
        return self._planning[1]

    def _runner(self, runner: str | Runner) -> Runner:
        from knowflow.service.runners import runner_of

        return runner_of(runner, self.home) if isinstance(runner, str) else runner

    def trace(self, run_id: str) -> Trace:
        """The record of a run, by its id or the beginning of it; also of another home, where they share a database."""
        from knowflow.service.run_index import trace_anywhere

        return trace_anywhere(run_id, self.home)
