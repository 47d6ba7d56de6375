"""From an expression to a plan: bottom-up, one rule per operator, into nodes of the builder.

Every operator is realised by nodes or by what is read, or the plan is refused with its name; where a rule says
``refuse`` the next tool belongs. Public names: ``compiler.compiled`` and ``made.NotCompiledError``.
"""
