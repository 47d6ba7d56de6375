"""What processes of the benchmark are forked with: modules, the catalogue, the tools of its plans; no thread."""

import distributed  # noqa: F401

import knowflow.execution.dask_runner
import knowflow.execution.local_runner
import knowflow.execution.scheduler
import knowflow.tools.raster  # noqa: F401
from knowflow.knowledge.catalogue import load_catalogue
from knowflow.tools.registry import bind, implementation_digest

for _tool in ("spectral_index", "apply_mask", "threshold", "area"):
    bind(load_catalogue().tools[_tool])
    implementation_digest(load_catalogue().tools[_tool])
