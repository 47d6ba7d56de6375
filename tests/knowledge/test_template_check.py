from __future__ import annotations

import pytest
from examples import catalogue

from knowflow.ground.yamldoc import parse
from knowflow.knowledge.composition import composition_problems, methods_of, sound_templates
from knowflow.knowledge.template_check import template_problems
from knowflow.model.template import Template

TOOLS = catalogue()
SOUND = """\
template: change
title: Change of a quantity
layer: 3
when: ["quantity_family($quantity, 'index')"]
parameters:
  quantity: {type: quantity, default: ndvi}
  limit: {type: number, unit: of(quantity), optional: true}
  window: {type: integer, choices: [3, 5], default: 3}
  unit: {type: unit, unit: km2, default: km2}
inputs:
  series: {type: raster_series, quantity: [$quantity, ndvi, "family:index"], bands: [$quantity]}
  mask: {type: raster_series, optional: true, where: ["quantity(it) == 'cloud_mask'", "$window > 1"]}
steps:
  product: {task: produce, with: {quantity: $quantity}}
  smooth:
    tool: smooth
    for_each: {raster: $product}
    with: {window: $window}
    when: given($inputs.mask)
    else: $product
  inner: {template: inner, with: {series: $inputs.series, strength: 2}}
  mean: {tool: mean_of_series, with: {rasters: $smooth}}
  change: {tool: difference, with: {a: $mean, b: $inner.map}}
outputs: {map: $change.output, mean: $mean}
quality: [valid_fraction($change) >= 0.05]
tests:
  - name: nothing changes
    scene: {layers: [{quantity: ndvi, values: x}]}
    parameters: {quantity: ndvi}
    expect: {map: {value: 0}}
"""
OTHERS = {
    "inner": """\
template: inner
title: Inner
layer: 2
parameters: {strength: {type: number}, size: {type: number, optional: true}}
inputs: {series: {type: raster_series}}
steps: {mean: {tool: mean_of_series, with: {rasters: $inputs.series}}}
outputs: {map: $mean}
""",
    "given": """\
template: given
title: Given
layer: 1
method_of: produce
preference: 5
parameters: {quantity: {type: quantity}}
inputs: {series: {type: raster_series}}
outputs: {product: $inputs.series}
""",
    "computed": """\
template: computed
title: Computed
layer: 2
method_of: produce
parameters: {quantity: {type: quantity}, extra: {type: number, default: 1}}
inputs: {scenes: {type: raster_series}}
steps: {index: {tool: spectral_index, for_each: {bands: $inputs.scenes}, with: {index: $quantity}}}
outputs: {product: $index}
""",
}


def typed(text: str) -> Template:
    return Template.model_validate(parse(text, "t").data)


TEMPLATES = {name: typed(text) for name, text in OTHERS.items()}


def found(text: str, **others: str) -> list[tuple[str, int, str, str]]:
    document = parse(text, "t.yaml")
    assert document.problems == ()
    template = typed(text)
    templates = {**TEMPLATES, **{name: typed(other) for name, other in others.items()}, template.template: template}
    problems = template_problems(template, document, TOOLS, templates)
    assert all(problem.file == "t.yaml" and problem.expected and problem.found for problem in problems)
    return [(problem.code, problem.line, problem.where, problem.hint) for problem in problems]


def test_a_sound_template_has_no_problems() -> None:
    assert found(SOUND) == []
    for text in OTHERS.values():
        assert found(text) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("$product}", "$prodct}", ("dangling_reference", 15, "steps.smooth", "did you mean $product?")),
        (
            "series: $inputs.series",
            "series: $inputs.sries",
            ("dangling_reference", 21, "steps.inner", "did you mean $inputs.series?"),
        ),
        ("$inner.map", "$inner.mpa", ("dangling_reference", 23, "steps.change", "did you mean $inner.map?")),
        ("$change.output", "$change.outptu", ("dangling_reference", 24, "outputs.map", "did you mean $change.output?")),
        ("window: $window}", "window: $window.x}", ("dangling_reference", 15, "steps.smooth", "did you mean $window?")),
        ("else: $product", "else: $nothing_like_it", ("dangling_reference", 15, "steps.smooth", "")),
        ("tool: smooth", "tool: smoth", ("unknown_tool", 16, "steps.smooth.tool", "did you mean smooth?")),
        ("tool: smooth", "tool: zzz", ("unknown_tool", 16, "steps.smooth.tool", "see `knowflow tools list`")),
        ("{task: produce", "{task: prodce", ("unknown_task", 14, "steps.product.task", "did you mean produce?")),
        ("{task: produce", "{task: zzz", ("unknown_task", 14, "steps.product.task", "tasks with methods: produce")),
        (
            "{template: inner",
            "{template: iner",
            ("unknown_template", 21, "steps.inner.template", "did you mean inner?"),
        ),
        (
            "{window: $window}",
            "{windw: $window}",
            ("unknown_argument", 18, "steps.smooth.with.windw", "did you mean window?"),
        ),
        (
            "{raster: $product}",
            "{rster: $product}",
            ("unknown_argument", 17, "steps.smooth.for_each.rster", "did you mean raster?"),
        ),
        (
            "with: {quantity: $quantity}",
            "with: {quantiy: 1}",
            ("unknown_argument", 14, "steps.product.with.quantiy", "did you mean quantity?"),
        ),
        ("{a: $mean, b: $inner.map}", "{a: $mean}", ("missing_argument", 23, "steps.change", "")),
        (", strength: 2", "", ("missing_argument", 21, "steps.inner", "")),
        (", with: {quantity: $quantity}", "", ("missing_argument", 14, "steps.product", "")),
        ("with: {window: $window}", "with: {window: 0}", ("out_of_range", 18, "steps.smooth.with.window", "")),
        ("with: {window: $window}", "with: {window: wide}", ("wrong_type", 18, "steps.smooth.with.window", "")),
        (
            "when: given($inputs.mask)",
            "when: given($inputs.maks)",
            ("unknown_name", 19, "steps.smooth.when", "did you mean $inputs.mask?"),
        ),
        ("when: given($inputs.mask)", "when: given(", ("condition_syntax", 19, "steps.smooth.when", "")),
        ("when: given($inputs.mask)", "when: given($mean)", ("cycle", 15, "steps.smooth", "")),
        ("'index')\"]", "'index', 1)\"]", ("operands", 4, "when[0]", "")),
        (
            "valid_fraction($change)",
            "valid_fraction($chnge)",
            ("unknown_name", 25, "quality[0]", "did you mean $change?"),
        ),
        ("valid_fraction($change)", "valid($change)", ("unknown_predicate", 25, "quality[0]", "")),
        ("[$quantity, ndvi,", "[$quantty, ndvi,", ("dangling_reference", 11, "inputs.series.quantity[0]", "")),
        ("[$quantity, ndvi,", "[$quantity, ndvy,", ("unknown_quantity", 11, "inputs.series.quantity[1]", "*")),
        ("family:index", "family:indexes", ("unknown_quantity", 11, "inputs.series.quantity[2]", "")),
        ("bands: [$quantity]", "bands: [$quantty]", ("dangling_reference", 11, "inputs.series.bands[0]", "")),
        ('"$window > 1"', '"$inputs.series > 1"', ("unknown_name", 12, "inputs.mask.where[1]", "")),
        ("'cloud_mask'\"", "'cloud_maks'\"", ("unknown_quantity", 12, "inputs.mask.where[0]", "*")),
        ("unit: of(quantity)", "unit: of(window)", ("dangling_reference", 7, "parameters.limit.unit", "")),
        ("unit: of(quantity)", "unit: change_of(window)", ("dangling_reference", 7, "parameters.limit.unit", "")),
        ("unit: km2", "unit: km_squared_or_so", ("unit", 9, "parameters.unit.unit", "")),
        (
            "choices: [3, 5], default: 3",
            "choices: [3, 5], default: 4",
            ("bad_value", 8, "parameters.window.default", ""),
        ),
        ("parameters: {quantity: ndvi}", "parameters: {quantty: ndvi}", ("unknown_argument", 26, "tests", "")),
        ("expect: {map:", "expect: {mpa:", ("unknown_output", 26, "tests", "")),
        ("  mean: {tool:", "  limit: {tool:", ("name_taken", 22, "steps.limit", "")),
    ],
)
def test_every_problem_has_its_code_line_and_hint(old: str, new: str, expected: tuple[str, int, str, str]) -> None:
    assert SOUND.count(old) == 1
    problems = found(SOUND.replace(old, new))
    code, line, where, hint = expected
    assert [(p[0], p[1], p[2]) for p in problems].count((code, line, where)) == 1
    if hint != "*":
        assert (code, line, where, hint) in problems


def test_a_circle_of_steps_is_told_once_with_all_its_members() -> None:
    text = SOUND.replace("else: $product", "else: $mean")
    assert [(code, line, where) for code, line, where, _ in found(text)] == [("cycle", 15, "steps.smooth")]


def test_a_tool_must_serve_the_layer_of_its_template() -> None:
    text = OTHERS["computed"].replace("layer: 2", "layer: 3")
    assert ("layer", 7, "steps.index.tool") in [problem[:3] for problem in found(text)]


@pytest.mark.parametrize(("old", "where"), [("task: produce", "task"), ("template: inner", "template")])
def test_what_is_called_must_not_lie_above(old: str, where: str) -> None:
    high = {name: text.replace("layer: 1", "layer: 3").replace("layer: 2", "layer: 3") for name, text in OTHERS.items()}
    step = f"{{{old}, with: {{quantity: ndvi, strength: 1}}}}"
    low = f"template: low\ntitle: Low\nlayer: 1\nsteps:\n  s: {step}\noutputs: {{o: $s}}\n"
    assert ("layer_decreases", 5, f"steps.s.{where}") in [problem[:3] for problem in found(low, **high)]


def test_results_must_not_flow_into_a_lower_layer() -> None:
    text = SOUND.replace("series: $inputs.series, strength", "series: $smooth, strength")
    assert [problem[:3] for problem in found(text)] == [("layer_decreases", 21, "steps.inner")]


def test_a_method_may_be_asked_for_by_name() -> None:
    assert found(SOUND.replace("with: {quantity: $quantity}}", "with: {quantity: $quantity, method: given}}")) == []


def test_all_problems_of_a_template_are_told_at_once() -> None:
    text = (
        SOUND.replace("tool: smooth", "tool: smoth")
        .replace("$inner.map", "$iner.map")
        .replace("km2, default", "x, default")
    )
    assert {problem[0] for problem in found(text)} == {"unknown_tool", "dangling_reference", "unit"}


def test_methods_come_most_preferred_first() -> None:
    assert [method.template for method in methods_of("produce", TEMPLATES)] == ["given", "computed"]


def documents(texts: dict[str, str]) -> dict[str, object]:
    return {name: parse(text, f"{name}.yaml") for name, text in texts.items()}


CIRCLE = {
    name: f"template: {name}\ntitle: T\nlayer: 1\n{extra}steps:\n  s: {{{call}}}\noutputs: {{o: $s}}\n"
    for name, extra, call in (
        ("a", "", "template: b"),
        ("b", "", "template: c"),
        ("c", "", "template: a"),
        ("d", "method_of: t\n", "task: t"),
        ("e", "", "template: e"),
        ("f", "", "template: a"),
    )
}


def test_templates_that_contain_themselves_are_told_in_each_of_their_files() -> None:
    templates = {name: typed(text) for name, text in CIRCLE.items()}
    problems = composition_problems(templates, documents(CIRCLE))  # type: ignore[arg-type]
    assert {(p.code, p.file, p.line) for p in problems} == {
        ("cycle", "a.yaml", 4),
        ("cycle", "b.yaml", 4),
        ("cycle", "c.yaml", 4),
        ("cycle", "e.yaml", 4),
    }
    assert composition_problems(TEMPLATES, documents(OTHERS)) == []  # type: ignore[arg-type]


def test_a_method_may_need_its_own_task_for_something_else() -> None:
    templates = {name: typed(text) for name, text in CIRCLE.items() if name == "d"}
    assert composition_problems(templates, documents(CIRCLE)) == []  # type: ignore[arg-type]


def test_a_step_may_depend_on_whether_an_earlier_one_has_a_result() -> None:
    assert found(SOUND.replace("when: given($inputs.mask)", "when: given($product)")) == []


def test_methods_of_one_task_have_the_same_first_output() -> None:
    texts = {**OTHERS, "computed": OTHERS["computed"].replace("{product: $index}", "{prdct: $index}")}
    templates = {name: typed(text) for name, text in texts.items()}
    (problem,) = composition_problems(templates, documents(texts))  # type: ignore[arg-type]
    assert (problem.code, problem.file, problem.line) == ("method_outputs", "computed.yaml", 8)


def test_what_needs_something_broken_is_left_out_with_a_warning_that_names_it() -> None:
    texts = {**OTHERS, "change": SOUND}
    templates = {name: typed(text) for name, text in texts.items()}
    tools = {name: schema for name, schema in TOOLS.items() if name != "mean_of_series"}
    sound, problems = sound_templates(templates, tools, documents(texts))  # type: ignore[arg-type]
    assert sorted(sound) == ["computed", "given"]
    assert {(p.code, p.severity, p.file, p.where) for p in problems} == {
        ("left_out", "warning", "inner.yaml", "steps.mean.tool"),
        ("left_out", "warning", "change.yaml", "steps.mean.tool"),
    }


def test_a_task_stays_possible_as_long_as_one_method_is() -> None:
    texts = {**OTHERS, "change": SOUND}
    templates = {name: typed(text) for name, text in texts.items()}
    tools = {name: schema for name, schema in TOOLS.items() if name != "spectral_index"}
    sound, _ = sound_templates(templates, tools, documents(texts))  # type: ignore[arg-type]
    assert sorted(sound) == ["change", "given", "inner"]
    del templates["given"]
    sound, problems = sound_templates(templates, tools, documents(texts))  # type: ignore[arg-type]
    assert sorted(sound) == ["inner"]
    assert [problem.where for problem in problems] == ["steps.index.tool", "steps.product.task"]
