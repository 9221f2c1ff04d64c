"""The marketplace itself: pure Python and SQLite; it knows neither Inspect nor any model."""
