"""The reference interpreter: what an expression means, computed on a scene's true arrays with NumPy alone.

Written from the page on the meaning of the operators, not from the tools: it imports NumPy and ``knowflow.question``.
It is slow and short, and never wrong in silence: what it cannot evaluate raises ``OutsideError``. Public names:
``evaluate.evaluate``, ``values.Scene``, ``values.Layer``, ``values.Value``.
"""
