"""Databases with the released schema, for tests of the import.

Written from released-platform.md and released-analysis.md alone, without sight of the importer: a
mistake that both made would otherwise go unseen. `World` plays released actions, `script.play`
plays a story, `bulk.grow` fills a large database and `variants` spoils one in known ways.
"""
