"""Packs: tools that somebody else published, with the conventions by which they are called."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from knowflow.model.tool import Document

# what a network tells of images: their class, boxes of things that are named, the box of one that is described, masks
# inside boxes, the number of things, what has changed
NetworkWork = Literal["scene_class", "boxes", "described", "masks", "count", "change"]


class CallStyle(Document):
    """How one tool of a pack is called: once per scene or once for all, and what its files are named."""

    lists: bool = Field(False, description="several scenes are parallel lists of one call")
    by_scene: bool = Field(False, description="calls for several bands go scene by scene, not band by band")
    returns: int = Field(0, description="how many numbers it returns, where that is not one for each scene")
    listed: tuple[str, ...] = Field((), description="parameters that are lists even where there is one scene")
    stem: str = Field("", description="names of outputs, of {date}, {moment}, {name}, {place}, {region}, {group}")
    alone: str = Field("", description="the name of the output of the only call of its kind")
    alike: str = Field("", description="the name of the output of a call whose images are all the same one")
    single: str = Field("", description="the name of the output of a call for one scene, where there are more calls")
    omits: tuple[str, ...] = Field((), description="parameters of ours that the published tool does not have")
    one: bool = Field(False, description="what it returns is one of the things that others take lists of")
    full_paths: bool = Field(False, description="outputs are named with the folder of results, not below it")
    says: dict[str, Any] = Field(default_factory=dict, description="arguments that are said although they are defaults")
    pairs: tuple[str, str] | None = Field(None, description="takes each two neighbours of a list as these parameters")
    stands_for: str | None = Field(None, description="the tool that is called for one of ours")
    names: dict[str, str] = Field(default_factory=dict, description="other spellings of parameters")


class Opening(Document):
    """The call that every sequence begins with."""

    tool: str
    folder: str = Field(description="the parameter that takes the folder of the data")


class Conventions(Document):
    """Habits of those whose tools they are, where a question leaves it open: in which order, and for which scenes."""

    apart: tuple[str, ...] = Field(
        (), description="methods whose scenes are derived for each time that is compared, not for all of them at once"
    )
    side_by_side: tuple[str, ...] = Field(
        (), description="methods of which what is compared is made step by step, each step for both"
    )
    numbers_first: tuple[str, ...] = Field(
        (),
        description="quantities whose mean of a period is that of the means of its images, not of their average",
    )
    stepwise: tuple[str, ...] = Field((), description="periods of each of which every step is a call by itself")
    celsius: tuple[str, ...] = Field((), description="methods whose temperatures are told in degrees Celsius")
    seasons: Literal["season", "season_of_year"] = Field(
        "season", description="whether the same season of several years is one"
    )


class Pack(Document):
    """Published tools as one vocabulary: templates of a pack are proposed only to those who ask for the pack."""

    pack: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    version: int = 1
    title: str
    description: str = ""
    tools_run: str = Field(description="what the `run` of its tools begins with")
    opening: Opening | None = None
    data_folder: str = Field("data", description="part of the folder's path that stands for data")
    out_folder: str = Field("out", description="what stands in its place where results are written")
    made_of: dict[str, frozenset[str]] = Field(default_factory=dict, description="of what a quantity is derived")
    units: dict[str, str] = Field(default_factory=dict, description="units that its tools keep single quantities in")
    ranges: dict[str, tuple[float | None, float | None]] = Field(
        default_factory=dict, description="what its tools write of single quantities, in the unit of the quantity kind"
    )
    of_algorithm: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="what the algorithms named retrieve"
    )
    objects: dict[str, tuple[str, ...]] = Field(default_factory=dict, description="things on images, with other names")
    scenes: tuple[str, ...] = Field((), description="what images show as a whole, as classifiers tell it")
    networks: dict[str, NetworkWork] = Field(default_factory=dict, description="what a network does, by its name")
    calls: dict[str, CallStyle] = Field(default_factory=dict)
    conventions: Conventions = Field(default_factory=lambda: Conventions.model_validate({}))
    source: str = ""
