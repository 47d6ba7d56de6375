"""The library of vectors is there without the packages of tables, which others find as they are."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import shapely

from knowflow.ground.vectors import versions_alone, write

PACKAGE = Path(__file__).resolve().parents[2] / "knowflow"
# beside ours, and without it: what a second opinion reads with, and programs that know nothing of KnowFlow
OTHERS = {"ground/vectors.py", "testing/opinion/field.py", "roof/bench/whole/peers.py"}


def printed(program: str) -> str:
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_vectors_are_read_without_importing_packages_of_tables() -> None:
    tables = "[name for name in sys.modules if name.partition('.')[0] in ('geopandas', 'pandas', 'pyarrow')]"
    assert printed(f"import sys; import knowflow.ground.vectors; print({tables})") == "[]"


def test_the_library_knows_the_versions_that_it_finds_itself() -> None:
    flags = "print({k: v for k, v in vars(c).items() if k.isupper()})"
    alone = printed(f"import pyogrio._compat as c; {flags}")
    assert printed(f"import knowflow.ground.vectors; import pyogrio._compat as c; {flags}") == alone


def test_a_package_of_tables_is_whole_for_whoever_imports_it() -> None:
    pytest.importorskip("pandas")
    told = "import knowflow.ground.vectors, pyogrio._compat as c; early = c.pandas.DataFrame; import pandas"
    assert printed(f"{told}; print(early is pandas.DataFrame, len(pandas.DataFrame({{'a': [1]}})))") == "True 1"


def test_within_only_versions_are_known_and_behind_it_nothing_is_left() -> None:
    with versions_alone("pytest", "affine_that_is_not_there"):
        assert sys.modules["pytest"] is pytest  # what is there stays
        assert "affine_that_is_not_there" not in sys.modules
    assert "affine_that_is_not_there" not in sys.modules


def test_nothing_else_imports_the_library() -> None:
    imports = ("import pyogrio", "from pyogrio")
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if any(line.strip().startswith(imports) for line in path.read_text(encoding="utf-8").splitlines())
    }
    assert found <= OTHERS


def test_what_is_written_again_of_the_same_is_the_same_file(tmp_path: Path) -> None:
    contents = []
    for name in ("one", "two"):
        path = tmp_path / name / "places.gpkg"
        path.parent.mkdir()
        points = np.array(shapely.to_wkb(shapely.points([[1.0, 2.0], [3.0, 4.0]])), dtype=object)
        write(
            path, geometry=points, field_data=[np.array([1, 2])], fields=["n"], crs="EPSG:32633", geometry_type="Point"
        )
        contents.append(path.read_bytes())
        time.sleep(0.01)  # a GeoPackage tells thousandths of a second
    assert contents[0] == contents[1]
