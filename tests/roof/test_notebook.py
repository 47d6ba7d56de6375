"""Results in notebooks: frames, maps and arrays against what the files hold, and the example in a real kernel."""

from __future__ import annotations

from pathlib import Path

import nbformat
import numpy as np
import pytest
import rasterio
from example_runs import write_raster
from nbclient import NotebookClient

from knowflow import KnowFlow
from knowflow.execution.events import Event, NodeEnded, RunEnded, RunStarted
from knowflow.ground.errors import KnowFlowError
from knowflow.roof.notebook import Planned, Result
from knowflow.roof.notebook.progress import NotebookProgress

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "notebook.ipynb"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    for month, level in ((6, 0.2), (7, 0.5), (8, 0.4)):
        values = np.full((4, 5), level, dtype="float32") + np.arange(20, dtype="float32").reshape(4, 5) / 100
        values[0, 0] = np.nan
        write_raster(tmp_path / "data" / f"ndvi_2021-0{month}-01.tif", values)
    return tmp_path / "data"


@pytest.mark.filterwarnings("ignore:Use `@` matmul:PendingDeprecationWarning")  # of affine, by rioxarray
def test_a_map_is_an_array_and_a_plot_with_its_coordinates(data: Path, tmp_path: Path) -> None:
    result = KnowFlow(home=tmp_path / "home").run("Map the NDVI of 1 July 2021", data, out=tmp_path / "out")
    assert isinstance(result, Result)
    with rasterio.open(tmp_path / "out" / Path(result.map.path).name) as source:
        truth, bounds = source.read(1, masked=True).filled(np.nan), source.bounds
    np.testing.assert_array_equal(result.map.values, truth)
    frame = result.map.to_xarray()
    np.testing.assert_array_equal(frame.values, truth)
    assert frame.rio.crs.to_epsg() == 32633
    axes = result.map.plot()
    (image,) = axes.get_images()
    assert tuple(image.get_extent()) == (bounds.left, bounds.right, bounds.bottom, bounds.top)
    np.testing.assert_allclose(np.ma.filled(image.get_array(), np.nan), truth)
    assert axes.get_title(loc="left") == result.map.title
    assert "<svg" in result._repr_html_()


def test_rows_are_a_frame_and_a_number_is_told_shortly(data: Path, tmp_path: Path) -> None:
    flow = KnowFlow(home=tmp_path / "home")
    rows = flow.run("Mean NDVI per date", data, out=tmp_path / "rows")
    assert isinstance(rows, Result)
    assert rows.table["mean"].to_list() == pytest.approx([0.3, 0.6, 0.5])
    assert repr(rows) == "<Result 3 rows: the mean of NDVI over the area>"
    number = flow.run("Mean NDVI on 1 July 2021", data, out=tmp_path / "number")
    assert isinstance(number, Result)
    assert repr(number).startswith("<Result 0.6: the mean of NDVI on 1 July 2021")
    assert number.table["value"].to_list() == pytest.approx([0.6])
    with pytest.raises(KnowFlowError, match="no map"):
        _ = rows.map


def test_what_went_wrong_and_names_are_text_and_no_markup(data: Path, tmp_path: Path) -> None:
    flow = KnowFlow(home=tmp_path / "home")
    refused = flow.run("What is the <b>salinity</b>?", data)
    assert isinstance(refused, Result)
    assert repr(refused).startswith("<Result refused: ")
    assert "<b>salinity" not in refused._repr_html_()
    planned = flow.plan("Mean NDVI on 1 July 2021", data)
    assert isinstance(planned, Planned)
    assert "<svg" in planned._repr_html_()


def test_progress_goes_to_whoever_is_given(data: Path, tmp_path: Path) -> None:
    heard: list[Event] = []
    KnowFlow(home=tmp_path / "home", progress=heard.append).run("Mean NDVI per date", data, out=tmp_path / "out")
    assert isinstance(heard[0], RunStarted)
    assert isinstance(heard[-1], RunEnded)
    drawn = NotebookProgress()
    drawn._draw = lambda: None  # type: ignore[method-assign]
    for event in heard:
        drawn(event)
    assert sum(isinstance(event, NodeEnded) for event in heard) == 4
    assert "× 3" in drawn.html()


def test_the_example_runs_in_a_kernel(tmp_path: Path) -> None:
    notebook = nbformat.read(EXAMPLE, as_version=4)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = ["".join(str(output) for output in cell.get("outputs", ())) for cell in notebook.cells]
    assert "✓ One statistic of a raster × 8" in shown[5]
    assert "0.01" in shown[5]
    assert "<Result" in shown[5]
    assert "image/png" in shown[11]
    assert "xarray.DataArray" in shown[12]
    assert "refused" in shown[-1]
