"""Templates: an expert's parameterised workflow, hierarchical, written in YAML."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from knowflow.model.artifact import ArtifactType
from knowflow.model.tool import Document, ValueType

Layer = Literal[1, 2, 3]


class TemplateParameter(Document):
    """A parameter that the query, the caller or a default binds."""

    type: ValueType
    title: str = ""
    unit: str | None = Field(None, description="unit of a number, or of(PARAMETER) for the unit of a quantity")
    units: dict[str, str] = Field(
        default_factory=dict, description="units of(PARAMETER) of single quantities, where tools keep another one"
    )
    ranges: dict[str, tuple[float | None, float | None]] = Field(
        default_factory=dict, description="what numbers of single quantities may be, where tools write others"
    )
    default: Any = None
    optional: bool = False
    choices: tuple[Any, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    usual: tuple[Any, ...] = Field((), description="other values that experts take: variants of an answer are made so")
    slot: str | None = Field(None, description="slot of the goal that fills it; default: the parameter's own name")


class TemplateInput(Document):
    """Data that the caller hands over, or that is bound from the data folder."""

    type: ArtifactType
    title: str = ""
    quantity: tuple[str, ...] = Field((), description="accepted quantity kinds, family:NAME or $parameter")
    bands: tuple[str, ...] = Field((), description="bands needed, by common name; $parameter for those of an index")
    optional: bool = False
    minimum_count: int | None = Field(None, ge=1, description="fewest items of a series")
    where: tuple[str, ...] = Field((), description="further conditions on each candidate, over the name `it`")


class Step(Document):
    """One step: a tool, a composite task whose method is chosen at planning time, or another template."""

    tool: str | None = None
    task: str | None = None
    template: str | None = None
    with_: dict[str, Any] = Field(default_factory=dict, alias="with")
    for_each: dict[str, Any] = Field(default_factory=dict, description="lists paired by date, then by name")
    by: Any = Field(None, description="take the items of each year, season, month, day or $comparison together")
    unpaired: Literal["refuse", "leave_out"] = Field("refuse", description="what becomes of items without a partner")
    once: Literal["day"] | None = Field(None, description="one item a day: the first, with the first of its partners")
    of_one: Literal["image"] | None = Field(
        None, description="pair what shows the same image, by day, span and mission"
    )
    when: str | None = Field(None, description="condition on parameters and inputs; else the step is left out")
    else_: Any = Field(None, alias="else", description="what stands for the step when it is left out")
    period: Any = Field(None, description="bind data of this period only: $parameter, or START/END")
    assumes: tuple[str, ...] = Field((), description="what the step takes for granted, shown with the answer")
    title: str = ""

    @model_validator(mode="after")
    def _one_kind(self) -> Step:
        if sum(kind is not None for kind in (self.tool, self.task, self.template)) != 1:
            raise ValueError("a step names exactly one of tool, task, template")
        return self

    @property
    def kind(self) -> Literal["tool", "task", "template"]:
        return "tool" if self.tool is not None else "task" if self.task is not None else "template"

    @property
    def target(self) -> str:
        return self.tool or self.task or self.template or ""


class SceneLayer(Document):
    """One layer of a generated scene: a quantity, or reflectances by band, as expressions over x, y and t.

    ``x`` and ``y`` are fractions of the scene's width (from the west) and height (from the north) at pixel centres:
    ``x = (column + 0.5) / columns``; ``t`` is years since the layer's first date, ``i`` the index of the date.
    """

    name: str = "layer"
    quantity: str
    values: str | None = Field(None, description="expression of a single-band layer")
    bands: dict[str, str] = Field(default_factory=dict, description="expression per common band name")
    dates: tuple[str, ...] = ()
    unit: str | None = None
    sensor: str | None = None
    dtype: str = "float32"
    scale: float | None = None
    offset: float | None = None
    nodata: float | None = None
    missing: str | None = Field(None, description="expression that is true where the layer has no data")
    tags: dict[str, str] = Field(default_factory=dict, description="further tags of its files, such as SUN_ELEVATION")
    crs: str | None = Field(None, description="another CRS than the scene's")
    resolution: float | None = None
    shift: tuple[float, float] | None = Field(None, description="offset of the grid, in pixels")
    size: tuple[int, int] | None = None


class Scene(Document):
    """A scene that the project's own generator writes."""

    crs: str = "EPSG:32633"
    resolution: float = 10.0
    size: tuple[int, int] = (64, 64)
    origin: tuple[float, float] = (500000.0, 5100000.0)
    layers: tuple[SceneLayer, ...] = Field(min_length=1)
    vectors: dict[str, dict[str, Any]] = Field(default_factory=dict, description="name -> GeoJSON in x, y of the scene")


class Expected(Document):
    """What a test expects of one output."""

    value: Any = None
    tolerance: float = Field(1e-6, ge=0, description="absolute")
    unit: str | None = None
    pixels: str | None = Field(None, description="expression over x, y that a raster output must equal")


class TemplateTest(Document):
    """A run on a generated scene whose answer is known analytically."""

    name: str
    scene: Scene
    query: str | None = Field(None, description="plan from this sentence instead of calling the template by name")
    parameters: dict[str, Any] = Field(default_factory=dict)
    expect: dict[str, Expected] = Field(min_length=1)
    inserted: tuple[str, ...] | None = Field(None, description="tools that the planner must insert")


class Template(Document):
    """An expert's workflow with named parameters, inputs, steps and outputs."""

    template: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    version: int = 1
    title: str
    heading: str = Field("", description="title of a plan made from it; may name parameters: Trend of $quantity")
    description: str = ""
    layer: Layer
    domain: str = ""
    answers: tuple[str, ...] = Field((), description="operations of the goal that it answers")
    asked: tuple[str, ...] = Field((), description="nouns by which a question asks for it: land cover clusters")
    of: str | None = Field(None, description="the quantity that is meant where such a question names none")
    about: tuple[str, ...] = Field((), description="quantities, features or classes it is about; empty: any")
    method_of: str | None = Field(None, description="the composite task it is a method of")
    defines: str | None = Field(None, description="the quantity kind that `computes` tells what it is")
    computes: str | None = Field(
        None,
        description="an expression in place of steps: beyond(ndsi, above, $limit); of what defines nothing, the"
        " operators that its steps carry out, whose holes are its inputs and parameters: over($scenes, space, mean)",
    )
    preference: float = Field(0.0, description="among applicable methods the highest wins")
    when: tuple[str, ...] = Field((), description="conditions on parameters and inputs for it to apply")
    parameters: dict[str, TemplateParameter] = Field(default_factory=dict)
    inputs: dict[str, TemplateInput] = Field(default_factory=dict)
    assumes: tuple[str, ...] = Field((), description="what is taken for granted, shown with the answer")
    steps: dict[str, Step] = Field(default_factory=dict)
    outputs: dict[str, Any] = Field(default_factory=dict)
    quality: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    tests: tuple[TemplateTest, ...] = ()
    source: str = ""

    @property
    def guards(self) -> tuple[str, ...]:
        """The conditions of steps in whose place something else stands, each once."""
        conditional = (step for step in self.steps.values() if step.else_ is not None)
        return tuple(dict.fromkeys(step.when for step in conditional if step.when is not None))

    @model_validator(mode="after")
    def _steps_or_expression(self) -> Template:
        if self.defines is not None and self.computes is None:
            raise ValueError("`defines` names the quantity that `computes` tells what it is")
        if self.defines is None and not self.outputs:
            raise ValueError("a template has outputs, or `defines` and `computes`")
        if self.defines is not None and (self.steps or self.outputs or self.inputs):
            raise ValueError("`computes` of a definition stands in place of steps, inputs and outputs")
        if self.computes is not None and self.method_of:
            raise ValueError("what `computes` an expression is no method")
        if self.asked and (self.computes is not None or self.method_of is not None):
            raise ValueError("`asked` is of templates that answer: a definition and a method are asked for by quantity")
        return self
