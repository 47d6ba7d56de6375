"""Folders of files of which somebody says what is true: what each holds, and which facts a reader should find.

They are written down as documents, made as real files (``knowflow_bench.inventory.written``), and read by the
inventory, which is judged by the truth (``knowflow_bench.inventory``).
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import Any, Literal

from pydantic import Field, RootModel, field_validator, model_validator

from knowflow.model.tool import Document

Dtype = Literal[
    "uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "float64"
]  # as rasterio and NumPy call them
Box = tuple[float, float, float, float]
JUDGED = ("type", "quantity", "unit", "band", "date", "sensor", "daynight", "scale", "offset", "nodata")
"""The facts of which a truth may speak, in the order in which they are told."""

_YEAR, _MONTH = re.compile(r"\d{4}\Z"), re.compile(r"(\d{4})-(\d{2})\Z")
_INSTANT = timedelta(microseconds=1)


def moments_of(text: str) -> tuple[datetime, datetime]:
    """The first and the last moment of a year, month, day or moment, or of a span ``START/END`` of these.

    >>> moments_of("2018-02")
    (datetime.datetime(2018, 2, 1, 0, 0), datetime.datetime(2018, 2, 28, 23, 59, 59, 999999))

    Raises:
        ValueError: the text is none of these, or ends before it begins.
    """
    start, slash, end = text.partition("/")
    first, last = _moments(start)[0], _moments(end if slash else start)[1]
    if last < first:
        raise ValueError(f"{text} ends before it begins")
    return first, last


def _moments(text: str) -> tuple[datetime, datetime]:
    month = _MONTH.match(text)
    if _YEAR.match(text):
        return datetime(int(text), 1, 1), datetime(int(text), 12, 31) + timedelta(days=1) - _INSTANT
    if month:
        year, number = int(month[1]), int(month[2])
        begun = datetime(year, number, 1)
        return begun, begun + timedelta(days=monthrange(year, number)[1]) - _INSTANT
    begun = datetime.fromisoformat(text).replace(tzinfo=None)
    return begun, begun if len(text) > len("2018-02-01") else begun + timedelta(days=1) - _INSTANT


class BandPixels(Document):
    """The numbers of one band as the file stores them, and what its header says of them.

    ``low`` and ``high`` are the smallest and the largest number of a smooth field; ``values`` are numbers of classes
    instead, in patches. A band of a file takes what it does not say itself from the file.
    """

    low: float = Field(0.0, description="smallest stored number")
    high: float = Field(1.0, description="largest stored number")
    values: tuple[float, ...] = Field((), description="classes, in patches, instead of low to high")
    description: str | None = Field(None, description="of the band, in the header")
    unit: str | None = Field(None, description="of the band, in the header")
    scale: float | None = Field(None, description="of the band, in the header")
    offset: float | None = Field(None, description="of the band, in the header")
    colour: str | None = Field(None, description="colour interpretation, as rasterio names it: red, nir, alpha...")
    tags: dict[str, str] = Field(default_factory=dict, description="metadata: of the file, or in `bands` of the band")

    @field_validator("tags", "band_tags", mode="before", check_fields=False)
    @classmethod
    def _texts(cls, tags: Any) -> Any:
        """YAML reads a number as one; a header holds text."""
        if not isinstance(tags, dict):
            return tags
        return {str(name): str(one) if isinstance(one, (int, float)) else one for name, one in tags.items()}


class RasterPixels(BandPixels):
    """The pixels of a raster file and their grid; ``origin`` is the upper left corner."""

    dtype: Dtype = "float32"
    crs: str | None = Field("EPSG:32633", description="null: the file does not say")
    resolution: float | tuple[float, float] = Field(10.0, description="in the unit of the CRS; two numbers: x and y")
    origin: tuple[float, float] = Field((500000.0, 5100000.0), description="upper left corner: x, y")
    shape: tuple[int, int] = Field((40, 40), description="rows, columns")
    nodata: float | None = Field(None, description="that the header declares")
    gaps: float = Field(0.0, ge=0.0, lt=1.0, description="share of pixels that hold nodata")
    band_tags: dict[str, str] = Field(default_factory=dict, description="metadata of every band")
    bands: tuple[BandPixels, ...] = Field((), description="one for each band of a file of several")
    colours: dict[int, tuple[int, int, int]] = Field(default_factory=dict, description="colour table: red, green, blue")
    compress: str | None = "deflate"

    @model_validator(mode="after")
    def _possible(self) -> RasterPixels:
        if self.gaps and self.nodata is None:
            raise ValueError("gaps need a nodata to mark them with")
        if min(self.shape) < 1 or max(self.shape) > 2000:
            raise ValueError("a shape is rows and columns, from 1 to 2000")
        return self

    @property
    def each(self) -> tuple[BandPixels, ...]:
        """The bands in order, each with what it has from the file."""
        if not self.bands:
            fields = {name: getattr(self, name) for name in BandPixels.model_fields if name != "tags"}
            return (BandPixels(**fields, tags=self.band_tags),)
        shared = {name: getattr(self, name) for name in ("low", "high", "values", "unit", "scale", "offset")}
        return tuple(
            band.model_copy(
                update={
                    **{name: value for name, value in shared.items() if name not in band.model_fields_set},
                    "tags": {**self.band_tags, **band.tags},
                }
            )
            for band in self.bands
        )


class VectorFeature(Document):
    """One feature: a box (west, south, east, north) or a point, in the CRS of the file, with its attributes."""

    box: Box | None = None
    point: tuple[float, float] | None = None
    attributes: dict[str, str | float | int | None] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_geometry(self) -> VectorFeature:
        if (self.box is None) == (self.point is None):
            raise ValueError("a feature is a box or a point")
        return self


class FileTruth(Document):
    """What is true of a layer, as far as its folder allows to know it. What is not said is not judged; null says that
    there is none.

    ``date`` is a day, month, year or moment, or a span ``START/END``: a date that lies inside of it is right. ``ask``
    names facts that nobody can know from the folder (true: the quantity); what is said of them is what should be among
    the candidates. ``about`` is not judged: a tidy file says it as its description.
    """

    type: Literal["raster", "vector", "table"] | None = None
    quantity: str | tuple[str, ...] | None = Field(None, description="a quantity kind; of several any is right")
    unit: str | None = None
    band: str | None = Field(None, description="common name (red, vv) or what the sensor calls it (B04)")
    date: str | None = None
    sensor: str | None = Field(None, description="sentinel-2, landsat-8...: any satellite of a mission is right")
    daynight: Literal["day", "night"] | None = None
    scale: float | None = None
    offset: float | None = None
    nodata: float | None = None
    about: str | None = Field(None, description="what else is true, in words: its product, its depth, its tile")
    ask: bool | tuple[str, ...] = Field((), description="facts that cannot be known: right is unknown, with candidates")

    @field_validator("date", "band", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("date")
    @classmethod
    def _is_date(cls, value: str | None) -> str | None:
        try:
            if value is not None:
                moments_of(value)
        except ValueError as error:
            raise ValueError("a day, month, year or moment in ISO 8601, or two as START/END") from error
        return value

    @model_validator(mode="after")
    def _asks_for_facts(self) -> FileTruth:
        if not isinstance(self.ask, bool) and not set(self.ask) <= set(JUDGED):
            raise ValueError(f"to ask for one of {', '.join(JUDGED)}")
        return self

    @property
    def asked(self) -> tuple[str, ...]:
        """The facts that nobody can know. Where the quantity is one, its unit is none of the folder's either."""
        if isinstance(self.ask, bool):
            return ("quantity",) if self.ask else ()
        return self.ask

    @property
    def known(self) -> dict[str, Any]:
        """The facts that can be known, with their values."""
        passed_over = {*self.asked, *(("unit",) if "quantity" in self.asked else ())}
        return {
            name: getattr(self, name) for name in JUDGED if name in self.model_fields_set and name not in passed_over
        }


class LabelledFile(Document):
    """One file: pixels, features or text, under its published name and under those that people give it.

    ``truth`` is that of all its layers, or a list with one for each band, in their order. A file without is not judged.
    """

    path: str
    renamed: tuple[str, ...] = Field((), description="a name, or several of which each makes another folder")
    pixels: RasterPixels | None = None
    features: tuple[VectorFeature, ...] | None = None
    crs: str = Field("EPSG:4326", description="of features")
    text: str | None = None
    truth: tuple[FileTruth, ...] = Field((), description="of the file, or of each of its bands")

    @field_validator("renamed", "truth", mode="before")
    @classmethod
    def _as_list(cls, value: Any) -> Any:
        return (value,) if isinstance(value, (str, dict)) else value

    @model_validator(mode="after")
    def _one_content(self) -> LabelledFile:
        if sum(one is not None for one in (self.pixels, self.features, self.text)) != 1:
            raise ValueError("a file is one of pixels, features, text")
        for name in (self.path, *self.renamed):
            place = PurePosixPath(name)
            if place.is_absolute() or ".." in place.parts or not place.name or "\\" in name:
                raise ValueError(f"a path inside of the folder: {name!r}")
        bands = 1 if self.pixels is None else len(self.pixels.each)
        if len(self.truth) not in (0, 1, bands):
            raise ValueError(f"one truth, or one for each of the {bands} bands, and not {len(self.truth)}")
        return self


class FolderQuestion(Document):
    """A question about a folder, with its answer: a number or text that somebody computed from the pixels by
    themselves, or that it has to be refused."""

    ask: str = Field(min_length=3)
    truth: float | str | None = Field(None, description="null: there is no answer in these files")
    unit: str | None = Field(None, description="of the number; the answer may be told in another that fits")
    tolerance: float = Field(1e-3, ge=0, description="absolute, in the unit given")
    difference: bool = Field(False, description="the number is a change: 5 degC warmer is 5 K warmer")


class LabelledFolder(Document):
    """A folder as somebody might have it. ``assume`` is what they say of it, as ``--assume`` takes it."""

    folder: str = Field(pattern=r"^[^/\\]+$")
    renamed: tuple[str, ...] = Field((), description="names of the folder where its files have other names")
    about: str = ""
    assume: tuple[str, ...] = ()
    files: tuple[LabelledFile, ...] = Field(min_length=1)
    questions: tuple[FolderQuestion, ...] = ()

    @field_validator("renamed", mode="before")
    @classmethod
    def _as_list(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _each_path_once(self) -> LabelledFolder:
        for number in range(self.renamings + 1):
            seen: set[str] = set()
            for file in self.files:
                name = self.name_of(file, number)
                if name.casefold() in seen:
                    raise ValueError(f"each path once: {name!r}")
                seen.add(name.casefold())
        return self

    @property
    def renamings(self) -> int:
        """How many folders there are beside the published one."""
        return max(len(self.renamed), *(len(file.renamed) for file in self.files))

    def name_of(self, file: LabelledFile, number: int) -> str:
        """The path of a file: as published (0), or in the folder of a renaming, where the last name given counts."""
        return file.path if number == 0 or not file.renamed else file.renamed[min(number, len(file.renamed)) - 1]

    def folder_name(self, number: int) -> str:
        """The name of the folder, likewise."""
        return self.folder if number == 0 or not self.renamed else self.renamed[min(number, len(self.renamed)) - 1]


class LabelledFolders(RootModel[tuple[LabelledFolder, ...]]):
    """A set of folders: one file."""
