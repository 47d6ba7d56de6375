"""Tool schemas: what a tool takes, needs, makes true and preserves (PDDL's ``:action``, for Earth observation)."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from knowflow.model.artifact import ARTIFACT_TYPES, ArtifactType
from knowflow.model.condition import Expression, parse

Kit = Literal[
    "index",
    "inversion",
    "perception",
    "analysis",
    "statistics",
    "preprocessing",
    "io",
    "deep_learning",
    "gdal",
    "synthesis",
]
ValueType = Literal[
    "number",
    "integer",
    "string",
    "boolean",
    "quantity",
    "unit",
    "crs",
    "bbox",
    "date",
    "numbers",
    "strings",
    "mapping",
    "path",
]
ItemType = Literal["number", "integer", "text", "box", "point", "pair", "band_condition"]
ParameterType = ArtifactType | ValueType
VALUE_TYPES: tuple[str, ...] = get_args(ValueType)


class Document(BaseModel):
    """Base of everything a person may author: frozen, and nothing unknown is accepted."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Parameter(Document):
    """One parameter of a tool."""

    type: ParameterType = Field(description="artifact type or value type")
    role: Literal["input", "output"] = Field("input", description="an output names a file that the tool writes")
    produces: ArtifactType = Field("raster", description="what an output is")
    keyed_by: Literal["band"] | None = Field(None, description="rasters by common band name")
    quantity: tuple[str, ...] = Field((), description="accepted quantity kinds, or family:NAME")
    unit: str | None = Field(None, description="unit in which a number is given")
    default: Any = Field(None, description="value when none is given")
    optional: bool = Field(False, description="may be left out")
    choices: tuple[Any, ...] = Field((), description="the values allowed")
    choices_from: Literal["spyndex", "quantities"] | None = Field(None, description="a catalogue of allowed values")
    minimum: float | None = None
    maximum: float | None = None
    items: ItemType | None = Field(None, description="what each item of a list is")
    with_facts: bool = Field(False, description="the function takes the numbers with their facts, as artifacts")
    single: bool = Field(False, description="one item may be given alone, without a list around it")
    index_of: str | None = Field(None, description="the list that a place, or a list of places, counts into from 0")
    technical: bool = Field(
        False, description="says how a number is computed, never which one: a repair may set it; all else is asked"
    )
    usual: tuple[Any, ...] = Field((), description="other values that experts take: variants of an answer are made so")
    title: str = ""

    @property
    def required(self) -> bool:
        return self.role == "input" and not self.optional and self.default is None

    @property
    def is_artifact(self) -> bool:
        return self.role == "input" and self.type in ARTIFACT_TYPES

    @property
    def artifact_type(self) -> str:
        return "band_set" if self.keyed_by == "band" else self.type


class Returned(Document):
    """The value a tool returns beside its files; conditions and references call it ``value``."""

    type: Literal["scalar", "list", "table", "text"]
    title: str = ""


class Preserved(Document):
    """Facts that an output takes over from an input: all but ``except``, or ``only`` some."""

    from_: str = Field(alias="from")
    except_: tuple[str, ...] = Field((), alias="except")
    only: tuple[str, ...] = ()


class Effects(Document):
    """What is true after the tool ran; everything not named becomes unknown."""

    sets: tuple[str, ...] = Field((), description="facts the tool asserts of its outputs")
    preserves: dict[str, Preserved] = Field(default_factory=dict, description="facts taken over from inputs")
    ensures: tuple[str, ...] = Field((), description="conditions checked on what was written")


class ToolSchema(Document):
    """A tool: typed parameters, preconditions, effects and an implementation."""

    tool: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")
    version: int = 1
    title: str
    description: str = ""
    kit: Kit
    layers: tuple[Literal[1, 2, 3], ...] = Field(min_length=1)
    level: Literal["atomic", "semantic"] = "atomic"
    parameters: dict[str, Parameter]
    returns: Returned | None = None
    preconditions: tuple[str, ...] = ()
    effects: Effects = Field(default_factory=lambda: Effects(sets=(), preserves={}, ensures=()))
    run: str = Field(pattern=r"^(python|gdal|command|mcp):.+$")
    isolate: Literal["thread", "process"] = "thread"
    local: bool = Field(
        False,
        description="what it makes of a pixel depends on that pixel of its rasters alone, or it folds the blocks of"
        " rasters into a value: it may be carried out in one pass with its neighbours",
    )
    cost: float = Field(1.0, gt=0, description="relative cost per pixel of input; 1 = one pass over one raster")
    lossy: str | None = Field(None, description="what information the tool loses, shown when it is inserted")
    insertable: bool = Field(True, description="may be inserted by the planner to fill a gap")
    timeout_s: float | None = Field(None, gt=0)
    asked: tuple[str, ...] = Field((), description="nouns by which a question asks for what it makes: contour lines")
    of: str | None = Field(None, description="the quantity that is meant where such a question names none")
    source: str = Field("", description="paper, standard or documentation behind the tool")

    @cached_property
    def outputs(self) -> dict[str, str]:
        """Output name -> artifact type; the first is the primary one."""
        files = {name: p.produces for name, p in self.parameters.items() if p.role == "output"}
        if self.returns is None:
            return dict(files)
        return {**files, "value": self.returns.type}

    @cached_property
    def primary_output(self) -> str:
        return next(iter(self.outputs), "value")

    @cached_property
    def inputs(self) -> dict[str, Parameter]:
        return {name: p for name, p in self.parameters.items() if p.role == "input"}

    @cached_property
    def parsed_preconditions(self) -> tuple[tuple[str, Expression], ...]:
        """Authored preconditions, and those that follow from the accepted quantity kinds of parameters."""
        implied = []
        for name, parameter in self.inputs.items():
            if not parameter.quantity:
                continue
            kinds = [kind for kind in parameter.quantity if not kind.startswith("family:")]
            families = [kind.removeprefix("family:") for kind in parameter.quantity if kind.startswith("family:")]
            parts = [f"quantity({name}) in {kinds!r}"] if kinds else []
            parts += [f"family({name}, {families!r})"] if families else []
            implied.append(" or ".join(parts))
        return tuple((text, parse(text)) for text in (*implied, *self.preconditions))

    @cached_property
    def parsed_ensures(self) -> tuple[tuple[str, Expression], ...]:
        return tuple((text, parse(text)) for text in self.effects.ensures)

    @cached_property
    def parsed_sets(self) -> tuple[tuple[str, Expression], ...]:
        return tuple((text, parse(text)) for text in self.effects.sets)
