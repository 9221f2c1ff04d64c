"""Everything that knows Inspect: tasks' parts, solver, model policy, provider, scorers' parts.

``tasks/`` and ``scorers/`` are thin files over this package (DESIGN §3).
"""
