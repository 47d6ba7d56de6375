"""Repair rules: IF a tool fails on such data for such a cause THEN edit the graph so. Authored in ``pkb/rules``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from knowflow.model.tool import Document, Kit

Names = tuple[str, ...]


class Pattern(Document):
    """What a failure must be like for a rule to apply; everything given must hold."""

    tool: Names = Field((), description="tools, one of which is the guilty node's; empty: any")
    kit: tuple[Kit, ...] = Field((), description="kits, one of which the tool belongs to; empty: any")
    cause: Names = Field(min_length=1, description="causes, one of which the diagnosis names")
    certain: bool = Field(False, description="only where the diagnosis is certain")
    error: str | None = Field(None, description="regular expression searched in the error's code and message")
    parameter: Names = Field((), description="parameters, one of which is the guilty place's")
    where: Names = Field(
        (), description="conditions over the guilty node's arguments, and over `it`, the artifact at the guilty place"
    )
    lacks: Names = Field((), description="facts that nobody may know of `it`")
    found: Names = Field((), description="findings of the diagnosis that the actions use")


class InsertTool(Document):
    """A tool before a parameter of the guilty node."""

    tool: str
    before: str | None = Field(None, description="parameter; default: the guilty place")
    carry: str | None = Field(None, description="parameter that takes what stood there; default: as the effects say")
    with_: dict[str, Any] = Field(default_factory=dict, alias="with", description="further arguments")
    scope: Literal["item", "all", "everywhere"] = Field(
        "item",
        description="item: at the guilty place; all: every item of the parameter; everywhere: where the same value is",
    )
    output: str = Field("", description="output of the tool that goes on; default: the primary one")


class SetTo(Document):
    """Another argument for a parameter of the guilty node."""

    parameter: str
    value: Any = Field(description="a literal, $found.NAME, $args.NAME, or null to take the argument away")


class ReplaceTool(Document):
    """Another tool in the place of the guilty node's."""

    tool: str
    arguments: dict[str, Any] = Field(
        default_factory=dict, description="argument -> literal, $args.NAME or $found.NAME; default: those of same name"
    )
    outputs: dict[str, str] = Field(default_factory=dict, description="outputs of the old tool -> of the new one")


class DropItems(Document):
    """Items of a series that are left out: those that the diagnosis names."""

    from_: str | None = Field(None, alias="from", description="series parameter; default: that of the guilty place")
    keep_at_least: int = Field(1, ge=1, description="fewest items that must be left")


class Retry(Document):
    """The same once more, after something passed."""

    times: int = Field(1, ge=1, le=3)


class RuleAction(Document):
    """One step of a repair."""

    insert_tool: InsertTool | None = None
    set_parameter: SetTo | None = None
    replace_tool: ReplaceTool | None = None
    drop_items: DropItems | None = None
    retry: Retry | None = None
    state_facts: dict[str, Any] | None = Field(
        None,
        min_length=1,
        description="fact -> a literal, $found.NAME or $args.NAME: said of the files that are wrong, as --assume would",
    )

    @model_validator(mode="after")
    def _one_kind(self) -> RuleAction:
        if len(self.model_fields_set) != 1:
            raise ValueError(f"an action is exactly one of {', '.join(type(self).model_fields)}")
        return self

    @property
    def sentence(self) -> str:
        if self.insert_tool is not None:
            each = "each item of " if self.insert_tool.scope == "all" else ""
            before = f", before {each}{self.insert_tool.before}" if self.insert_tool.before else ""
            return f"insert_tool('{self.insert_tool.tool}'{before})"
        if self.set_parameter is not None:
            return f"set_parameter('{self.set_parameter.parameter}', {self.set_parameter.value!r})"
        if self.replace_tool is not None:
            return f"replace_tool('{self.replace_tool.tool}')"
        if self.drop_items is not None:
            return f"drop_items({repr(self.drop_items.from_) if self.drop_items.from_ else ''})"
        if self.state_facts is not None:
            return f"state_facts({', '.join(self.state_facts)})"
        return "retry()"


class RuleTest(Document):
    """A failure that the rule must answer, and what must come of it.

    The scenario is one node of ``tool`` with ``arguments``; those that are artifacts are described by their facts.
    """

    name: str = ""
    tool: str
    arguments: dict[str, Any] = Field(
        default_factory=dict, description="argument -> literal, or facts of a raster: {quantity: ndvi, crs: ...}"
    )
    cause: str | None = Field(None, description="default: the first cause of the rule")
    place: tuple[str | int, ...] = Field((), description="guilty place; default: the first artifact argument")
    found: dict[str, Any] = Field(default_factory=dict)
    error: str = ""
    siblings: int = Field(0, ge=0, description="further nodes like it, whose results a series takes together with its")
    expect: Names = Field(
        (),
        description="tools inserted or put in place, in order; set_parameter, state_facts, leave_out, retry: so",
    )
    refused: bool = Field(False, description="the rule must not apply to it")


class Rule(Document):
    """A pattern and what is done where it matches. ``lossy`` is shown with the answer as an assumption."""

    rule: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    version: int = 1
    title: str
    if_: Pattern = Field(alias="if")
    then: tuple[RuleAction, ...] = Field(min_length=1)
    because: str
    lossy: str = Field("", description="what is given up, or taken for granted")
    source: str = ""
    tests: tuple[RuleTest, ...] = ()

    def sentence(self) -> str:
        """The rule as one line: IF tool('X') fails on data(...) with error('...') THEN insert_tool('...')."""
        pattern = self.if_
        tool = f"tool({_choice(pattern.tool)})" if pattern.tool else f"kit({_choice(pattern.kit)})"
        data = f" on data({'; '.join(pattern.where)})" if pattern.where else ""
        actions = " AND ".join(action.sentence for action in self.then)
        who = tool if pattern.tool or pattern.kit else "any tool"
        return f"IF {who} fails{data} with error({_choice(pattern.cause)}) THEN {actions}"


def _choice(names: Names) -> str:
    return " or ".join(f"'{name}'" for name in names)
