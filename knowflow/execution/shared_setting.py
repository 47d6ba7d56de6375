"""Where results are shared with other machines: a folder that all of them see, or a bucket."""

from __future__ import annotations

import os
import re
from pathlib import Path

from knowflow.execution.cache_limit import SETTINGS_FILE, settings
from knowflow.execution.shared_cache import SharedCache
from knowflow.execution.shared_objects import BucketObjects, FolderObjects, Objects, Unusable
from knowflow.ground.errors import DocumentError, KnowFlowError
from knowflow.ground.extras import require_extra

VARIABLE = "KNOWFLOW_SHARED_CACHE"
_NONE = ("none", "off", "no")
_S3 = "s3://"
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX = re.compile(r"[\w!.*'()/=+-]*")


def shared_place() -> str | None:
    """The folder, or ``s3://bucket/prefix``: from the environment, else the user's settings; None for none.

    Raises:
        DocumentError: the settings are not valid.
    """
    said = os.environ.get(VARIABLE, "").strip() or (settings().shared or "").strip()
    return None if said.casefold() in ("", *_NONE) else said


def objects_at(place: str) -> Objects:
    """What lies at a place.

    Raises:
        DocumentError: it is neither an absolute folder nor a bucket.
        MissingExtraError: the package that reads buckets is not installed.
    """
    if place.startswith(_S3):
        bucket, _, prefix = place.removeprefix(_S3).partition("/")
        if not _BUCKET.fullmatch(bucket) or not _PREFIX.fullmatch(prefix):
            raise _bad("another address that begins with s3://")  # which may hold a secret
        require_extra("remote", "boto3")
        return BucketObjects(bucket, prefix.strip("/"))
    if "://" in place:
        raise _bad(f"an address of {place.partition('://')[0]}")
    folder = Path(place).expanduser()
    if not folder.is_absolute():
        raise _bad(place)
    return FolderObjects(folder)


def shared_cache() -> SharedCache | None:
    """The shared cache that is set; None for none. One that cannot be used says so when it is, and fails no run."""
    try:
        place = shared_place()
        if place is None:
            return None
        objects = objects_at(place)
        if isinstance(objects, FolderObjects):
            objects.sweep()
        return SharedCache(objects)
    except KnowFlowError as error:
        return SharedCache(Unusable(VARIABLE, f"{error.message} ({error.hint})" if error.hint else error.message))


def _bad(found: str) -> DocumentError:
    return DocumentError(
        "no place of a shared cache",
        where=VARIABLE,
        expected="a folder, from the root on, or s3://bucket/prefix",
        found=found,
        hint=f"set {VARIABLE}, or `shared` in {SETTINGS_FILE}; credentials are those of the AWS clients",
    )
