"""The learning curve as a picture: true first passes along the stream, and how far the orders lie apart."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def draw(found: Mapping[str, Any], path: Path) -> None:
    """Write what a campaign found as a picture (PNG, SVG or PDF: by its name)."""
    from matplotlib.figure import Figure

    curve = found["curve"]
    places = [100 * (part + 0.5) / len(curve) for part in range(len(curve))]
    mean, least, most = ([100 * one[n] for one in curve] for n in range(3))
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.fill_between(places, least, most, alpha=0.25, linewidth=0, label=f"least and most of {found['orders']} orders")
    axes.plot(places, mean, marker="o", label="with memory, mean of the orders")
    axes.axhline(100 * found["first_pass_without"], linestyle="--", color="grey", label="without memory")
    axes.set(xlim=(0, 100), ylim=(0, 103), xlabel=f"part of the stream of {found['tasks']} tasks, %")
    axes.set(ylabel="true answers at the first pass, %")
    axes.legend(loc="center right", frameon=False)
    figure.savefig(path)
