"""Reference pages of what workflows are made of: tools by kit, templates by layer, task cards by domain."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from knowflow.knowledge.cards import TaskCard, load_cards, load_taxonomy
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.template import Template, TemplateInput, TemplateParameter
from knowflow.model.tool import Parameter, Preserved, ToolSchema
from knowflow.roof.reference.markdown import codes, points, span_text, table, value_text

LAYERS: Mapping[int, str] = MappingProxyType(
    {1: "acquisition and preprocessing", 2: "processing and analysis", 3: "synthesis and application"}
)


def tool_lines(catalogue: Catalogue) -> list[str]:
    """The authored tools by kit; those that GDAL describes of itself have a page of their own."""
    kits: dict[str, list[ToolSchema]] = {}
    for schema in sorted(catalogue.tools.values(), key=lambda one: (one.kit, one.tool)):
        kits.setdefault(schema.kit, []).append(schema)
    lines = [
        f"{len(catalogue.tools)} authored tools. The algorithms of GDAL that none of them runs are tools too:",
        "[the page of GDAL](gdal.md) tells of them, `knowflow tools show NAME` of any tool. How a tool is written:",
        "[tools](../tools.md).",
        "",
    ]
    for kit, schemas in kits.items():
        lines.append(f"- {kit}: " + ", ".join(f"[{one.tool}](#{one.tool.casefold()})" for one in schemas))
    for kit, schemas in kits.items():
        lines += ["", f"## Kit {kit}"]
        for schema in schemas:
            lines += ["", *tool_section(schema)]
    return lines


def tool_section(schema: ToolSchema) -> list[str]:
    """One tool: parameters, what it needs, makes true and preserves, and how it runs."""
    rows = [_parameter_row(name, parameter) for name, parameter in schema.parameters.items()]
    if schema.returns is not None:
        rows.append(("value", f"returns {schema.returns.type}", "", schema.returns.title))
    effects = schema.effects
    preserved = [f"{name}: {_preserved(kept)}" for name, kept in effects.preserves.items()]
    said = {
        "needs": codes(text for text, _ in schema.parsed_preconditions),
        "makes true": codes(effects.sets),
        "preserves": "; ".join(preserved),
        "checked afterwards": codes(effects.ensures),
        "loses": schema.lossy or "",
        "layers": f"{', '.join(map(str, schema.layers))}; {schema.level}",
        "runs": f"`{schema.run}`" + (" in a process of its own" if schema.isolate == "process" else ""),
        "source": schema.source,
    }
    return [
        f"### {schema.tool}",
        "",
        f"**{schema.title}.** {schema.description}".strip(),
        "",
        *table(("parameter", "type", "default", "meaning"), rows),
        "",
        *points(said),
    ]


def _parameter_row(name: str, parameter: Parameter) -> tuple[str, str, str, str]:
    if parameter.role == "output":
        return name, f"writes {parameter.produces}", "", parameter.title
    notes = [
        parameter.title,
        f"of {', '.join(parameter.quantity)}" if parameter.quantity else "",
        f"one of {', '.join(map(str, parameter.choices))}" if parameter.choices else "",
        f"a name of {parameter.choices_from}" if parameter.choices_from else "",
        f"in {parameter.unit}" if parameter.unit else "",
        span_text(parameter.minimum, parameter.maximum),
    ]
    default = "" if parameter.required else "optional" if parameter.default is None else value_text(parameter.default)
    return name, parameter.artifact_type, default, "; ".join(filter(None, notes))


def _preserved(kept: Preserved) -> str:
    if kept.only:
        return f"only {', '.join(kept.only)} of {kept.from_}"
    gone = f" but {', '.join(kept.except_)}" if kept.except_ else ""
    return f"all{gone} of {kept.from_}"


def template_lines(catalogue: Catalogue) -> list[str]:
    """The tasks with their methods, and the templates by layer, those that answer first."""
    found = sorted(catalogue.templates.values(), key=lambda one: one.template)
    tasks = sorted({template.method_of for template in found if template.method_of})
    rows = [
        (f"`{task}`", ", ".join(f"[{m.template}](#{m.template}) ({m.preference:g})" for m in catalogue.methods(task)))
        for task in tasks
    ]
    lines = [
        f"{len(found)} templates. How one is written: [templates](../templates.md).",
        "",
        "## Tasks and their methods",
        "",
        "The first method that the data allow is taken.",
        "",
        *table(("task", "methods (preference)"), rows),
    ]
    for layer in (3, 2, 1):
        lines += ["", f"## Layer {layer}: {LAYERS[layer]}"]
        for template in found:
            if template.layer == layer:
                lines += ["", *_template(template)]
    return lines


def _template(template: Template) -> list[str]:
    rows = [
        (name, str(parameter.type), _default(parameter), _parameter_notes(parameter))
        for name, parameter in template.parameters.items()
    ]
    rows += [
        (f"inputs.{name}", str(declared.type), "optional" if declared.optional else "", _input_notes(declared))
        for name, declared in template.inputs.items()
    ]
    parameters = [*table(("parameter or input", "type", "default", "meaning"), rows), ""] if rows else []
    said = {
        "answers": ", ".join(template.answers),
        "about": ", ".join(template.about),
        "method of": template.method_of or "",
        "defines": template.defines or "",
        "computes": codes((template.computes,)) if template.computes else "",
        "applies when": codes(template.when),
        "steps": ", ".join(f"{name} ({step.kind} `{step.target}`)" for name, step in template.steps.items()),
        "outputs": ", ".join(template.outputs),
        "takes for granted": "; ".join(template.assumes),
        "result must meet": codes(template.quality),
        "tested": "; ".join(test.name for test in template.tests),
        "source": template.source,
    }
    heading = f"**{template.title}.** {template.description}".strip()
    return [f"### {template.template}", "", heading, "", *parameters, *points(said)]


def _default(parameter: TemplateParameter) -> str:
    if parameter.default is None:
        return "optional" if parameter.optional else ""
    return value_text(parameter.default)


def _parameter_notes(parameter: TemplateParameter) -> str:
    notes = [
        parameter.title,
        f"in {parameter.unit}" if parameter.unit and parameter.type == "number" else "",
        f"one of {', '.join(map(str, parameter.choices))}" if parameter.choices else "",
        span_text(parameter.minimum, parameter.maximum),
    ]
    return "; ".join(filter(None, notes))


def _input_notes(declared: TemplateInput) -> str:
    notes = [
        declared.title,
        f"of {', '.join(declared.quantity)}" if declared.quantity else "",
        f"with the bands {', '.join(declared.bands)}" if declared.bands else "",
        f"at least {declared.minimum_count} items" if declared.minimum_count else "",
        codes(declared.where),
    ]
    return "; ".join(filter(None, notes))


def card_lines() -> list[str]:
    """The kinds of question by domain."""
    taxonomy, cards = load_taxonomy(), load_cards()
    lines = [
        f"{len(cards)} kinds of question. A question is compared with each card: the score adds up the likeness of",
        "their meanings and what the words of the title, the keywords and the definition have in common with it. Below",
        "a threshold that was calibrated on labelled questions nothing is answered. `knowflow templates search WORDS`",
        "shows the scores and their terms.",
    ]
    for name, domain in taxonomy.domains.items():
        lines += ["", f"## {domain.title}"]
        for sub, title in domain.sub_domains.items():
            members = [card for card in cards if (card.domain, card.sub_domain) == (name, sub)]
            if members:
                lines += ["", f"### {title}", "", *(line for card in members for line in _card(card))]
    return lines


def _card(card: TaskCard) -> list[str]:
    return [
        f"- **{card.title}** (`{card.card}`): {card.definition}",
        f"  - asked as: {' / '.join(card.examples)}",
        f"  - keywords: {', '.join(card.keywords)}",
        f"  - to mind: {card.guidance}",
        f"  - answered by: {', '.join(f'[{name}](templates.md#{name})' for name in card.templates)}",
    ]
