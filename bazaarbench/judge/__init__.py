"""The rubric judge: what it is shown, asked and believed, and how good it is (SPEC §8)."""
