"""KnowFlow: from a sentence and a folder of Earth-observation files to a checked, executed, explained workflow."""

from typing import TYPE_CHECKING

__version__ = "0.1.0"
__all__ = ["KnowFlow", "__version__"]

if TYPE_CHECKING:
    from knowflow.roof.library import KnowFlow as KnowFlow


def __getattr__(name: str) -> object:
    """Import the facade only when asked for, so that ``knowflow --help`` stays instant."""
    if name == "KnowFlow":
        from knowflow.roof.library import KnowFlow

        return KnowFlow
    raise AttributeError(f"module 'knowflow' has no attribute {name!r}")
