"""Small real tools for the tests of execution. Each call is noted in the file that ``CALLS`` names."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np

from knowflow.model.artifact import Artifact
from knowflow.tools.context import check_cancelled, report_progress, tell
from knowflow.tools.raster import Output, map_blocks, sample_statistics

CALLS = "KNOWFLOW_TEST_CALLS"
_TICK_S = 0.01


def _note(name: str) -> None:
    if os.environ.get(CALLS):
        with Path(os.environ[CALLS]).open("a") as calls:
            calls.write(f"{name}\n")


def number(value: float) -> float:
    _note(f"number {value:g}")
    return value


def telling(value: float) -> float:
    """Says something of its result."""
    _note("telling")
    tell(f"{value:g} is half of {2 * value:g}")
    return value


def total(values: list[float]) -> float:
    _note(f"total {' '.join(f'{value:g}' for value in values)}")
    return sum(values)


def divide(x: float, by: float) -> float:
    _note(f"divide {x:g} {by:g}")
    return x / by


def warm(temperature: float) -> float:
    """Takes kelvin; whoever hands over degrees Celsius must have had them converted."""
    _note("warm")
    return temperature


def note(text: str, output: Path) -> None:
    _note("note")
    output.write_text(text)


def half_note(text: str, output: Path) -> None:
    """Dies in the middle of writing."""
    output.write_text(text[: len(text) // 2])
    raise OSError("the pen broke")


def forgetful(output: Path) -> None:
    """Promises a file and does not write it."""


def full_disk(output: Path) -> None:
    raise OSError(28, "No space left on device")


def interrupt(value: float, unless: str) -> float:
    """Presses Ctrl-C and goes on until it is asked to stop; where the file ``unless`` exists it just returns."""
    _note("interrupt")
    if Path(unless).exists():
        return value
    report_progress(0.5)
    os.kill(os.getpid(), signal.SIGINT)
    while True:
        threading.Event().wait(_TICK_S)
        check_cancelled()


def die(value: float, unless: str) -> float:
    """Kills its process, as a power cut would; where the file ``unless`` exists it just returns."""
    _note("die")
    if not Path(unless).exists():
        os.kill(os.getpid(), signal.SIGKILL)
    return value


def meet(value: float, here: str, others: list[str]) -> float:
    """Returns only once all the others are running too."""
    Path(here).touch()
    while not all(Path(other).exists() for other in others):
        threading.Event().wait(_TICK_S)
        check_cancelled()
    return value


def process_id(value: float) -> int:
    return os.getpid()


def multiply(raster: Artifact, factor: float, output: Path) -> None:
    """A raster times a number."""
    _note("multiply")
    unit = str(raster.fact("unit") or "1")
    written = Output(output, quantity=raster.fact("quantity"), unit=unit)
    map_blocks(lambda block: block["raster"] * np.float32(factor), {"raster": raster}, written)


def mislabel(raster: Artifact, output: Path) -> None:
    """Writes another quantity than its schema says."""
    map_blocks(lambda block: block["raster"], {"raster": raster}, Output(output, quantity="elevation", unit="m"))


def mean_of(raster: Artifact) -> float:
    return sample_statistics(raster).mean


def mean_after(raster: Artifact, later: float) -> float:
    return mean_of(raster)


def in_bytes(raster: Artifact, output: Path) -> None:
    """Writes what is left of numbers in a type that has no decimals."""
    import rasterio

    with rasterio.open(raster.path) as source:
        profile = {**source.profile, "dtype": "uint8", "nodata": None}
        with rasterio.open(output, "w", **profile) as file:
            file.write(source.read().astype("uint8"))


def exits() -> float:
    """Ends the program."""
    sys.exit(0)


def shouts() -> float:
    """Fails with megabytes of words, some of which are no text."""
    raise RuntimeError("no \udcff" * 1_000_000)


def speechless() -> float:
    """Fails, and fails again when it is asked why."""

    class SpeechlessError(Exception):
        def __str__(self) -> str:
            raise ValueError("no words")

    raise SpeechlessError


def echo(value: Any) -> Any:
    return value


def meanwhile(when: str) -> None:
    """What somebody else does to the files while a tool is at them; tests put something in its place."""


def number_in(file: str) -> float:
    """The number that a text file holds; somebody may be busy with it before and after it is read."""
    _note("number_in")
    meanwhile("before")
    value = float(Path(file).read_text())
    meanwhile("after")
    return value
