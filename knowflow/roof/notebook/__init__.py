"""Results where people work with them: shown in notebooks, as frames, arrays and plots, with progress while a run runs.

What a report shows, and how runs are carried out, is elsewhere.
"""

from knowflow.roof.notebook.maps import Map
from knowflow.roof.notebook.results import Planned, Result

__all__ = ["Map", "Planned", "Result"]
