from __future__ import annotations

import errno

import pytest

from knowflow.ground import system
from knowflow.ground.errors import NoSpaceError, OutputError, UnreadableDataError
from knowflow.ground.system import UnsupportedSystemError, refusal, require_posix


def test_a_system_without_posix_is_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "POSIX", False)
    with pytest.raises(UnsupportedSystemError) as caught:
        require_posix()
    assert "WSL" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("number", "writing", "kind"),
    [
        (errno.ENOSPC, True, NoSpaceError),
        (errno.EFBIG, False, NoSpaceError),
        (errno.EACCES, True, OutputError),
        (errno.EACCES, False, UnreadableDataError),
    ],
)
def test_what_the_system_refuses_is_named_with_its_place(number: int, writing: bool, kind: type[Exception]) -> None:
    named = refusal(OSError(number, "refused", "some/place"), writing=writing)
    assert type(named) is kind
    assert (named.where, named.found) == ("some/place", "refused")
