"""A raster that a run made, in a notebook: shown, plotted, as an array with its coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from knowflow.ground.extras import require_extra
from knowflow.model.artifact import Artifact
from knowflow.roof.notation import unit_sign
from knowflow.roof.report.maps import map_picture, map_title
from knowflow.roof.report.of_question import OfQuestion
from knowflow.roof.report.picture import Picture, read_picture

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Map:
    """A raster output of a run: ``path`` is the file that was delivered, ``artifact`` what is known of it."""

    path: str
    artifact: Artifact
    asked: OfQuestion | None = None

    @property
    def title(self) -> str:
        return self.asked.title if self.asked is not None else map_title(self.artifact)

    @property
    def unit(self) -> str | None:
        """The unit of its numbers; None where nobody knows."""
        unit = self.artifact.fact("unit")
        return None if unit is None else str(unit)

    @cached_property
    def picture(self) -> Picture:
        """It at the resolution of a page, with its colours."""
        return read_picture(self.artifact, self.path, self.asked)

    @property
    def values(self) -> NDArray[np.floating[Any]]:
        """Its physical values, (rows, columns), NaN where there is no data; in full, however large."""
        from dataclasses import replace

        from knowflow.tools.raster import read_array

        return read_array(replace(self.artifact, path=self.path))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw it with matplotlib, in coordinates of its CRS, with a colour bar or the names of its classes.

        Example:
            ``result.map.plot()``
        """
        import numpy as np
        from matplotlib import pyplot
        from matplotlib.colors import BoundaryNorm, ListedColormap
        from matplotlib.patches import Patch

        axes = ax if ax is not None else pyplot.subplots(layout="constrained")[1]
        shown, rows_columns = self.picture, self.picture.shape
        place: dict[str, Any] = {}
        if shown.transform is not None and not (shown.transform[1] or shown.transform[3]):
            a, _, c, _, e, f = shown.transform[:6]
            place = {"extent": (c, c + a * rows_columns[1], f + e * rows_columns[0], f)}
        colours = [one.colour for one in shown.classes] or shown.stops
        palette = ListedColormap([tuple(part / 255 for part in colour) for colour in colours])
        if shown.classes:
            codes = [one.value for one in shown.classes]
            norm = BoundaryNorm([codes[0] - 0.5, *(code + 0.5 for code in codes)], len(codes))
            axes.imshow(shown.values, cmap=palette, norm=norm, interpolation="nearest", **place)
            keys = [Patch(facecolor=palette(at), label=one.name) for at, one in enumerate(shown.classes)]
            axes.legend(handles=keys, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
        else:
            low, high = shown.limits
            image = axes.imshow(shown.values, cmap=palette, vmin=low, vmax=high, interpolation="nearest", **place)
            extremes = shown.extremes
            ends = (extremes[0] < low, extremes[1] > high)
            extend = {(True, True): "both", (True, False): "min", (False, True): "max"}.get(ends, "neither")
            label = unit_sign(self.unit)
            if axes.figure is not None:
                axes.figure.colorbar(image, ax=axes, extend=extend, label=label)
        axes.set_title(self.title, loc="left", wrap=True)
        axes.ticklabel_format(useOffset=False, style="plain")
        axes.set_facecolor(np.array([0.96, 0.96, 0.955]))
        return axes

    def to_xarray(self) -> Any:
        """It as an ``xarray.DataArray`` with coordinates, CRS and nodata (rioxarray), of its first band.

        Raises:
            MissingExtraError: the extra ``notebook`` is not installed.
        """
        require_extra("notebook", "rioxarray")
        import rioxarray

        found: Any = rioxarray.open_rasterio(self.path, masked=True, mask_and_scale=True)
        return found.squeeze("band", drop=True) if found.sizes.get("band") == 1 else found

    def _repr_html_(self) -> str:
        return map_picture(self.artifact).decode("utf-8")

    def __repr__(self) -> str:
        return f"<Map {self.title or 'of unknown quantity'}: {self.path}>"
