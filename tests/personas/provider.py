"""``--model testwriter/<behaviour>``: a writer behind the real model path, for processes too.

``good`` writes what passes; ``one-bad`` does not for agents whose age is named in
``BAD_AGES``; ``bad`` never does. Every call is noted in the file that ``TESTWRITER_CALLS`` names.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import anyio
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from tests.personas.writer import good

CALLS = "TESTWRITER_CALLS"


class TestWriter(ModelAPI):
    __test__ = False

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        assert config.response_schema is not None
        assert config.response_schema.json_schema.properties is not None
        assert "memories" in config.response_schema.json_schema.properties
        told = json.loads(input[1].text)
        with Path(os.environ[CALLS]).open("a") as calls:
            calls.write(f"{told['name']} {told['age']}\n")
        await anyio.sleep(0.02)
        output = ModelOutput.from_content(self.model_name, self._text(told))
        output.usage = ModelUsage(input_tokens=1000, output_tokens=500, total_tokens=1500)
        return output

    def _text(self, told: dict[str, Any]) -> str:
        made = good(told)
        bad_ages = os.environ.get("BAD_AGES", "").split(",")
        if self.model_name == "bad" or str(told["age"]) in bad_ages:
            made["style"] = "Says: call me on (212) 555-2368, any time at all."
        return f"```json\n{json.dumps(made)}\n```"


@modelapi(name="testwriter")
def testwriter() -> type[ModelAPI]:
    return TestWriter
