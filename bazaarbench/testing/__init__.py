"""For tests of plugins: a small market in which actions are played (``docs/plugins.md``).

``small`` is the market; ``plugin`` is loaded by pytest through its entry point and makes them.
Nothing outside this package may import it, because pytest is an extra.
"""
