"""The facade's part about runs that there were: found, compared, judged, traced back, written out, removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from knowflow.ground.system import refusal
from knowflow.service.api_home import Home

if TYPE_CHECKING:
    from knowflow.execution.pruning import Pruned
    from knowflow.execution.run_store import RunSummary
    from knowflow.service.critic import Verdict
    from knowflow.service.run_differences import Difference
    from knowflow.service.run_edits import Change, EditedRun
    from knowflow.service.whence import Whence


class Runs(Home):
    """The runs of a home, and parts of plans that others carry out."""

    def runs(
        self,
        *,
        status: Sequence[str] = (),
        quantity: Sequence[str] = (),
        template: Sequence[str] = (),
        tool: Sequence[str] = (),
        cause: Sequence[str] = (),
        by: Sequence[str] = (),
        all_homes: bool = False,
    ) -> tuple[RunSummary, ...]:
        """The runs that are of one of the words of each kind given, newest first; all where none is. ``all_homes``: of
        all homes whose database is that of ``KNOWFLOW_TRACES``.

        ``cause`` is that of a failure, repaired or not; ``by`` who repaired one: ``person``, ``llm``, ``rule:NAME``.

        Raises:
            KnowFlowError: there is no such status or cause; the index of runs cannot be used.
        """
        from knowflow.service.run_index import runs_found

        words = {"quantity": quantity, "template": template, "tool": tool, "cause": cause, "by": by}
        return runs_found(self.home, status, every_home=all_homes, **words)

    def last_asked(self, data: Path | str | None = None) -> str | None:
        """The id of the newest run of this home that answered a question, None where there is none, or where that was
        of another folder than ``data``."""
        from knowflow.service.next_question import last_asked

        return last_asked((one.run_id for one in self.runs()), self.trace, data)

    def compare_runs(self, run_id: str, other: str) -> tuple[Difference, ...]:
        """In what two runs differ: the question, the files, what was assumed, the steps, repairs and answers."""
        from knowflow.service.run_differences import differences

        return differences(self.trace(run_id), self.trace(other))

    def judge_run(self, run_id: str) -> Verdict:
        """Whether a run that ended failed, as far as that can be told without knowing the answer."""
        from knowflow.service.critic import verdict

        return verdict(self.trace(run_id), self.catalogue)

    def preview_edit(self, run_id: str, change: Change) -> EditedRun:
        """What a person's change of a run would do: which nodes keep their results, which are computed again.

        Raises:
            KnowFlowError: there is no such run, or the change does not hold; all reasons are listed.
        """
        return self._engine.edited(run_id, change)

    def export_run(self, run_id: str, folder: Path | str) -> tuple[Path, ...]:
        """Write a run into a folder as it stands alone: trace, plan, exchanges, logs.

        Raises:
            KnowFlowError: there is no such run, or the folder cannot be written to.
        """
        from knowflow.execution.run_store import exported

        try:
            return exported(run_id, Path(folder), self.home)
        except OSError as error:
            raise refusal(error) from error

    def whence(self, file: Path | str) -> Whence:
        """Where a file that a run delivered comes from, by its content: whatever it is called now.

        Raises:
            KnowFlowError: there is no such file, or no run of this home delivered it.
        """
        from knowflow.service.whence import whence

        return whence(Path(file), self.home)

    def carry_out_part(
        self,
        part: Path | str,
        arguments: Mapping[str, str],
        *,
        files: Sequence[str] = (),
        made: Sequence[Path] = (),
        out: Path | str,
    ) -> tuple[Path, ...]:
        """Carry out part of a plan on files that are handed over: see :mod:`knowflow.service.steps`.

        Raises:
            KnowFlowError: it is no such part, something is not handed over, or a node fails.
        """
        from knowflow.service.steps import carry_out_part

        return carry_out_part(Path(part), arguments, files, made, Path(out), self.catalogue)

    def prune(
        self,
        *,
        older_than: str | None = None,
        keep: int | None = None,
        max_size: str | None = None,
        status: Sequence[str] = (),
        cache_size: str | None = None,
        dry_run: bool = False,
    ) -> Pruned:
        """Remove the records of old runs, and of the cache what is beyond its size.

        Runs go that have one of the statuses (none given: any) and are older than ``older_than`` (``"30d"``), not among
        the ``keep`` newest, or beyond ``max_size`` (``"5GB"``). What runs delivered stays, and what has not ended.

        Raises:
            KnowFlowError: nothing says which runs go, or something that is said is not read.
        """
        from knowflow.service.pruning import pruned

        return pruned(self.home, older_than, keep, max_size, status, cache_size, dry_run=dry_run)
