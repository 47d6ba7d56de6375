"""Retrieval: how fast over 1,000 templates, how right on labelled questions; ``--calibrate`` writes both files again.

    python benchmarks/retrieval.py [--json] [--templates 1000] [--calibrate]

``--calibrate`` learns the document frequencies from the task cards (pkb/embedding.json) and the threshold from the
labelled questions (pkb/retrieval.yaml).
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from dataclasses import asdict

import numpy as np

from knowflow.ground.resources import packaged_root
from knowflow.knowledge.cards import load_cards
from knowflow.knowledge.embedding import ConceptEmbedding, Frequencies, learn
from knowflow.knowledge.retrieval import Index, calibration, card_entry, template_entry
from knowflow.knowledge.store import compute
from knowflow.model.template import Template
from knowflow.reason.language.understanding import understand
from knowflow_bench.calibration import Quality, answer, best_threshold, cross_validate, quality, questions

_SUBJECTS = (
    *(
        "dense vegetation",
        "open water",
        "snow cover",
        "burned area",
        "built-up land",
        "bare soil",
        "surface temperature",
    ),
    *(
        "night lights",
        "rainfall",
        "slope",
        "elevation",
        "turbidity",
        "cloud cover",
        "aerosol",
        "water vapour",
        "drought",
    ),
    *("canopy moisture", "glacier ice", "algal bloom", "flooded land"),
)
_OPERATIONS = (
    *("share", "area", "mean", "maximum", "trend", "change", "difference", "map", "time series", "anomaly"),
    *("histogram", "statistics per district", "statistics per land cover class", "largest patches", "date of maximum"),
)
_PLACES = ("a city", "a river basin", "farmland", "mountains", "the coast")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--templates", type=int, default=1000, help="how many synthetic templates to search")
    parser.add_argument("--calibrate", action="store_true", help="write pkb/embedding.json and pkb/retrieval.yaml")
    options = parser.parse_args()
    figures = calibrated() if options.calibrate else measured()
    figures["latency"] = latency(options.templates)
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    for name, values in figures.items():
        print(name)
        for key, value in values.items():
            print(f"  {key:24} {value:.4g}")


def calibrated() -> dict[str, dict[str, float]]:
    """Learn and write; the threshold rests on the first two sets only."""
    cards = load_cards()
    frequencies = learn(" . ".join(text for text, _ in card_entry(card).parts) for card in cards)
    _write_frequencies(frequencies)
    index = _index(ConceptEmbedding(frequencies), 0.0)
    answers = answer(index, questions("paraphrases", "unrelated"), understand)
    held_out = answer(index, questions("held_out"), understand)
    figures = {
        "cross_validated": _figures(cross_validate(answers)),
        "held_out": _figures(quality(held_out, best_threshold(answers))),
    }
    _write_threshold(best_threshold(answers), figures)
    return figures


def measured() -> dict[str, dict[str, float]]:
    """The figures of what is written."""
    threshold = calibration().threshold
    index = _index(ConceptEmbedding(), threshold)
    answers = answer(index, questions("paraphrases", "unrelated"), understand)
    return {
        "cross_validated": _figures(cross_validate(answers)),
        "held_out": _figures(quality(answer(index, questions("held_out"), understand), threshold)),
    }


def latency(number: int) -> dict[str, float]:
    """Milliseconds a query over that many templates, with the labelled questions as queries (each once, after one)."""
    embedding = ConceptEmbedding()
    entries = tuple(template_entry(template) for template in synthetic_templates(number))
    start = time.perf_counter()
    index = Index(entries, compute(entries, embedding), embedding, calibration().threshold)
    built = time.perf_counter() - start
    asked = [question.query for question in questions("paraphrases", "unrelated")]
    index.retrieve(asked[0])
    taken = []
    for query in asked:
        start = time.perf_counter()
        index.retrieve(query)
        taken.append(1000 * (time.perf_counter() - start))
    return {
        "templates": float(len(index)),
        "queries": float(len(taken)),
        "p50_ms": float(np.percentile(taken, 50)),
        "p95_ms": float(np.percentile(taken, 95)),
        "max_ms": max(taken),
        "build_s": built,
    }


def synthetic_templates(number: int) -> list[Template]:
    """Templates that differ in what they do, to what, where and when; only their words matter here."""
    found: list[Template] = []
    for year in itertools.count(1984):
        for subject, operation, place in itertools.product(_SUBJECTS, _OPERATIONS, _PLACES):
            if len(found) == number:
                return found
            words = f"{operation} of {subject}"
            found.append(
                Template.model_validate(
                    {
                        "template": f"t{len(found)}",
                        "title": f"{words.capitalize()} over {place}, {year}",
                        "description": f"Computes the {words} over {place} from all cloud-free scenes of {year}.",
                        "layer": 3,
                        "keywords": (words, f"{subject} of {place}", f"{subject} {year}", operation),
                        "steps": {"answer": {"tool": "mean"}},
                        "outputs": {"answer": "$answer"},
                    }
                )
            )
    return found


def _index(embedding: ConceptEmbedding, threshold: float) -> Index:
    entries = tuple(card_entry(card) for card in load_cards())
    return Index(entries, compute(entries, embedding), embedding, threshold)


def _figures(found: Quality) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in asdict(found).items()}


def _write_frequencies(frequencies: Frequencies) -> None:
    data = {"documents": frequencies.documents, "frequencies": dict(frequencies.counts)}
    text = json.dumps(data, indent=0, ensure_ascii=False, sort_keys=True)
    (packaged_root("pkb") / "embedding.json").write_text(text + "\n", encoding="utf-8")


def _write_threshold(threshold: float, figures: dict[str, dict[str, float]]) -> None:
    lines = [
        "# Written by: python benchmarks/retrieval.py --calibrate",
        "# Figures on benchmarks/evaluation: cv_ on paraphrases and unrelated, threshold of other folds; held_out_ on",
        "# questions that neither the lexicon nor the weights nor the threshold were tuned on.",
        f"threshold: {threshold:g}",
        "figures:",
    ]
    for prefix, name in (("cv", "cross_validated"), ("held_out", "held_out")):
        lines += [f"  {prefix}_{key}: {value:g}" for key, value in figures[name].items() if key != "threshold"]
    (packaged_root("pkb") / "retrieval.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
