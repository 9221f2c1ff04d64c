"""Named model settings: provider, model, options and prices under one name (SPEC §2, §10).

They are for what is set again and again; ``--model`` and ``--model-role`` stay Inspect's own, and
win. The settings of the study ship, a user's stand in ``models.yaml`` in the data folder, plugins
register theirs (``docs/plugins.md``).
"""

from __future__ import annotations

from bazaarbench.model_settings.files import USER_FILE, of_user, parsed, shipped, user_file
from bazaarbench.model_settings.setting import USES, ModelSetting, Prices, Use
from bazaarbench.model_settings.shelf import Shelved, all_settings, chosen

__all__ = [
    "USER_FILE",
    "USES",
    "ModelSetting",
    "Prices",
    "Shelved",
    "Use",
    "all_settings",
    "chosen",
    "of_user",
    "parsed",
    "shipped",
    "user_file",
]
