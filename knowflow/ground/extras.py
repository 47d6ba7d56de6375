"""Parts of KnowFlow that are installed on demand, and the error of one that is not."""

from __future__ import annotations

import importlib.util

from knowflow.ground.errors import KnowFlowError


class MissingExtraError(KnowFlowError):
    """The packages of an optional part are not installed."""

    code = "missing_extra"


def require_extra(extra: str, *packages: str) -> None:
    """Go on only where the packages of an extra can be imported; none of them is imported by this.

    Raises:
        MissingExtraError: one of them is not installed; the hint is the command that installs it.
    """
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    if missing:
        raise MissingExtraError(
            f"{', '.join(missing)} is not installed",
            expected=f"the packages of the extra {extra!r}",
            found=f"no package {', '.join(missing)}",
            hint=f'pip install "knowflow[{extra}]"',
        )
