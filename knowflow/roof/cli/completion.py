"""What a shell completes: commands, options, and the names of tools, templates and runs."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from knowflow.ground.resources import Kind

VARIABLE = "_KNOWFLOW_COMPLETE"
"""The environment variable by which a shell's script asks this command line to complete."""


class Shell(StrEnum):
    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")]) -> None:
    """Print the script that completes commands, options and names.

    For bash: eval "$(knowflow completion bash)"
    """
    from typer._completion_shared import get_completion_script

    typer.echo(get_completion_script(prog_name="knowflow", complete_var=VARIABLE, shell=shell.value))


def tool_names(incomplete: str) -> list[str]:
    """The tools whose names begin so."""
    return _named("schemas", incomplete)


def template_names(incomplete: str) -> list[str]:
    """The templates whose names begin so."""
    return _named("templates", incomplete)


def run_ids(incomplete: str) -> list[str]:
    """The runs whose ids begin so, the newest first."""
    from knowflow.ground.resources import state_home

    folder = state_home() / "runs"
    found = (one.name for one in folder.iterdir() if one.is_dir()) if folder.is_dir() else ()
    return sorted((name for name in found if name.startswith(incomplete)), reverse=True)


def _named(kind: Kind, incomplete: str) -> list[str]:
    """The documents of a kind by the names of their files, which are their own."""
    from knowflow.ground.resources import resources

    found = {one.path.stem for one in resources(kind)}
    return sorted(name for name in found if name.startswith(incomplete))
