"""Every fault of data by name: those of layers before they are written, and those of files that are there."""

from __future__ import annotations

from collections.abc import Mapping

from knowflow_bench.faults.injection import data
from knowflow_bench.faults.injection.codes import CODE_FAULTS
from knowflow_bench.faults.injection.data import FileFault, LayerFault
from knowflow_bench.faults.injection.delivery import DELIVERY_FAULTS
from knowflow_bench.faults.injection.numbers import BAND_FAULTS, NUMBER_FAULTS
from knowflow_bench.faults.injection.places import PLACE_FAULTS
from knowflow_bench.faults.injection.sources import SOURCE_FAULTS

LAYER_FAULTS: Mapping[str, LayerFault] = {**data.LAYER_FAULTS, **BAND_FAULTS}
FILE_FAULTS: Mapping[str, FileFault] = {
    **data.FILE_FAULTS,
    **PLACE_FAULTS,
    **DELIVERY_FAULTS,
    **NUMBER_FAULTS,
    **CODE_FAULTS,
    **SOURCE_FAULTS,
}
