"""What others' validators say of exported documents, offline: schemas and contexts are those of tests/fixtures."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

_STANDARDS = Path(__file__).resolve().parents[3] / "tests" / "fixtures" / "standards"
_CONTEXTS = {
    "https://w3id.org/ro/crate/1.1/context": "ro-crate-1.1-context.json.gz",
    "https://w3id.org/ro/terms/workflow-run/context": "workflow-run-context.json",
}
_SCHEMAS = {
    "processing/v1.1.0": "stac-processing-1.1.0.json",
    "file/v2.1.0": "stac-file-2.1.0.json",
    "projection/v1.1.0": "stac-projection-1.1.0.json",
    "raster/v2.0.0": "stac-raster-2.0.0-beta.1.json",
}
PROFILES = ("process-run-crate-0.5", "workflow-run-crate-0.5", "provenance-run-crate-0.5")


def stac_problems(folder: Path) -> list[str]:
    """What is wrong with a collection and its items: against the schemas of STAC and of the extensions they name, and
    links and assets that are not there."""
    import pystac

    collection = json.loads((folder / "collection.json").read_text(encoding="utf-8"))
    documents = [collection] + [
        json.loads((folder / link["href"]).read_text(encoding="utf-8"))
        for link in collection["links"]
        if link["rel"] == "item"
    ]
    problems = []
    for document in documents:
        kind = "item" if document["type"] == "Feature" else "collection"
        schemas = [_core(kind), *(_extension(uri) for uri in document["stac_extensions"])]
        problems += [f"{document['id']}: {one.message}" for schema in schemas for one in schema.iter_errors(document)]
        hrefs = [asset["href"] for asset in document.get("assets", {}).values()]
        hrefs += [link["href"] for link in document["links"]]
        problems += [f"{document['id']}: no {href}" for href in hrefs if not (folder / href).is_file()]
    read = pystac.Collection.from_file(str(folder / "collection.json"))  # as a reader does
    items = list(read.get_items(recursive=True))
    if len(items) != len(documents) - 1:
        problems.append(f"{len(items)} items are read of {len(documents) - 1}")
    return problems


@cache
def _registry() -> Any:
    from pystac.validation.local_validator import get_local_schema_cache
    from referencing import Registry, Resource

    return Registry().with_resources([(k, Resource.from_contents(v)) for k, v in get_local_schema_cache().items()])


@cache
def _core(kind: str) -> Any:
    from jsonschema import Draft7Validator
    from pystac.validation.local_validator import get_local_schema_cache

    uri = f"https://schemas.stacspec.org/v1.1.0/{kind}-spec/json-schema/{kind}.json"
    return Draft7Validator(get_local_schema_cache()[uri], registry=_registry())


@cache
def _extension(uri: str) -> Any:
    from jsonschema import Draft7Validator

    name = uri.removeprefix("https://stac-extensions.github.io/").removesuffix("/schema.json")
    text = (_STANDARDS / _SCHEMAS[name]).read_text(encoding="utf-8")
    return Draft7Validator(json.loads(text.replace("v2.0.0-beta.1", "v2.0.0")), registry=_registry())


def crate_problems(folder: Path, profiles: tuple[str, ...] = PROFILES[-1:]) -> list[str]:
    """What the validator of RO-Crate says of a crate that profiles require; the last of them takes over what the others
    do, and RO-Crate itself."""
    from rocrate_validator.models import Severity, ValidationSettings
    from rocrate_validator.services import validate

    problems = []
    with _served():
        for profile in profiles:
            settings = ValidationSettings(
                rocrate_uri=str(folder),
                profile_identifier=profile,
                requirement_severity=Severity.REQUIRED,
                offline=True,
                no_cache=False,
            )
            found = validate(settings)
            problems += [f"{profile}: {one.message}" for one in found.get_issues()]
    return problems


@contextmanager
def _served() -> Iterator[None]:
    """The contexts of JSON-LD from files, where the validator would fetch them; nothing else is there."""
    import requests
    from rocrate_validator.utils.http import HttpRequester

    def fetched(_: Any, url: str, **__: Any) -> Any:
        response = requests.Response()
        response.status_code = 200 if url in _CONTEXTS else 504
        if url in _CONTEXTS:
            data = (_STANDARDS / _CONTEXTS[url]).read_bytes()
            response._content = gzip.decompress(data) if _CONTEXTS[url].endswith(".gz") else data
            response.headers["Content-Type"] = "application/ld+json"
        return response

    with mock.patch.object(HttpRequester, "get", fetched, create=True):
        yield
