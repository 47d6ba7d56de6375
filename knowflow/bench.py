"""The metrics of planning and of tasks, for programs: ``from knowflow.bench import tao, Call, param_bound``.

Like ``knowflow`` itself this is a door: what it leads to is in the roof (``knowflow.roof.bench.metrics``).
"""

from knowflow.roof.bench.metrics import *  # noqa: F403
from knowflow.roof.bench.metrics import __all__  # noqa: F401
