"""The page about effects says what is there, and its example works as written."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from bazaarbench import effects

PAGE = (Path(__file__).parents[2] / "docs" / "effects.md").read_text()


def test_the_example_prints_what_it_says() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(code, "docs/effects.md", "exec"), {})
    (said,) = re.findall(r"^print.*# (.*)$", code, flags=re.MULTILINE)
    assert printed.getvalue().strip() == said


def test_every_public_function_is_named_on_the_page() -> None:
    functions = {name for name in effects.__all__ if name.islower()}
    assert {name for name in functions if not re.search(rf"\b{name}\b", PAGE)} == set()
