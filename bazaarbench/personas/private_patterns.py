r"""What personal data looks like: the patterns behind ``private_data.find``.

Patterns are applied to text in which every digit is an ASCII digit, every dash a hyphen and every
space a plain one. They are linear in the text: no repeated group holds another repetition of what
it can match itself.
"""

from __future__ import annotations

import re

_I = re.IGNORECASE

# --- e-mail -----------------------------------------------------------------------------------

_AT = r"(?:@|\s?[\[({<]\s?at\s?[\])}>]\s?|\sat\s)"
_DOT = r"(?:\.|\s?[\[({<]\s?dot\s?[\])}>]\s?|\sdot\s)"
_TOP = r"(?:com|net|org|edu|gov|io|co|me|info|biz|eu|uk|us|de|fr|it|es|nl|at|ch|au|ca|in|jp|br|ru|cn)"
EMAIL = re.compile(
    # With a real @ any domain; spelled out only common ones: "at the dot com boom" is no address.
    rf"(?<![\w.+%-])[\w.+%-]{{1,64}}(?:@(?P<d1>[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{1,4}})"
    rf"|{_AT}(?P<d2>[\w-]{{2,63}}{_DOT}{_TOP}))\b",
    _I,
)
#: Domains that nobody can own (RFC 2606, RFC 6761).
RESERVED_DOMAIN = re.compile(
    r"(?:^|\.)(?:example\.(?:com|net|org|edu)|example|test|invalid|localhost)$"
)
