"""What is installed, what works, and what to do about what does not."""

from __future__ import annotations

import os
import shutil
import sys
import uuid
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from knowflow.ground.errors import DocumentError, KnowFlowError
from knowflow.ground.system import refusal
from knowflow.service.results import Diagnosis

PACKAGES = (
    "numpy",
    "rasterio",
    "pyogrio",
    "pyproj",
    "prefect",
    "fastapi",
    "chromadb",
    "spyndex",
    "pydantic",
    "networkx",
)
_REINSTALL = "reinstall KnowFlow in a new environment"
ENOUGH_SPACE_BYTES = 1_000_000_000


def diagnose(home: Path) -> list[Diagnosis]:
    """Look at everything once; nothing is changed, nothing is started. A look that fails is a finding itself."""
    found: list[Diagnosis] = []
    for look in _LOOKS:
        try:
            found += look(home)
        except (KnowFlowError, OSError, ImportError, RuntimeError) as error:
            found.append(_failed(look.__name__.strip("_"), error))
    return found


def _failed(name: str, error: Exception) -> Diagnosis:
    """What a look found that could not be taken: what the system refuses is no matter of the installation."""
    told = refusal(error) if isinstance(error, OSError) and error.errno is not None else error
    if isinstance(told, KnowFlowError):
        place = f" ({told.where})" if told.where else ""
        says = f": {told.found}" if told.found else ""
        return Diagnosis(name, False, f"{told.message}{place}{says}", told.hint or _REINSTALL)
    return Diagnosis(name, False, f"{type(error).__name__}: {error}", _REINSTALL)


def _python(home: Path) -> Iterator[Diagnosis]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Diagnosis("python", sys.version_info >= (3, 11), version, "KnowFlow needs Python 3.11 or newer")


def _packages(home: Path) -> Iterator[Diagnosis]:
    missing = []
    versions = []
    for name in PACKAGES:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    hint = f"pip install {' '.join(missing)}" if missing else ""
    yield Diagnosis("packages", not missing, ", ".join(versions), hint)


def _knowledge(home: Path) -> Iterator[Diagnosis]:
    from knowflow.service.knowledge_cache import catalogue_of

    catalogue = catalogue_of(home)
    found = f"{len(catalogue.tools)} tools, {len(catalogue.templates)} templates"
    errors = [problem for problem in catalogue.problems if problem.severity == "error"]
    if errors:
        found += f", {len(errors)} problem{'' if len(errors) == 1 else 's'}"
    yield Diagnosis("knowledge", not errors, found, "knowflow check" if errors else "")
    for name, path in catalogue.shadowed:
        yield Diagnosis("shadowed", True, f"{name} in {path} is hidden by a stronger layer")


def _home(home: Path) -> Iterator[Diagnosis]:
    home.mkdir(parents=True, exist_ok=True)
    probe = home / ".probe"
    probe.write_text("")
    probe.unlink()
    free = shutil.disk_usage(home).free
    hint = "" if free > ENOUGH_SPACE_BYTES else "free some space, or set KNOWFLOW_HOME to a larger disk"
    yield Diagnosis("home", free > ENOUGH_SPACE_BYTES, f"{home}, {free / 1e9:.1f} GB free", hint)


def _cache(home: Path) -> Iterator[Diagnosis]:
    from knowflow.execution.cache_limit import GIGABYTE, VARIABLE, cache_limit, entries

    limit, held = cache_limit(), list(entries(home))
    size = sum(entry.size for entry in held)
    room = "any size" if limit is None else f"at most {limit / GIGABYTE:g} GB, the least recently used go first"
    found = f"{len(held)} results, {size / GIGABYTE:.1f} GB ({room})"
    fits = limit is None or size <= limit
    yield Diagnosis("cache", fits, found, "" if fits else f"knowflow runs prune --cache-size, or a larger {VARIABLE}")


def _shared(home: Path) -> Iterator[Diagnosis]:
    """Whether results can be shared with other machines where that is set: something is put there, and removed."""
    from knowflow.execution.shared_setting import VARIABLE, objects_at, shared_place

    place = shared_place()
    if place is None:
        yield Diagnosis("shared cache", True, f"none; {VARIABLE} names a folder or s3://bucket/prefix")
        return
    objects, probe = objects_at(place), f"probes/{uuid.uuid4().hex}"
    try:
        objects.put(probe, b"probe", new=True)
        first, there = objects.put(probe, b"again", new=True), objects.read(probe)
        objects.remove(probe)
    except OSError as error:
        hint = f"runs go on without it; check {VARIABLE}, and the credentials of the AWS clients for a bucket"
        yield Diagnosis("shared cache", False, f"{objects.where}: {error.strerror or error}", hint)
        return
    once = "" if not first else "; it knows no conditions (If-None-Match): what machines begin at once, each may make"
    whole = there is not None and (first or there.data == b"probe")
    yield Diagnosis("shared cache", whole, f"{objects.where}, written and read{once}", "what was written is not read")


def _index(home: Path) -> Iterator[Diagnosis]:
    """The database that runs are found by, where one is named."""
    import sqlalchemy as sa

    from knowflow.service.run_index import VARIABLE

    said = os.environ.get(VARIABLE, "").strip()
    if not said:
        yield Diagnosis("index of runs", True, f"in the home folder; {VARIABLE} names a database of several machines")
        return
    hint = f'check {VARIABLE}; pip install "knowflow[postgres]" for a Postgres'
    try:
        shown = sa.make_url(said).render_as_string(hide_password=True)
        engine = sa.create_engine(said)
        with engine.connect():
            yield Diagnosis("index of runs", True, shown)
        engine.dispose()
    except (sa.exc.SQLAlchemyError, ImportError) as error:  # whose words may hold the password
        yield Diagnosis("index of runs", False, f"the database cannot be used: {type(error).__name__}", hint)


def _memory(home: Path) -> Iterator[Diagnosis]:
    """Where what is learned is kept."""
    from knowflow.knowledge.memory_database import MemoryDatabaseError, shared_memory
    from knowflow.knowledge.memory_settings import VARIABLE, mode
    from knowflow.memory.shelf import project_of

    try:
        shared = shared_memory()
    except MemoryDatabaseError as error:
        yield Diagnosis("memory", False, f"{error.where}: {error.found}", error.hint or "")
        return
    where = f"in the home folder; {VARIABLE} names a database of several machines"
    where = where if shared is None else f"in {shared.where}"
    yield Diagnosis("memory", True, f"learning {mode()}, project {project_of()}, {where}")


def _workers(home: Path) -> Iterator[Diagnosis]:
    try:
        found = f"dask.distributed {metadata.version('distributed')}: --runner dask, or dask=ADDRESS"
        yield Diagnosis("workers", True, found)
    except metadata.PackageNotFoundError:
        found = "--runner local and prefect; not here: --runner dask"
        yield Diagnosis("workers", True, found, 'pip install "knowflow[dask]"')
    yield Diagnosis("work pools", True, *_pools(home))


def _pools(home: Path) -> tuple[str, str]:
    """The work pools of the Prefect server, where it runs, and what is to be done for one to be of use."""
    from knowflow.execution.prefect_server import server_status

    server = server_status(home)
    if not server.running or server.api_url is None:
        return "--runner pool=NAME; the Prefect server does not run", ""
    from knowflow.execution.prefect_pool import pools_of

    try:
        pools = pools_of(server.api_url)
    except Exception as error:  # an older server, or one that is busy
        return f"the Prefect server does not tell: {type(error).__name__}", ""
    told = ", ".join(f"{name} ({count} worker{'' if count == 1 else 's'} online)" for name, count in pools)
    hint = "" if any(count for _, count in pools) else "prefect worker start --pool NAME --type process"
    return f"--runner pool=NAME: {told or 'none'}", hint


def _raster(home: Path) -> Iterator[Diagnosis]:
    import rasterio
    from rasterio.drivers import raster_driver_extensions

    from knowflow.reason.inventory import require_coordinate_systems

    drivers = set(raster_driver_extensions().values())
    ok = "GTiff" in drivers
    yield Diagnosis("rasterio", ok, f"GDAL {rasterio.__gdal_version__}, {len(drivers)} formats by extension")
    try:
        require_coordinate_systems()
    except KnowFlowError as error:
        yield _failed("coordinate systems", error)


def _gdal(home: Path) -> Iterator[Diagnosis]:
    from knowflow.tools.gdal import status

    found = status()
    yield Diagnosis("gdal algorithms", found.ok, found.found, found.hint)


def _elsewhere(home: Path) -> Iterator[Diagnosis]:
    """Which kinds of data elsewhere can be read here, and what of it has been fetched."""
    from knowflow.ground.references import FOLDER
    from knowflow.tools.remote.vsi import reads

    able = [f"{', '.join(reads())} by GDAL"]
    lacking = []
    libraries = {
        "STAC catalogues": "pystac-client",
        "stac-geoparquet": "rustac",
        "Zarr": "zarr",
        "parts of HDF5": "h5py",
    }
    for what, package in libraries.items():
        try:
            able.append(f"{what} by {package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            lacking.append(what)
    fetched = sum(one.stat().st_size for one in (home / FOLDER).rglob("*") if one.is_file() and not one.is_symlink())
    found = f"{'; '.join(able)}; {fetched / 1e9:.1f} GB fetched"
    if lacking:
        found += f"; not here: {', '.join(lacking)}"
    yield Diagnosis("data elsewhere", True, found, 'pip install "knowflow[remote]"' if lacking else "")


def _prefect(home: Path) -> Iterator[Diagnosis]:
    from knowflow.execution.prefect_server import server_status, wanted_database

    found = server_status(home)
    where = f"at {found.ui_url}" if found.running else "not running; the first run starts it"
    whose = "ours" if found.ours else "configured by you"
    hint = "" if found.ours else "start it, or unset PREFECT_API_URL"
    if found.ours and found.running:
        where += f", database {found.database}"
        if found.database != wanted_database():
            hint = f"knowflow ui --stop: the next start takes the database that is set now, {wanted_database()}"
    yield Diagnosis("prefect server", found.running or found.ours, f"{whose}, {where}", hint)


def _llm(home: Path) -> Iterator[Diagnosis]:
    from knowflow.reason.llm import settings, status

    try:
        found = status(settings())
    except DocumentError as error:
        reasons = "; ".join(map(str, error.problems)) or error.message
        yield Diagnosis("language model", False, reasons, "docs/llm.md shows what can be set; KNOWFLOW_LLM=off goes on")
        return
    yield Diagnosis("language model", found.ok, found.says, found.hint)


_LOOKS = (
    _python,
    _packages,
    _knowledge,
    _home,
    _cache,
    _shared,
    _index,
    _memory,
    _raster,
    _gdal,
    _elsewhere,
    _workers,
    _prefect,
    _llm,
)
