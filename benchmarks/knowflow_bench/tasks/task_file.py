"""Benchmark tasks: questions as users put them, the data they are about, and the answer that is true of these data."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from knowflow.model.template import Scene, SceneLayer
from knowflow.model.tool import Document

Wrong = Literal[
    "grid_shifted",
    "other_resolution",
    "other_crs",
    "unscaled",
    "scale_undeclared",
    "nodata_undeclared",
    "gaps",
    "stripes",
    "clouds",
    "other_unit",
    "crs_missing",
    "quantity_undeclared",
    "file_cut",
    "dates_unpaired",
    "duplicate_date",
    "geographic_grid",
    "foreign_files",
]
"""What is wrong with the data of a task, in the words of a user who has to live with them."""


class Sample(Document):
    """Real pixels: those that ship in wheels, or files of a folder that the caller gives."""

    sample: Literal["sentinel2", "terrain", "folder"]
    files: tuple[str, ...] = Field((), description="of a folder: patterns of the files that are the data")


class Damage(Document):
    """Something done to the files after they were written. ``files`` is a pattern of names."""

    files: str
    cut: bool = Field(False, description="only the first half of each file is kept")
    forget: tuple[Literal["crs", "nodata", "scale", "tags"], ...] = Field((), description="taken out of the header")
    copy_as: str | None = Field(None, description="another name under which each file is there once more")
    write: str | None = Field(None, description="text of a file of that name, which is no data")
    remove: bool = Field(False, description="the files are taken away")

    @model_validator(mode="after")
    def _something(self) -> Damage:
        if not (self.cut or self.forget or self.copy_as or self.remove or self.write is not None):
            raise ValueError("a damage does something: cut, forget, copy_as, remove or write")
        return self


class TrueAnswer(Document):
    """What the answer is: one number or text, numbers by name, rows of a table, or the pixels of a map.

    Numbers are literals or truths (expressions over the layers of the scene, see ``knowflow_bench.truth``).
    """

    value: float | str | None = None
    values: dict[str, float | str] = Field(default_factory=dict, description="by the name of the value")
    rows: tuple[dict[str, float | str], ...] = Field((), description="columns that matter, in order")
    pixels: str | None = Field(None, description="truth that a delivered map must equal")
    unit: str | None = Field(None, description="of the numbers; the answer may be told in another that fits")
    difference: bool = Field(False, description="the number is a change: 5 degC warmer is 5 K warmer")
    magnitude: bool = Field(False, description="a loss of 3 may be told as 3 or as a change of -3")
    tolerance: float = Field(1e-4, ge=0, description="absolute, in the unit given")

    @model_validator(mode="after")
    def _one(self) -> TrueAnswer:
        given = (self.value is not None, bool(self.values), bool(self.rows), self.pixels is not None)
        if sum(given) != 1:
            raise ValueError("an answer is one of value, values, rows, pixels")
        return self


class Use(Document):
    """A step that a right workflow has: one of these tools, with these arguments."""

    tool: str | tuple[str, ...]
    with_: dict[str, Any] = Field(default_factory=dict, alias="with")

    @property
    def tools(self) -> tuple[str, ...]:
        return (self.tool,) if isinstance(self.tool, str) else self.tool


class Case(Document):
    """One question in several wordings, about one set of data.

    ``altered`` changes layers of the scene by name and ``added`` puts others beside them: what is wrong with the data.
    The truth is that of the scene as it was, with the added layers. ``person`` are facts that the person who asks can
    tell when asked for them, as ``--assume`` takes them.
    """

    ask: tuple[str, ...] = Field(min_length=2)
    fresh: dict[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description="batch -> further wordings, written when the planner had been corrected on all earlier ones",
    )
    scene: str
    altered: dict[str, dict[str, Any]] = Field(default_factory=dict)
    added: tuple[SceneLayer, ...] = ()
    damage: tuple[Damage, ...] = ()
    wrong: tuple[Wrong, ...] = ()
    person: tuple[str, ...] = ()
    answer: TrueAnswer
    uses: tuple[Use, ...] = ()

    def wordings(self, batch: str | None = None) -> tuple[str, ...]:
        """The fresh wordings of one batch, or of all."""
        return tuple(text for name, texts in self.fresh.items() if batch in (None, name) for text in texts)


class BenchmarkTask(Document):
    """A kind of task, simple and complex."""

    task: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str
    simple: Case
    complex: Case


class Unanswerable(Document):
    """A question that the data cannot answer, with the codes of errors that say so and the words they must use."""

    ask: str
    scene: str
    altered: dict[str, dict[str, Any]] = Field(default_factory=dict)
    damage: tuple[Damage, ...] = ()
    batch: str | None = Field(None, description="the batch of fresh questions that it came with")
    because: str = Field(description="why it cannot be answered, for readers")
    codes: tuple[str, ...] = Field(min_length=1)
    says: tuple[str, ...] = Field((), description="of these words at least one is in the reason given")


class BenchmarkFile(Document):
    """The tasks of one sub-domain, and the scenes that they are about."""

    benchmark: str = Field(description="sub-domain of the taxonomy")
    scenes: dict[str, Scene] = Field(default_factory=dict)
    samples: dict[str, Sample] = Field(default_factory=dict)
    tasks: tuple[BenchmarkTask, ...] = ()
    unanswerable: tuple[Unanswerable, ...] = ()
