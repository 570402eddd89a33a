"""The real SDK against the stand-in over a loopback socket."""

import asyncio
import json
import logging
import socket
import time
import traceback
from email.utils import formatdate
from typing import Any

import pytest

from judgeweb.judging.errors import ItemFault, JudgeFault, ProviderBusy, ProviderError
from judgeweb.judging.providers.anthropic import (
    OFFICIAL_URL,
    AnthropicJudge,
    blank_request,
    with_body,
)
from judgeweb.judging.types import Prompt, Reply, Turn

KEY = "sk-ant-secret-0123456789"
MODEL = "claude-sonnet-5-5"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string"},
        "value": {"type": "integer"},
        "assessment": {"type": "string"},
    },
    "required": ["reasoning", "value", "assessment"],
    "additionalProperties": False,
}
# A quarter of the characters are tokens; the stand-in caches from 1,024 tokens on.
SYSTEM = "You are a judge. " * 400


def prompt(user: str = "Judge this.", system: str = SYSTEM) -> Prompt:
    return Prompt(system=system, user=user, schema=SCHEMA)


async def sent(
    judge: AnthropicJudge, *prompts: Prompt, turns: tuple[Turn, ...] = ()
) -> list[Reply]:
    async with judge:
        return [await judge.send(one, turns, 2000) for one in prompts]


def judge_at(standin: Any, **settings: Any) -> AnthropicJudge:
    return AnthropicJudge(MODEL, **{"api_key": KEY, "base_url": standin.url, **settings})


def send_one(standin: Any, user: str = "Judge this.", **settings: Any) -> Reply:
    return asyncio.run(sent(judge_at(standin, **settings), prompt(user)))[0]


def fault_of(standin: Any, user: str = "Judge this.", **settings: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        send_one(standin, user, **settings)
    return caught.value


# --- replies ----------------------------------------------------------------------------------


def test_send_ordinary_prompt_reads_the_whole_reply(standin: Any) -> None:
    reply = send_one(standin)

    assert json.loads(reply.text)["reasoning"] == "stand-in, not a judgement"
    assert len(reply.text) >= 200
    assert (reply.stop_reason, reply.model) == ("end_turn", MODEL)
    assert reply.block_types == ("text",)
    assert reply.request_id.startswith("req_")
    assert reply.usage.input > 0
    assert reply.usage.output > 0
    assert reply.latency_ms >= 0
    assert standin.stats()["requests"] == 1


def test_send_same_prefix_twice_writes_then_reads_the_cache(standin: Any) -> None:
    first, second = asyncio.run(sent(judge_at(standin), prompt("one"), prompt("two")))

    assert first.usage.cache_write > 1024
    assert first.usage.cache_read == first.usage.cache_write_1h == second.usage.cache_write == 0
    assert second.usage.cache_read == first.usage.cache_write


def test_send_hour_cache_counts_apart(standin: Any) -> None:
    reply = send_one(standin, cache_ttl="1h")

    assert reply.usage.cache_write == 0
    assert reply.usage.cache_write_1h > 1024


def test_send_puts_system_schema_effort_and_turns_into_the_request(standin: Any) -> None:
    turns = (Turn("not json", "Send the object."), Turn("  ", "Once more."))

    asyncio.run(sent(judge_at(standin, effort="low"), prompt("It."), turns=turns))

    body = standin.log()[0]["body"]
    assert body["model"] == MODEL
    assert body["max_tokens"] == 2000
    cache = {"type": "ephemeral", "ttl": "5m"}
    assert body["system"] == [{"type": "text", "text": SYSTEM, "cache_control": cache}]
    assert body["output_config"] == {
        "format": {"type": "json_schema", "schema": SCHEMA},
        "effort": "low",
    }
    assert [(m["role"], m["content"]) for m in body["messages"]] == [
        ("user", "It."),
        ("assistant", "not json"),
        ("user", "Send the object."),
        ("assistant", "(no text)"),
        ("user", "Once more."),
    ]
    assert body.keys() == {"model", "max_tokens", "system", "messages", "output_config"}


def test_send_tool_mode_reads_the_tool_input(standin: Any) -> None:
    reply = send_one(standin, output_mode="tool")

    assert reply.tool_input is not None
    assert set(reply.tool_input) == {"reasoning", "value", "assessment"}
    assert reply.text == ""
    assert (reply.stop_reason, reply.block_types) == ("tool_use", ("tool_use",))
    body = standin.log()[0]["body"]
    assert body["tools"][0]["strict"] is True
    assert "tool_choice" not in body
    assert "record_verdict" in body["system"][0]["text"]


def test_send_text_mode_names_the_schema_in_the_prompt(standin: Any) -> None:
    reply = send_one(standin, output_mode="text")

    assert reply.text.startswith("```json")
    body = standin.log()[0]["body"]
    assert "output_config" not in body
    assert '"additionalProperties":false' in body["system"][0]["text"]


def test_send_model_without_effort_leaves_it_out(standin: Any) -> None:
    judge = AnthropicJudge(
        "claude-haiku-4-5", api_key=KEY, base_url=standin.url, effort="high", output_mode="text"
    )

    asyncio.run(sent(judge, prompt()))

    assert "output_config" not in standin.log()[0]["body"]


def test_send_thinking_only_has_no_text(standin: Any) -> None:  # case 22
    reply = send_one(standin, "[[standin:thinking-only]]")

    assert (reply.text, reply.block_types, reply.stop_reason) == ("", ("thinking",), "end_turn")


def test_send_thinking_first_is_not_read(standin: Any) -> None:
    reply = send_one(standin, "[[standin:thinking-first]]")

    assert reply.block_types == ("thinking", "text")
    assert "10}" not in reply.text


def test_send_refusal_keeps_its_category_and_is_not_repeated(standin: Any) -> None:  # case 22
    reply = send_one(standin, "[[standin:refuse=bio]]")

    assert (reply.stop_reason, reply.refusal_category, reply.text) == ("refusal", "bio", "")
    assert standin.stats()["requests"] == 1


def test_send_truncated_reply_says_max_tokens(standin: Any) -> None:  # case 7
    assert send_one(standin, "[[standin:truncate]]").stop_reason == "max_tokens"


def test_send_several_blocks_joins_the_texts(standin: Any) -> None:  # case 23
    texts = ["Let me look.", '{"value": 8}']
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    standin.replies({"content": [blocks[0], {"type": "from_the_future"}, blocks[1]]})

    reply = send_one(standin)

    assert reply.text == 'Let me look.{"value": 8}'
    assert reply.block_types == ("text", "from_the_future", "text")


@pytest.mark.parametrize(
    ("second", "expected"), [({"value": 8}, {"value": 8}), ({"value": 3}, None)]
)
def test_send_two_tool_calls_count_only_where_they_agree(
    standin: Any, second: Any, expected: Any
) -> None:
    calls = [
        {"type": "tool_use", "id": f"t{n}", "name": "submit_verdict", "input": value}
        for n, value in enumerate([{"value": 8}, second])
    ]
    standin.replies({"content": calls, "stop_reason": "tool_use"})

    assert send_one(standin).tool_input == expected


def test_send_reply_without_usage_counts_nothing(standin: Any) -> None:
    standin.replies({"text": "{}", "usage": None})

    assert send_one(standin).usage.input_all == 0


# --- faults -----------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_send_transient_status_is_busy(standin: Any, status: int) -> None:
    standin.faults({"status": status})

    fault = fault_of(standin)

    assert isinstance(fault, ProviderBusy)
    assert fault.status == status
    assert fault.request_id.startswith("req_")
    assert standin.stats()["requests"] == 1


@pytest.mark.parametrize("status", [401, 402, 403, 404, 301])
def test_send_unusable_judge_is_a_judge_fault_that_names_it(standin: Any, status: int) -> None:
    standin.faults({"status": status})

    fault = fault_of(standin)

    assert isinstance(fault, JudgeFault)
    assert MODEL in fault.message


@pytest.mark.parametrize("status", [400, 413, 422])
def test_send_refused_request_is_an_item_fault(standin: Any, status: int) -> None:
    standin.faults({"status": status, "message": "no such thing"})

    fault = fault_of(standin)

    assert isinstance(fault, ItemFault)
    assert "no such thing" in fault.message
    assert fault.request_id not in fault.message


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("enforced_spend_limit_reached", JudgeFault),
        ("contract_spend_limit_reached", JudgeFault),
        ("ramp_limit_exceeded", ProviderBusy),
        ("", ProviderBusy),
    ],
)
def test_send_429_is_a_judge_fault_only_for_a_spend_limit(
    standin: Any, code: str, kind: type[ProviderError]
) -> None:
    standin.faults({"status": 429, "code": code})

    fault = fault_of(standin)

    assert type(fault) is kind
    assert fault.code == (code or "rate_limit_error")


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("7", 7),
        ("a date 30 s ahead", 30),
        ("a date 30 s ago", None),
        ("-1", None),
        ("NaN", None),
        ("999999999", 600),
        ("soon", None),
    ],
)
def test_send_429_reads_retry_after(standin: Any, header: str, expected: Any) -> None:  # case 68
    if header.startswith("a date"):
        ahead = 30 if header.endswith("ahead") else -30
        header = formatdate(time.time() + ahead, usegmt=True)
    standin.faults({"status": 429, "headers": {"retry-after": header}})

    fault = fault_of(standin)

    assert fault.retry_after_s == (expected and pytest.approx(expected, abs=3))
    assert (f"(retry-after: {header})" in fault.message) == (expected is not None)


def test_send_prompt_past_the_context_window_is_too_large(standin: Any) -> None:  # case 65
    fault = fault_of(standin, "x" * 5_000_000)

    assert isinstance(fault, ItemFault)
    assert (fault.status, fault.code) == (400, "too_large")


def test_send_lone_surrogate_fails_before_any_request(standin: Any) -> None:  # case 25
    fault = fault_of(standin, "half \ud83d of it")

    assert isinstance(fault, ItemFault)
    assert fault.code == "unsendable_text"
    assert standin.stats()["requests"] == 0


@pytest.mark.parametrize("body", ["<html>gateway</html>", '{"content": "x"}', ""])
def test_send_answer_that_is_no_message_is_busy(standin: Any, body: str) -> None:
    standin.faults({"body": body})

    fault = fault_of(standin)

    assert isinstance(fault, ProviderBusy)
    assert fault.code == "not_a_message"


def test_send_cut_connection_is_busy(standin: Any) -> None:
    standin.faults({"drop": True})

    fault = fault_of(standin)

    assert isinstance(fault, ProviderBusy)
    assert fault.code == "connection"


def test_send_nobody_listening_is_busy() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    judge = AnthropicJudge(MODEL, api_key=KEY, base_url=f"http://user:pw@127.0.0.1:{port}")

    with pytest.raises(ProviderBusy) as caught:
        asyncio.run(sent(judge, prompt()))

    assert caught.value.message.startswith(f"127.0.0.1:{port}: no connection")


def test_send_slow_answer_is_busy(standin: Any) -> None:
    standin.faults({"status": 500, "delay_ms": 3000})

    fault = fault_of(standin, timeout_s=0.2)

    assert isinstance(fault, ProviderBusy)
    assert fault.code == "timeout"


async def timeouts_of(judge: AnthropicJudge) -> Any:
    async with judge:
        assert judge._client is not None
        return judge._client.timeout


def test_a_starved_machine_has_time_to_connect() -> None:
    """With the SDK's 5 s, waiting for a processor once passed for a dead provider."""
    given = asyncio.run(timeouts_of(AnthropicJudge(MODEL, api_key=KEY, timeout_s=300)))
    assert (given.connect, given.read) == (15, 300)


# --- the probe --------------------------------------------------------------------------------


async def probed(judge: AnthropicJudge) -> Reply:
    async with judge:
        return await judge.probe()


def test_probe_misspelt_model_is_a_judge_fault_that_names_it(standin: Any) -> None:  # case 70
    judge = AnthropicJudge("claude-sonet", api_key=KEY, base_url=standin.url)

    with pytest.raises(JudgeFault, match="claude-sonet") as caught:
        asyncio.run(probed(judge))

    assert caught.value.status == 404
    assert standin.stats()["requests"] == 1


def test_probe_known_model_costs_one_small_request(standin: Any) -> None:
    reply = asyncio.run(probed(judge_at(standin)))

    assert reply.usage.input > 0
    assert standin.log()[0]["body"]["max_tokens"] == 64


def test_probe_refused_configuration_is_a_judge_fault(standin: Any) -> None:
    with pytest.raises(JudgeFault, match=r"effort.*'tremendous'"):
        asyncio.run(probed(judge_at(standin, effort="tremendous")))


# --- the key and the environment --------------------------------------------------------------


def test_send_with_base_url_and_no_key_sends_a_placeholder(standin: Any) -> None:
    send_one(standin, api_key="")

    assert standin.log()[0]["authorization"] == "Bearer no-key"


def test_send_without_key_to_the_official_address_asks_nobody() -> None:
    with pytest.raises(JudgeFault, match="ANTHROPIC_API_KEY"):
        asyncio.run(sent(AnthropicJudge(MODEL), prompt()))


def test_send_ignores_the_environment_of_the_sdk(
    standin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "other-token")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "other-key")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "authorization: Bearer stolen\nx-a: b")

    send_one(standin)

    assert standin.log()[0]["authorization"] == f"Bearer {KEY[:8]}"


def test_key_is_in_no_repr_log_or_traceback(standin: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    standin.faults(
        {"status": 401, "message": f"invalid key {KEY}"}, {"drop": True}, {"status": 500}
    )
    judge = judge_at(standin)

    told = [repr(judge), str(vars(judge))]
    for _ in range(3):
        with pytest.raises(ProviderError) as caught:
            asyncio.run(sent(judge, prompt()))
        told.append("".join(traceback.format_exception(caught.value)))
        assert caught.value.__context__ is None
    asyncio.run(sent(judge, prompt()))

    assert KEY not in "\n".join([*told, caplog.text])


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("a", ": a bad key, sk-12345"),
        ("sk-1234", ": a bad key, sk-12345"),
        ("sk-12345", ": a bad key, [key]"),
    ],
)
def test_key_is_masked_where_it_is_long_enough_to_be_secret(
    standin: Any, key: str, told: str
) -> None:
    standin.faults({"status": 401, "message": "a bad key, sk-12345"})

    assert fault_of(standin, api_key=key).message.endswith(told)


def test_judge_unopened_says_how_to_use_it() -> None:
    with pytest.raises(RuntimeError, match="async with"):
        asyncio.run(AnthropicJudge(MODEL, api_key=KEY).send(prompt(), (), 10))


@pytest.mark.parametrize("setting", [{"output_mode": "xml"}, {"cache_ttl": "2h"}])
def test_judge_unknown_setting_is_refused(setting: Any) -> None:
    with pytest.raises(ValueError, match="none of"):
        AnthropicJudge(MODEL, **setting)


# --- what the SDK would send --------------------------------------------------------------------

ABOUT_RETRIES = {
    "x-stainless-retry-count",
    "x-stainless-timeout",
    "x-stainless-read-timeout",
}


@pytest.mark.parametrize("base_url", ["", "https://judge.example/proxy", "http://[::1]:8080/"])
def test_request_is_that_of_the_sdk_but_for_what_it_says_of_retries(base_url: str) -> None:
    import anthropic
    import httpx2

    seen: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200, json={})

    async def both() -> None:
        http = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
        client = anthropic.AsyncAnthropic(
            api_key=KEY, base_url=base_url or OFFICIAL_URL, max_retries=0, http_client=http
        )
        await client.post("/v1/messages", content=b"{}", cast_to=httpx2.Response)
        await http.send(with_body(blank_request(client, http), b"{}"))

    asyncio.run(both())
    theirs, ours = seen
    assert (ours.method, ours.url, ours.content) == (theirs.method, theirs.url, theirs.content)
    assert ours.extensions["timeout"] == theirs.extensions["timeout"]
    expected = {k: v for k, v in theirs.headers.items() if k not in ABOUT_RETRIES}
    assert dict(ours.headers) == expected
    assert ours.headers["authorization"] == f"Bearer {KEY}"
