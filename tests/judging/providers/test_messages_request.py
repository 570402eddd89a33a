"""The body's bytes: the same as its parts, whatever is kept from earlier requests."""

import json
from types import MappingProxyType
from typing import Any

import pytest

from judgeweb.judging.errors import ItemFault
from judgeweb.judging.providers.messages_request import PREFIXES_KEPT, MessagesRequest
from judgeweb.judging.types import Prompt


def body(requests: MessagesRequest, prompt: Prompt, max_tokens: int = 9) -> Any:
    return json.loads(requests.body(prompt, (), max_tokens))


def test_body_is_params_messages_and_budget() -> None:
    requests = MessagesRequest("claude-opus-5-5", effort="high")
    prompt = Prompt("Judge.", 'A "quoted" \u00e9\x00 line.', {"type": "object"})

    made = body(requests, prompt)

    assert made == {
        **requests.params(prompt),
        "max_tokens": 9,
        "messages": [{"role": "user", "content": 'A "quoted" \u00e9\x00 line.'}],
    }


def test_body_without_system_has_no_empty_block() -> None:
    assert "system" not in body(MessagesRequest("m"), Prompt("", "x", {}))


def test_body_tells_equal_systems_with_other_schemas_apart() -> None:
    requests = MessagesRequest("m")

    for kind in ("object", "string", "object"):
        made = body(requests, Prompt("same", "x", {"type": kind}))
        assert made["output_config"]["format"]["schema"] == {"type": kind}


def test_body_of_more_prefixes_than_are_kept_stays_right() -> None:
    requests = MessagesRequest("m")

    for n in [*range(PREFIXES_KEPT + 5), 0]:
        assert body(requests, Prompt(f"system {n}", "x", {}))["system"][0]["text"] == f"system {n}"


def test_body_takes_frozen_mappings() -> None:
    schema = MappingProxyType({"properties": MappingProxyType({"a": {"enum": (1, 2)}})})

    made = body(MessagesRequest("m"), Prompt("s", "x", schema))

    assert made["output_config"]["format"]["schema"] == {"properties": {"a": {"enum": [1, 2]}}}


@pytest.mark.parametrize(
    "prompt", [Prompt("\ud800", "x", {}), Prompt("s", "\udfff", {}), Prompt("s", "x", {"a": {1}})]
)
def test_body_that_cannot_be_sent_is_an_item_fault(prompt: Prompt) -> None:
    with pytest.raises(ItemFault, match="cannot be sent"):
        MessagesRequest("m").body(prompt, (), 9)
