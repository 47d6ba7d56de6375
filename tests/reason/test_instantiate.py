from __future__ import annotations

from typing import Any

import pytest
from examples import catalogue, dated_series, ndvi, raster

from knowflow.graph.check import check_workflow
from knowflow.ground.errors import PlanningError
from knowflow.ground.yamldoc import parse
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.artifact import Artifact, band_set, series
from knowflow.model.goal import Period
from knowflow.model.template import Template
from knowflow.model.workflow import FromInput, FromNode, Given, SeriesOf
from knowflow.reason.achievers import Achievers
from knowflow.reason.builder import Bound, Builder
from knowflow.reason.instantiate import Instantiation
from knowflow.reason.scope import Results

TOOLS = catalogue()
GIVEN = """\
template: given
title: As the data hold it
layer: 1
method_of: produce
preference: 5
parameters: {quantity: {type: quantity}}
inputs: {series: {type: raster_series, quantity: [$quantity]}}
outputs: {product: $inputs.series}
"""
COMPUTED = """\
template: computed
title: An index from bands
layer: 2
method_of: produce
when: [is_index($quantity)]
parameters: {quantity: {type: quantity}}
inputs: {scenes: {type: raster_series, bands: [$quantity]}}
steps: {index: {tool: spectral_index, for_each: {bands: $inputs.scenes}, with: {index: $quantity}}}
outputs: {product: $index}
quality: [valid_fraction($index) >= 0.1]
"""
MEAN = """\
template: mean_of
title: Mean of a quantity
layer: 3
parameters:
  quantity: {type: quantity}
  window: {type: integer, default: 3, minimum: 1, maximum: 9}
  side: {type: string, choices: [above, below], default: above}
  smooth: {type: boolean, default: true}
steps:
  product: {task: produce, with: {quantity: $quantity}}
  smoothed: {tool: smooth, for_each: {raster: $product}, with: {window: $window}, when: $smooth, else: $product}
  mean: {tool: mean_of_series, with: {rasters: $smoothed}}
outputs: {map: $mean, all: $smoothed}
"""


class Folder:
    """Data that fit by type, quantity and bands, in the order given; remembers the periods asked for."""

    def __init__(self, *artifacts: Artifact) -> None:
        self.artifacts = artifacts
        self.periods: list[Period | None] = []

    def candidates(
        self, kind: str, quantity: tuple[str, ...], bands: tuple[str, ...], period: Period | None
    ) -> tuple[Artifact, ...]:
        self.periods.append(period)
        return tuple(
            artifact
            for artifact in self.artifacts
            if artifact.type == kind
            and (not quantity or artifact.fact("quantity") in quantity)
            and (not bands or all(set(bands) <= set(item.members) for item in artifact.items))
        )

    def summary(self) -> str:
        return f"{len(self.artifacts)} files"


def scenes(count: int = 2, **nir: Any) -> Artifact:
    return series(
        tuple(
            band_set(
                {
                    "red": raster(f"red{i}", datetime=f"2022-0{i + 1}-01"),
                    "nir": raster(f"nir{i}", datetime=f"2022-0{i + 1}-01", **nir),
                }
            )
            for i in range(count)
        ),
        name="scenes",
    )


class Attempt:
    """A template instantiated over a folder of data."""

    def __init__(self, *texts: str, data: Folder) -> None:
        found = [Template.model_validate(parse(text, "t").data) for text in texts]
        self.templates = {template.template: template for template in found}
        self.top = found[0]
        self.builder = Builder(TOOLS, Achievers(TOOLS))
        self.work = Instantiation(Catalogue(TOOLS, self.templates), data, self.builder)

    def run(
        self, inputs: dict[str, Bound | None] | None = None, period: Period | None = None, **values: Any
    ) -> Results:
        parameters = {name: Bound(Given(value), value) for name, value in values.items()}
        return self.work.template(self.top, parameters, inputs or {}, period=period)

    @property
    def tools(self) -> list[str]:
        return [node.tool for node in self.builder.workflow.nodes]

    @property
    def ids(self) -> list[str]:
        return [node.id for node in self.builder.workflow.nodes]

    def sound(self) -> bool:
        return not check_workflow(self.builder.workflow, self.builder.inputs, TOOLS).problems


def test_lists_expand_to_a_node_per_date_and_gather_again() -> None:
    attempt = Attempt(MEAN, GIVEN, COMPUTED, data=Folder(dated_series(3)))
    results = attempt.run(quantity="ndvi")
    assert attempt.ids == [
        "smoothed.2022-01-01",
        "smoothed.2022-02-01",
        "smoothed.2022-03-01",
        "mean",
    ]
    assert [node.layer for node in attempt.builder.workflow.nodes] == [3, 3, 3, 3]
    assert attempt.builder.workflow.node("smoothed.2022-02-01").args["raster"] == FromInput("product.series", (1,))
    assert results.primary is not None
    assert results.primary.value == FromNode("mean", "output")
    assert isinstance(results.outputs["all"], Bound)
    assert isinstance(results.outputs["all"].value, SeriesOf)
    assert attempt.sound()


def test_the_preferred_method_that_the_data_allow_is_taken_and_the_others_kept_with_reasons() -> None:
    attempt = Attempt(MEAN, GIVEN, COMPUTED, data=Folder(scenes()))
    attempt.run(quantity="ndvi")
    (decision,) = attempt.work.decisions
    assert (decision.what, decision.chosen) == ("produce at product", "computed")
    assert decision.rejected[0][0] == "given"
    assert "no data" in decision.rejected[0][1]
    assert attempt.tools == ["spectral_index", "spectral_index", "smooth", "smooth", "mean_of_series"]
    assert attempt.ids[0] == "product.index.2022-01-01"
    assert [node.layer for node in attempt.builder.workflow.nodes] == [2, 2, 3, 3, 3]
    assert attempt.sound()


def test_a_rejected_method_leaves_nothing_behind() -> None:
    broken = COMPUTED.replace("template: computed", "template: broken").replace(
        "outputs:", "  step2: {tool: kelvin_only, for_each: {raster: $index}}\noutputs:"
    )
    broken = broken.replace(
        "steps: {index: {tool: spectral_index, for_each: {bands: $inputs.scenes}, with: {index: $quantity}}}",
        "steps:\n  index: {tool: spectral_index, for_each: {bands: $inputs.scenes}, with: {index: $quantity}}",
    ).replace("layer: 2\n", "layer: 2\npreference: 9\nassumes: [never]\n")
    attempt = Attempt(MEAN, broken, COMPUTED, data=Folder(scenes()))
    attempt.run(quantity="ndvi")
    (decision,) = attempt.work.decisions
    assert decision.chosen == "computed"
    assert "kelvin_only needs unit(raster) == 'K'" in decision.rejected[0][1]
    assert "kelvin_only" not in attempt.tools
    assert len(attempt.work.quality) == 1
    assert [assumption.what for assumption in attempt.work.assumptions] == ["window", "side", "smooth"]
    assert attempt.sound()


def test_a_method_above_the_layer_or_not_asked_for_is_not_taken() -> None:
    high = GIVEN.replace("layer: 1", "layer: 3").replace("given", "high").replace("preference: 5", "preference: 99")
    low = MEAN.replace("layer: 3", "layer: 2")
    data = Folder(dated_series(2))
    attempt = Attempt(low, high, GIVEN, data=data)
    attempt.run(quantity="ndvi")
    assert attempt.work.decisions[0].chosen == "given"
    asked = MEAN.replace("with: {quantity: $quantity}", "with: {quantity: $quantity, method: computed}")
    attempt = Attempt(asked, GIVEN, COMPUTED, data=Folder(dated_series(2), scenes()))
    attempt.run(quantity="ndvi")
    assert attempt.work.decisions[0].chosen == "computed"


def test_a_task_that_no_method_fits_says_why_for_each() -> None:
    attempt = Attempt(MEAN, GIVEN, COMPUTED, data=Folder(dated_series(2)))
    with pytest.raises(PlanningError, match="no method to produce") as caught:
        attempt.run(quantity="elevation")
    assert caught.value.where == "product"
    assert "given: no data" in str(caught.value.found)
    attempt = Attempt(MEAN, GIVEN, COMPUTED, data=Folder())
    with pytest.raises(PlanningError) as caught:
        attempt.run(quantity="ndvi")
    assert "with the bands red, nir" in str(caught.value.found) or "nir, red" in str(caught.value.found)


def test_what_all_methods_found_is_said_once() -> None:
    attempt = Attempt(MEAN, GIVEN, COMPUTED, data=Folder())
    with pytest.raises(PlanningError) as caught:
        attempt.run(quantity="ndvi")
    reasons = str(caught.value.found)
    assert [reasons.count(text) for text in ("given: no data", "computed: no data", "found ")] == [1, 1, 1]


def test_a_step_whose_condition_is_false_is_left_out_for_its_stand_in() -> None:
    attempt = Attempt(MEAN, GIVEN, data=Folder(dated_series(2)))
    attempt.run(quantity="ndvi", smooth=False)
    assert attempt.tools == ["mean_of_series"]
    assert attempt.builder.workflow.node("mean").args["rasters"] == FromInput("product.series")


def test_gaps_of_each_item_are_filled_on_the_way() -> None:
    attempt = Attempt(MEAN, GIVEN, COMPUTED, data=Folder(scenes(pixel=20)))
    attempt.run(quantity="ndvi", smooth=False)
    assert attempt.tools.count("align_to") == 2
    assert attempt.ids[:2] == ["product.index.2022-01-01.align_to", "product.index.2022-01-01"]
    assert attempt.sound()


def test_defaults_are_assumptions_and_open_or_bad_parameters_are_refused() -> None:
    attempt = Attempt(MEAN, GIVEN, data=Folder(dated_series(2)))
    attempt.run(quantity="ndvi", window=5)
    assert [(a.what, a.value) for a in attempt.work.assumptions] == [("side", "above"), ("smooth", True)]
    with pytest.raises(PlanningError, match="'quantity' is open") as caught:
        Attempt(MEAN, GIVEN, data=Folder()).run()
    assert "--set quantity=VALUE" in str(caught.value.hint)
    with pytest.raises(PlanningError, match="side cannot be 'beside'"):
        Attempt(MEAN, GIVEN, data=Folder()).run(quantity="ndvi", side="beside")
    with pytest.raises(PlanningError, match="window is out of range"):
        Attempt(MEAN, GIVEN, data=Folder()).run(quantity="ndvi", window=10)


INPUTS = """\
template: inputs
title: Inputs
layer: 1
parameters: {quantity: {type: quantity, default: ndvi}}
inputs:
  series: {type: raster_series, quantity: [$quantity], minimum_count: 2, where: ["unit(it) == '1'"]}
  mask: {type: raster_series, quantity: [cloud_mask], optional: true}
steps:
  masked: {tool: mean_of_series, with: {rasters: $inputs.mask}, when: given($inputs.mask), else: $inputs.series}
outputs: {out: $masked}
"""


def test_the_first_candidate_that_fits_is_bound_and_the_others_are_told_when_none_does() -> None:
    short, wrong, fine = dated_series(1), dated_series(2, unit="K"), dated_series(3)
    attempt = Attempt(INPUTS, data=Folder(short, wrong, fine))
    results = attempt.run()
    assert results.primary is not None
    assert results.primary.known == fine
    with pytest.raises(PlanningError, match="no data for 'series'") as caught:
        Attempt(INPUTS, data=Folder(short, wrong)).run()
    assert "1 items, 2 needed" in str(caught.value.found)
    assert "unit" in str(caught.value.found)


def test_optional_inputs_are_bound_when_there_are_data_and_else_left_out() -> None:
    attempt = Attempt(INPUTS, data=Folder(dated_series(2), dated_series(2, quantity="cloud_mask")))
    attempt.run()
    assert attempt.tools == ["mean_of_series"]
    attempt = Attempt(INPUTS, data=Folder(dated_series(2)))
    attempt.run()
    assert attempt.tools == []


def test_what_the_caller_hands_over_is_not_looked_for() -> None:
    attempt = Attempt(INPUTS, data=Folder())
    handed = attempt.builder.input("mine", dated_series(2))
    results = attempt.run(inputs={"series": handed})
    assert results.primary is not None
    assert results.primary.value == FromInput("mine")


CALLS = """\
template: calls
title: Calls
layer: 3
parameters: {span: {type: string, optional: true}}
steps:
  before: {template: given, with: {quantity: ndvi}, period: 2021-01-01/2021-12-31}
  after: {template: given, with: {quantity: ndvi}, period: $span}
  mean: {tool: mean_of_series, with: {rasters: [$before, $after]}}
outputs: {out: $mean, both: [$before, $after]}
"""


def test_a_step_may_look_at_a_period_of_its_own() -> None:
    data = Folder(dated_series(2))
    attempt = Attempt(CALLS, GIVEN, data=data)
    attempt.run(period=Period("2022-01-01", "2022-12-31"))
    assert data.periods == [Period("2021-01-01", "2021-12-31"), Period("2022-01-01", "2022-12-31")]
    data.periods.clear()
    Attempt(CALLS, GIVEN, data=data).run(span="2020-01-01/2020-06-30")
    assert data.periods[1] == Period("2020-01-01", "2020-06-30")


def test_lists_of_series_become_one_series() -> None:
    attempt = Attempt(CALLS, GIVEN, data=Folder(dated_series(2)))
    attempt.run()
    value = attempt.builder.workflow.node("mean").args["rasters"]
    assert isinstance(value, SeriesOf)
    assert len(value.items) == 4


def test_quality_conditions_keep_what_their_names_stand_for() -> None:
    attempt = Attempt(MEAN, COMPUTED, data=Folder(scenes()))
    attempt.run(quantity="ndvi")
    (quality,) = attempt.work.quality
    assert quality.condition == "valid_fraction($index) >= 0.1"
    assert isinstance(quality.values["$index"], SeriesOf)


def test_templates_that_never_end_are_refused() -> None:
    text = "template: loop\ntitle: L\nlayer: 1\nsteps: {s: {template: loop}}\noutputs: {o: $s}\n"
    with pytest.raises(PlanningError, match="nested too deeply"):
        Attempt(text, data=Folder()).run()


def test_a_template_that_does_not_apply_says_which_condition_fails() -> None:
    with pytest.raises(PlanningError, match="computed does not apply") as caught:
        Attempt(COMPUTED, data=Folder(scenes())).run(quantity="elevation")
    assert caught.value.expected == "is_index($quantity)"


def test_a_wrong_partner_is_told_with_the_step() -> None:
    text = """\
template: pairs
title: Pairs
layer: 1
inputs:
  a: {type: raster_series, quantity: [ndvi]}
  b: {type: raster_series, quantity: [evi]}
steps: {d: {tool: raster_difference, for_each: {a: $inputs.a, b: $inputs.b}}}
outputs: {o: $d}
"""
    data = Folder(dated_series(2), dated_series(2, year=2023, quantity="evi"))
    with pytest.raises(PlanningError, match="have no partner in 'b'") as caught:
        Attempt(text, data=data).run()
    assert caught.value.where == "d"


def test_single_rasters_are_inputs_too() -> None:
    text = """\
template: one
title: One
layer: 2
inputs: {dem: {type: raster, quantity: [elevation]}}
steps: {slope: {tool: slope, with: {elevation: $inputs.dem}}, mean: {tool: mean, with: {raster: $slope}}}
outputs: {answer: $mean.value, map: $slope}
"""
    dem = raster("dem", crs="EPSG:4326", origin=(15.0, 46.0), pixel=0.0003, quantity="elevation", unit="m")
    attempt = Attempt(text, data=Folder(dem, ndvi()))
    results = attempt.run()
    assert attempt.tools == ["to_projected", "slope", "mean"]
    assert results.primary is not None
    assert results.primary.known.fact("unit") == "degree"
    assert attempt.sound()
