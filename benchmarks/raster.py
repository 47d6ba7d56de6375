"""How fast is the raster core? The same as `knowflow bench raster`, which says what is measured.

python benchmarks/raster.py [--size 10980] [--repeats 5] [--folder DIR] [--json]
"""

from __future__ import annotations

import sys

from knowflow.roof.cli import main

if __name__ == "__main__":
    main(["bench", "raster", *sys.argv[1:]])
