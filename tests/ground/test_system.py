from __future__ import annotations

import ctypes
import errno
import platform

import pytest

from knowflow.ground import system
from knowflow.ground.errors import NoSpaceError, OutputError, UnreadableDataError
from knowflow.ground.system import UnsupportedSystemError, refusal, require_posix, reuse_memory


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


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is another")
def test_freed_memory_is_kept_as_the_c_library_allows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []

    class Library:
        def __init__(self, name: None) -> None:
            self.library = original(name)

        def mallopt(self, option: int, value: int) -> None:
            taken.append(self.library.mallopt(option, value))

    original = ctypes.CDLL
    monkeypatch.setattr(ctypes, "CDLL", Library)
    reuse_memory()
    assert taken == [1, 1]


def test_a_c_library_without_such_options_is_let_be(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    class Library:
        def __init__(self, name: None) -> None: ...

        def __getattr__(self, name: str) -> object:
            asked.append(name)
            raise AttributeError(name)

    monkeypatch.setattr(ctypes, "CDLL", Library)
    reuse_memory()
    assert asked == ["mallopt"]  # and goes on
