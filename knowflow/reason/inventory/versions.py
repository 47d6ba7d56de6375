"""Products of one acquisition that were processed several times: the newest counts, where their names tell which it is.

Landsat Collection 2 identifiers hold the date of processing after that of acquisition, names of Sentinel-2 products the
number of the processing baseline. Sources: https://www.usgs.gov/landsat-missions/landsat-collection-2,
https://sentiwiki.copernicus.eu/web/s2-products
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable

from knowflow.model.artifact import Artifact

_PRODUCTS = (
    re.compile(
        r"(?P<acquired>L[COTE]0[4-9]_L[12][A-Z]{2}_\d{6}_\d{8})_(?P<processed>\d{8})_02_(T1|T2|RT)(?=_)", re.IGNORECASE
    ),
    re.compile(
        r"(?P<acquired>S2[A-D]_MSIL(1C|2A)_\d{8}T\d{6})_N(?P<processed>\d{4})_(?P<tile>R\d{3}_T\w{5})_\d{8}T\d{6}\.SAFE",
        re.IGNORECASE,
    ),
)


def product_named(path: str) -> str:
    """The name of the product in a path that tells when it was processed; "" for none."""
    return next((match.group() for one in _PRODUCTS if (match := one.search(path))), "")


def newest_versions(artifacts: Iterable[Artifact]) -> tuple[tuple[Artifact, ...], tuple[tuple[str, str], ...]]:
    """The layers without those of products that were processed anew, and each of their names with the newer one's.

    A product gives way to one of the same acquisition that holds all of its layers.
    """
    listed = tuple(artifacts)
    acquisitions: dict[Hashable, dict[tuple[str, str], set[Hashable]]] = {}
    products: dict[str, str] = {}
    for item in listed:
        found = next((match for one in _PRODUCTS if (match := one.search(item.path or ""))), None)
        if found is None or item.path is None:
            continue
        products[item.path] = found.group()
        said = found.groupdict()
        versions = acquisitions.setdefault((said["acquired"].upper(), (said.get("tile") or "").upper()), {})
        layer = (item.type, item.fact("layer"), item.fact("resolution"), item.band)
        versions.setdefault((said["processed"], found.group()), set()).add(layer)
    replaced: dict[str, str] = {}
    for versions in acquisitions.values():
        for processed, product in versions:
            newer = [one for one in versions if one[0] > processed and versions[processed, product] <= versions[one]]
            if newer:
                replaced[product] = max(newer)[1]
    kept = tuple(item for item in listed if products.get(item.path or "") not in replaced)
    return kept, tuple(sorted(replaced.items()))
