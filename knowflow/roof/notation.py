"""How numbers, units, dates, durations and sizes are written for people; and text from files made harmless."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_SUPERSCRIPTS = str.maketrans("0123456789-+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺")
_MOST_DECIMALS, _MOST_DIGITS = 6, 4
_SHARE = re.compile(r"(^|_)(share|fraction|probability|proportion)$")
_POWER = re.compile(r"(?<=[A-Za-zµ°Ω])\^?([-+]?\d+)$")
_GRID_UNITS = {"metre": " m", "degree": "°"}
_UNIT_SIGNS = {
    "1": "",
    "degC": "°C",
    "degF": "°F",
    "delta_degC": "°C",
    "degree": "°",
    "degrees": "°",
    "percent": "%",
    "um": "µm",
    "delta_dB": "dB",
}
# control characters (terminal escapes among them), marks that reorder text, and what UTF-8 or XML cannot hold;
# tabs and line ends are kept
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)


def plain(text: object) -> str:
    """Text from anywhere as harmless text: no terminal escapes, no marks that reorder what is read."""
    return _UNSAFE.sub("\ufffd", str(text).replace("\r\n", "\n"))


def number(value: Any, digits: int = 4) -> str:
    """A number with ``digits`` significant digits and grouped thousands: ``1,234,568``, ``0.4231``, ``1.2 × 10⁻⁷``."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}".replace("-", "\u2212")
    if not isinstance(value, float):
        return plain(value)
    if math.isnan(value):
        return "not a number"
    if math.isinf(value):
        return "∞" if value > 0 else "\u2212∞"
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if size < -4 or size >= 15:
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        text = f"{mantissa} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    else:
        decimals = max(0, digits - 1 - size)
        text = f"{value:,.{decimals}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace("-", "\u2212", 1) if text.startswith("-") else text


def as_sure_as(value: float, spread: float) -> str:
    """A number down to the second digit of how far it may be off: ``-0.04814`` within 0.047 as −0.048; at most four."""
    if not (math.isfinite(value) and math.isfinite(spread)) or spread <= 0:
        return number(value)
    size = math.floor(math.log10(abs(value))) if value else 0
    sure = min(1 - math.floor(math.log10(spread)), _MOST_DIGITS - 1 - size)
    rounded = round(value, sure)
    if not 0 < sure <= _MOST_DECIMALS:
        return number(float(rounded), 15)
    return f"{rounded + 0.0:,.{sure}f}".replace("-", "\u2212", 1)


def unit_sign(unit: str | None) -> str:
    """A unit as it is printed: ``m2`` as m², ``W m-2 sr-1`` as W m⁻² sr⁻¹, ``1`` as nothing."""
    if not unit:
        return ""
    return " ".join(filter(None, (_unit_word(word) for word in plain(unit).split())))


def _unit_word(word: str) -> str:
    if word in _UNIT_SIGNS:
        return _UNIT_SIGNS[word]
    power = _POWER.search(word)
    if power is None:
        return word
    name = word[: power.start()]
    return _UNIT_SIGNS.get(name, name) + power.group(1).translate(_SUPERSCRIPTS)


def measure(value: Any, unit: str | None, digits: int = 4) -> str:
    """A number with its unit: ``42.3 %``, ``15°``, ``1.25 km²``; no-break spaces keep the two together."""
    sign = unit_sign(unit)
    text = number(value, digits)
    if not sign:
        return text
    return f"{text}{sign}" if sign == "°" else f"{text}\u00a0{sign}"


def also(value: Any, unit: str | None, quantity: str | None = None) -> str:
    """The same amount in a unit that is easier to grasp, or nothing: a share as %, square metres as ha and km²."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return ""
    if unit == "1" and quantity is not None and _SHARE.search(quantity) and 0 <= value <= 1:
        return f"{number(value * 100)}\u00a0%"
    if unit == "m2" and abs(value) >= 1e4:
        hectares = f"{number(value / 1e4)} ha"
        return f"{hectares}, {number(value / 1e6)} km²" if abs(value) >= 1e6 else hectares
    if unit == "km2" and abs(value) < 1:
        return f"{number(value * 100)} ha"
    if unit == "K" and 150 < value < 400:
        return f"{number(value - 273.15)} °C"
    return ""


def pixel_size(sizes: Sequence[float], crs: str | None, times: str = "×") -> str:
    """The width and height of a pixel, once where they are equal, in the unit of its CRS: ``10 m``, ``0.5 × 0.25°``."""
    text = f" {times} ".join(dict.fromkeys(number(abs(float(size))) for size in sizes))
    if crs is None:
        return text
    from knowflow.model.geo import crs_of

    name = str(crs_of(crs).axis_info[0].unit_name)
    return f"{text}{_GRID_UNITS.get(name, f' {plain(name)}')}"


def duration(seconds: float | None) -> str:
    """``0.42 s``, ``12.3 s``, ``3 min 20 s``, ``2 h 5 min``."""
    if seconds is None:
        return "–"
    if seconds < 0.01:
        return "<\u200a0.01\u00a0s"
    if seconds < 10:
        return f"{seconds:.2f}\u00a0s"
    if seconds < 60:
        return f"{seconds:.1f}\u00a0s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}\u00a0min {rest}\u00a0s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}\u00a0h {minutes}\u00a0min"


def size(count: float | None) -> str:
    """Bytes as people write them, in powers of 1000: ``3.2 MB``."""
    if count is None:
        return "–"
    amount, names = float(count), ("B", "kB", "MB", "GB", "TB")
    rank = 0
    while amount >= 999.5 and rank < len(names) - 1:
        amount, rank = amount / 1000, rank + 1
    return f"{number(int(amount) if rank == 0 else amount, 3)}\u00a0{names[rank]}"


def moment(seconds: float | None) -> str:
    """A time since the epoch, in UTC, to the second."""
    if seconds is None:
        return "–"
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def date_of(text: Any) -> datetime | None:
    """An ISO 8601 date or time (UTC where it does not say), or None."""
    try:
        found = datetime.fromisoformat(str(text).strip().replace("Z", "+00:00"))
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def day(text: Any) -> str:
    """The day of an ISO 8601 time; other text as it is."""
    found = date_of(text)
    return plain(text) if found is None else found.date().isoformat()


def day_in_words(text: Any) -> str:
    """The day of an ISO 8601 time as people say it: ``5 July 2017``; other text as it is."""
    found = date_of(text)
    return plain(text) if found is None else f"{found.day} {found:%B %Y}"


def shorten(text: object, length: int) -> str:
    """At most ``length`` characters, cut at the end."""
    line = " ".join(plain(text).split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def middle(text: object, length: int) -> str:
    """At most ``length`` characters, cut in the middle: paths and digests tell most at their ends."""
    line = plain(text)
    if len(line) <= length:
        return line
    head = (length - 1) // 3
    return line[:head] + "…" + line[len(line) - (length - 1 - head) :]


def place(path: str | Path) -> str:
    """A path as people would type it here: from the current folder where it lies in it, else as it is."""
    given = Path(path)
    try:
        here = given.relative_to(Path.cwd()) if given.is_absolute() else given
    except (ValueError, OSError):  # elsewhere, or there is no current folder any more
        here = given
    return plain(here)


_OF_STEPS = re.compile(r"(?<= of )[a-z]\w*(?:\.\w+)+\.(\w+)$")  # slope.it.product.elevation, and not dem.tif


def words(name: str) -> str:
    """An identifier as words: ``surface_temperature`` as "surface temperature"."""
    return plain(name).replace("_", " ").strip()


def fact_of(what: str) -> str:
    """A fact of an input in words, the input by the last of the steps that lead to it: "unit of elevation"."""
    return words(_OF_STEPS.sub(r"\1", plain(what)))


def literal(value: Any, length: int = 120) -> str:
    """Any plain value on one line."""
    if isinstance(value, Mapping):
        text = ", ".join(f"{key}: {literal(item)}" for key, item in value.items())
    elif isinstance(value, Sequence) and not isinstance(value, str):
        text = ", ".join(literal(item) for item in value)
    else:
        text = number(value, 6)
    return shorten(text, length)
