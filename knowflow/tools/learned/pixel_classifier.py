"""Classifiers of single pixels, fitted by scikit-learn and written as ONNX: files that hold numbers and no code."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.model_card import ModelCard
from knowflow.tools.learned.onnx_file import CARD, Node, write_model

Algorithm = Literal["random_forest", "extra_trees", "maximum_likelihood", "logistic_regression"]
Values = NDArray[np.float32]
Codes = NDArray[np.int64]
_Graph = tuple[list[Node], Mapping[str, NDArray[np.float32]]]
_RIDGE = 1e-7  # of a class's mean variance, added to its covariance: bands may be all but copies of each other
_THREADS = 2


def fit(algorithm: Algorithm, values: Values, codes: Codes, trees: int, seed: int) -> _Graph:
    """A classifier as the graph of an ONNX file: ``pixels`` (n, bands) to ``scores`` (n, classes in rising order).

    ``maximum_likelihood`` is the Gaussian one with equal priors (Strahler 1980, doi:10.1016/0034-4257(80)90011-5);
    the forests are Breiman's (2001, doi:10.1023/A:1010933404324) and Geurts' (2006, doi:10.1007/s10994-006-6226-1).
    """
    fitters: Mapping[str, Callable[[], _Graph]] = {
        "random_forest": lambda: _forest("RandomForestClassifier", values, codes, trees, seed),
        "extra_trees": lambda: _forest("ExtraTreesClassifier", values, codes, trees, seed),
        "maximum_likelihood": lambda: _gaussian(values, codes),
        "logistic_regression": lambda: _logistic(values, codes),
    }
    return fitters[algorithm]()


def write_classifier(path: Path, graph: _Graph, card: ModelCard) -> None:
    """Write a classifier with its card in it."""
    nodes, weights = graph
    said = json.dumps(card.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False)
    sizes = {"pixels": len(card.bands)}, {"scores": len(card.classes)}
    write_model(path, nodes, weights, *sizes, {CARD: said})


def _forest(name: str, values: Values, codes: Codes, trees: int, seed: int) -> _Graph:
    from sklearn import ensemble  # type: ignore[import-untyped,unused-ignore]

    model = getattr(ensemble, name)(n_estimators=trees, random_state=seed, n_jobs=_THREADS, min_samples_leaf=2)
    model.fit(values, codes)
    node: dict[str, list[NDArray[Any]]] = {
        name: [] for name in ("tree", "id", "feature", "value", "left", "right", "leaf")
    }
    leaf: dict[str, list[NDArray[Any]]] = {name: [] for name in ("tree", "id", "class", "weight")}
    for number, estimator in enumerate(model.estimators_):
        tree = estimator.tree_
        ends = tree.children_left < 0
        ids = np.arange(tree.node_count)
        node["tree"].append(np.full(tree.node_count, number))
        node["id"].append(ids)
        node["feature"].append(np.where(ends, 0, tree.feature))
        node["value"].append(np.where(ends, 0.0, _not_above(tree.threshold)))
        node["left"].append(np.where(ends, 0, tree.children_left))
        node["right"].append(np.where(ends, 0, tree.children_right))
        node["leaf"].append(ends)
        shares = tree.value[:, 0, :] / tree.value[:, 0, :].sum(axis=1, keepdims=True)
        places, classes = np.nonzero((shares > 0) & ends[:, None])
        leaf["tree"].append(np.full(len(places), number))
        leaf["id"].append(places)
        leaf["class"].append(classes)
        leaf["weight"].append(shares[places, classes] / trees)
    joined = {name: np.concatenate(parts) for name, parts in node.items()}
    ended = {name: np.concatenate(parts) for name, parts in leaf.items()}
    attributes = {
        "nodes_treeids": joined["tree"].astype(np.int64),
        "nodes_nodeids": joined["id"].astype(np.int64),
        "nodes_featureids": joined["feature"].astype(np.int64),
        "nodes_values": joined["value"].astype(np.float32),
        "nodes_modes": ["LEAF" if end else "BRANCH_LEQ" for end in joined["leaf"]],
        "nodes_truenodeids": joined["left"].astype(np.int64),
        "nodes_falsenodeids": joined["right"].astype(np.int64),
        "target_treeids": ended["tree"].astype(np.int64),
        "target_nodeids": ended["id"].astype(np.int64),
        "target_ids": ended["class"].astype(np.int64),
        "target_weights": ended["weight"].astype(np.float32),
        "n_targets": len(model.classes_),
        "aggregate_function": "SUM",
        "post_transform": "NONE",
    }
    # shares of votes are sums over trees: the regressor; of two classes, the classifier makes scores of one
    return [("TreeEnsembleRegressor", ("pixels",), ("scores",), attributes, "ai.onnx.ml")], {}


def _not_above(thresholds: NDArray[np.float64]) -> NDArray[np.float32]:
    """The largest float32 numbers not above: for float32 values ``x <= t`` then holds exactly where it did before."""
    rounded = thresholds.astype(np.float32)
    return np.where(rounded > thresholds, np.nextafter(rounded, np.float32(-np.inf)), rounded)


def _gaussian(values: Values, codes: Codes) -> _Graph:
    """``-|R (x - m)|^2 / 2 + log |R|`` per class, with R the inverse of the Cholesky factor of its covariance."""
    bands = values.shape[1]
    centre = values.mean(axis=0, dtype=np.float64).astype(np.float32)  # taken off first: float32 has few digits
    roots, shifts, offsets = [], [], []
    for code in np.unique(codes):
        own = values[codes == code].astype(np.float64)
        if len(own) <= bands:
            raise ToolError(
                "a class has too few pixels for a covariance matrix",
                expected=f"more than {bands} pixels of each class, as there are {bands} bands",
                found=f"{len(own)} of class {code}",
                hint="draw larger polygons, or take another algorithm",
            )
        covariance = np.atleast_2d(np.cov(own, rowvar=False, bias=True))
        covariance = covariance + np.eye(bands) * max(_RIDGE * float(np.trace(covariance)) / bands, 1e-12)
        root = np.linalg.inv(np.linalg.cholesky(covariance))
        roots.append(root)
        shifts.append(-root @ (own.mean(axis=0) - centre))
        offsets.append(float(np.log(np.diag(root)).sum()))
    count = len(roots)
    weights = {
        "centre": centre,
        "roots": np.concatenate(roots).T.astype(np.float32),
        "shifts": np.concatenate(shifts).astype(np.float32),
        "halves": (-0.5 * np.kron(np.eye(count), np.ones((bands, 1)))).astype(np.float32),
        "offsets": np.asarray(offsets, dtype=np.float32),
    }
    nodes: list[Node] = [
        ("Sub", ("pixels", "centre"), ("centred",), {}, ""),
        ("Gemm", ("centred", "roots", "shifts"), ("whitened",), {}, ""),
        ("Mul", ("whitened", "whitened"), ("squares",), {}, ""),
        ("Gemm", ("squares", "halves", "offsets"), ("logits",), {}, ""),
        ("Softmax", ("logits",), ("scores",), {"axis": -1}, ""),
    ]
    return nodes, weights


def _logistic(values: Values, codes: Codes) -> _Graph:
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped,unused-ignore]

    mean, spread = values.mean(axis=0, dtype=np.float64), values.std(axis=0, dtype=np.float64)
    spread = np.where(spread > 0, spread, 1.0)
    model = LogisticRegression(max_iter=2000).fit((values - mean) / spread, codes)
    slopes, intercepts = model.coef_, model.intercept_
    if len(slopes) == 1:  # two classes: one function of which the other is the negative
        slopes, intercepts = np.stack([-slopes[0], slopes[0]]) / 2, np.array([-intercepts[0], intercepts[0]]) / 2
    weights = {
        "slopes": (slopes / spread).T.astype(np.float32),
        "intercepts": (intercepts - slopes @ (mean / spread)).astype(np.float32),
    }
    nodes: list[Node] = [
        ("Gemm", ("pixels", "slopes", "intercepts"), ("logits",), {}, ""),
        ("Softmax", ("logits",), ("scores",), {"axis": -1}, ""),
    ]
    return nodes, weights
