"""The body of one Messages API request, as bytes. No SDK.

Everything in front of the judged material (model, system, schema, tools) is equal for all items
of a rubric and scenario, so its JSON is made once per prefix and reused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import orjson

from judgeweb.judging.errors import ItemFault
from judgeweb.judging.types import Prompt, Turn

OutputMode = Literal["format", "tool", "text"]
CacheTtl = Literal["5m", "1h"]

TOOL_NAME = "record_verdict"
TOOL_INSTRUCTION = f"Answer by calling the tool {TOOL_NAME} exactly once. Write no other text."
SCHEMA_INSTRUCTION = (
    "Answer with one JSON object and nothing else. It satisfies this JSON Schema:\n"
)
# An assistant turn without text is a 400, and a reply may have had none.
NO_TEXT = "(no text)"

# These models answer 400 to `effort`. All later ones take it.
MODELS_WITHOUT_EFFORT = ("claude-haiku-4-5", "claude-sonnet-4-5", "claude-opus-4-1")

# Prefixes differ per scenario; a job walks through them one after the other.
PREFIXES_KEPT = 64


class MessagesRequest:
    """Builds bodies for one judge configuration.

    `effort` "" leaves the model's default. `output_mode`: "format" constrains the reply by
    `output_config`, "tool" offers one strict tool (never forced: current models refuse that),
    "text" names the schema in the prompt for servers that know neither.
    """

    def __init__(
        self,
        model: str,
        *,
        effort: str = "",
        output_mode: OutputMode = "format",
        cache_ttl: CacheTtl = "5m",
    ) -> None:
        if output_mode not in get_args(OutputMode):
            raise ValueError(f"output_mode {output_mode!r} is none of {get_args(OutputMode)}")
        if cache_ttl not in get_args(CacheTtl):
            raise ValueError(f"cache_ttl {cache_ttl!r} is none of {get_args(CacheTtl)}")
        self.model = model
        self.effort = "" if model.startswith(MODELS_WITHOUT_EFFORT) else effort
        self.output_mode = output_mode
        self.cache_ttl = cache_ttl
        self._prefixes: dict[tuple[str, bytes], bytes] = {}

    def body(self, prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int) -> bytes:
        """The whole body. Raise ItemFault where the text cannot be sent as UTF-8 (lone
        surrogates): prompts come with them escaped, so this is a bug or a stray re-ask."""
        try:
            prefix = self._prefix(prompt)
            messages = orjson.dumps(conversation(prompt, turns))
        except (TypeError, UnicodeEncodeError) as error:
            raise ItemFault(
                f"the prompt {prompt.label!r} cannot be sent: {error}", code="unsendable_text"
            ) from None
        return b'%b,"max_tokens":%d,"messages":%b}' % (prefix, max_tokens, messages)

    def params(self, prompt: Prompt) -> dict[str, Any]:
        """What is equal for all items of a prefix: model, system, and the reply's form."""
        params: dict[str, Any] = {"model": self.model}
        output_config: dict[str, Any] = {}
        system = prompt.system
        if self.output_mode == "format":
            output_config["format"] = {"type": "json_schema", "schema": prompt.schema}
        elif self.output_mode == "tool":
            system = joined(system, TOOL_INSTRUCTION)
            params["tools"] = [verdict_tool(prompt.schema)]
        else:
            system = joined(system, SCHEMA_INSTRUCTION + dumps(prompt.schema).decode())
        if self.effort:
            output_config["effort"] = self.effort
        if output_config:
            params["output_config"] = output_config
        if system:
            cache = {"type": "ephemeral", "ttl": self.cache_ttl}
            params["system"] = [{"type": "text", "text": system, "cache_control": cache}]
        return params

    def _prefix(self, prompt: Prompt) -> bytes:
        """The JSON of `params` without its closing brace."""
        key = (prompt.system, dumps(prompt.schema))
        prefix = self._prefixes.get(key)
        if prefix is None:
            while len(self._prefixes) >= PREFIXES_KEPT:
                del self._prefixes[next(iter(self._prefixes))]
            prefix = self._prefixes[key] = dumps(self.params(prompt))[:-1]
        return prefix


def conversation(prompt: Prompt, turns: tuple[Turn, ...]) -> list[dict[str, str]]:
    """The user's material, then each earlier reply with its correction."""
    messages = [{"role": "user", "content": prompt.user}]
    for turn in turns:
        messages.append({"role": "assistant", "content": turn.reply_text.strip() or NO_TEXT})
        messages.append({"role": "user", "content": turn.correction})
    return messages


def verdict_tool(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": TOOL_NAME,
        "description": "Record the verdict. Call it exactly once.",
        "input_schema": schema,
        "strict": True,
    }


def joined(system: str, instruction: str) -> str:
    return f"{system}\n\n{instruction}" if system else instruction


def dumps(value: Any) -> bytes:
    return orjson.dumps(value, default=plain)


def plain(value: Any) -> Any:
    """orjson knows dict and list only; schemas may be frozen mappings and tuples."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
