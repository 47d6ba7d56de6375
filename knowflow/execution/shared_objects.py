"""Named objects that several machines see: the files of a shared folder, or the objects of a bucket (S3).

An object is there whole or not at all. What goes wrong is an ``OSError`` that says what, without any secret.
"""

from __future__ import annotations

import errno
import os
import shutil
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn, Protocol

_CONNECT_S, _ANSWER_S, _ATTEMPTS = 5, 30, 3
_ABANDONED_S = 24 * 3600.0
_NONE = frozenset({"404", "NoSuchKey", "NotFound"})
_OTHERS = frozenset({"412", "PreconditionFailed", "409", "ConditionalRequestConflict"})
_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


@dataclass(frozen=True, slots=True)
class Held:
    """The bytes of an object, and what a store knows this state of it by."""

    data: bytes
    tag: str = ""


class Objects(Protocol):
    """Objects by names such as ``results/ab/abcd``. Safe for threads."""

    @property
    def where(self) -> str:
        """The place, as it may be told."""
        ...

    def read(self, name: str) -> Held | None:
        """An object; None where there is none."""
        ...

    def fetch(self, name: str, to: Path) -> bool:
        """Copy an object into a file; whether there is one."""
        ...

    def put(self, name: str, data: bytes | Path, *, new: bool = False) -> bool:
        """Place bytes, or what a file holds; whether it was done: with ``new``, only where there is none."""
        ...

    def has(self, name: str) -> bool: ...

    def replace(self, name: str, seen: Held, data: bytes) -> bool:
        """Place bytes where an object is still as it was seen; whether it was."""
        ...

    def remove(self, name: str) -> None:
        """Remove an object; there need not be one."""
        ...


class FolderObjects:
    """Files below a folder that is there: one that is not may be a share that is not mounted, and is not made."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._drafts = folder / "drafts"

    @property
    def where(self) -> str:
        return str(self._folder)

    def read(self, name: str) -> Held | None:
        try:
            return Held((self._folder / name).read_bytes())  # opened anew: a network's file system looks at its server
        except FileNotFoundError:
            self._require_folder()
            return None

    def fetch(self, name: str, to: Path) -> bool:
        try:
            shutil.copyfile(self._folder / name, to)
        except FileNotFoundError:
            return False
        return True

    def put(self, name: str, data: bytes | Path, *, new: bool = False) -> bool:
        self._require_folder()
        place, draft = self._folder / name, self._drafts / uuid.uuid4().hex
        for folder in (draft.parent, place.parent):
            folder.mkdir(parents=True, exist_ok=True)
        try:
            if isinstance(data, Path):
                shutil.copyfile(data, draft)
            else:
                draft.write_bytes(data)
            if new:
                return _as_new(draft, place)
            os.replace(draft, place)
            return True
        finally:
            draft.unlink(missing_ok=True)

    def has(self, name: str) -> bool:
        return (self._folder / name).exists()

    def replace(self, name: str, seen: Held, data: bytes) -> bool:
        """As it says; where two do so in the same moment, both may: nothing rests on it but who makes a result."""
        if self.read(name) != seen:
            return False
        return self.put(name, data)

    def remove(self, name: str) -> None:
        (self._folder / name).unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove the drafts that killed processes left a day ago."""
        with suppress(OSError):
            for draft in self._drafts.iterdir():
                with suppress(OSError):
                    if time.time() - draft.stat().st_mtime > _ABANDONED_S:
                        draft.unlink()

    def _require_folder(self) -> None:
        if not self._folder.is_dir():
            raise FileNotFoundError(errno.ENOENT, "there is no such folder (is it mounted?)")


def inside(name: str) -> str:
    """The name of a file below a folder.

    Raises:
        ValueError: it leads out of it.
    """
    if not name or PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
        raise ValueError(f"{name!r} is not below the folder")
    return name


def _as_new(draft: Path, place: Path) -> bool:
    """Give a draft its name where nobody has it."""
    try:
        os.link(draft, place)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if place.exists():  # a file system without links: of two in the same moment, the second stays
            return False
        os.replace(draft, place)
    return True


class BucketObjects:
    """Objects of a bucket below a prefix.

    Credentials and endpoints are those of the AWS clients; the variables by which GDAL is told of them serve, too.
    """

    def __init__(self, bucket: str, prefix: str) -> None:
        self._bucket = bucket
        self._prefix = prefix

    @property
    def where(self) -> str:
        return f"s3://{self._bucket}/{self._prefix}".rstrip("/")

    @cached_property
    def _client(self) -> Any:
        return _client()  # when it is asked for the first time: what is set for it may be wrong

    def read(self, name: str) -> Held | None:
        def ask() -> Held:
            answer = self._client.get_object(**self._named(name))
            with answer["Body"] as body:
                return Held(body.read(), answer["ETag"])

        found: Held | None = _asked(ask, _NONE)
        return found

    def fetch(self, name: str, to: Path) -> bool:
        place = self._named(name)
        return _asked(lambda: _done(self._client.download_file(Filename=str(to), **place)), _NONE) is not None

    def put(self, name: str, data: bytes | Path, *, new: bool = False) -> bool:
        place = self._named(name)
        if isinstance(data, Path):
            if new and self.has(name):
                return False
            return _asked(lambda: _done(self._client.upload_file(Filename=str(data), **place))) is not None
        only = {"IfNoneMatch": "*"} if new else {}
        return _asked(lambda: _done(self._client.put_object(Body=data, **place, **only)), _OTHERS) is not None

    def has(self, name: str) -> bool:
        return _asked(lambda: _done(self._client.head_object(**self._named(name))), _NONE) is not None

    def replace(self, name: str, seen: Held, data: bytes) -> bool:
        place = self._named(name)
        gone = _OTHERS | _NONE
        return _asked(lambda: _done(self._client.put_object(Body=data, IfMatch=seen.tag, **place)), gone) is not None

    def remove(self, name: str) -> None:
        _asked(lambda: _done(self._client.delete_object(**self._named(name))), _NONE)

    def _named(self, name: str) -> dict[str, Any]:
        return {"Bucket": self._bucket, "Key": f"{self._prefix}/{name}".lstrip("/")}


class Unusable:
    """No objects, because what was set is wrong."""

    def __init__(self, where: str, why: str) -> None:
        self.where = where
        self._why = why

    def _refuse(self) -> NoReturn:
        raise OSError(self._why)

    def read(self, name: str) -> Held | None:
        self._refuse()

    def fetch(self, name: str, to: Path) -> bool:
        self._refuse()

    def put(self, name: str, data: bytes | Path, *, new: bool = False) -> bool:
        self._refuse()

    def has(self, name: str) -> bool:
        self._refuse()

    def replace(self, name: str, seen: Held, data: bytes) -> bool:
        self._refuse()

    def remove(self, name: str) -> None:
        self._refuse()


def _done(answer: object) -> bool:
    return True


def _asked(ask: Any, fine: frozenset[str] = frozenset()) -> Any:
    """What a store answers; None where it refuses with one of the codes that are ``fine``.

    Raises:
        OSError: it does not answer, or refuses.
    """
    from boto3.exceptions import Boto3Error
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        return ask()
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        if code in fine or str(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")) in fine:
            return None
        raise OSError(f"the store refuses: {code or 'no reason given'}") from None
    except (
        BotoCoreError,
        Boto3Error,
        ValueError,
    ) as error:  # in the words of its kind: its own may hold addresses with a secret
        raise OSError(f"the store does not answer: {type(error).__name__}") from None


def _client() -> Any:
    import boto3
    from botocore import UNSIGNED
    from botocore.config import Config

    said = os.environ.get
    path_style = said("AWS_VIRTUAL_HOSTING", "").strip().upper() in ("NO", "FALSE", "OFF", "0")
    unsigned = said("AWS_NO_SIGN_REQUEST", "").strip().upper() in ("YES", "TRUE", "ON", "1")
    endpoint = said("AWS_S3_ENDPOINT", "").strip()
    if endpoint and "://" not in endpoint:
        secure = said("AWS_HTTPS", "YES").strip().upper() not in ("NO", "FALSE", "OFF", "0")
        endpoint = f"{'https' if secure else 'http'}://{endpoint}"
    config = Config(
        connect_timeout=_CONNECT_S,
        read_timeout=_ANSWER_S,
        retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
        s3={"addressing_style": "path"} if path_style else {},
        **({"signature_version": UNSIGNED} if unsigned else {}),
    )
    region = said("AWS_REGION") or said("AWS_DEFAULT_REGION") or None
    return boto3.session.Session().client("s3", endpoint_url=endpoint or None, region_name=region, config=config)
