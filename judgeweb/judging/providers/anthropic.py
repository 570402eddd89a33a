"""The judge behind the Anthropic Messages API, or any server that speaks it.

`send` is exactly one request: no retry, no re-ask (see `pace`). Every exception of the SDK is
translated here and nowhere else. The SDK takes seconds to import, so it is imported when a judge
is opened, never with this module.

The SDK names address and headers, brings the connections and reads what is refused. It would
compose all that anew for each request, with retries and hooks that a judge has no use for, in
longer than reading the verdict takes: so its request is composed once and sent with each body.

The environment changes nothing but the network's own settings (proxies): key, address, headers
and tracing are given explicitly. The key never appears in a repr, a log line or an error.
"""

from __future__ import annotations

import time
import warnings
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from pydantic import SecretStr

from judgeweb.judging.errors import ItemFault, JudgeFault, ProviderBusy, ProviderError
from judgeweb.judging.providers.messages_reply import read_reply
from judgeweb.judging.providers.messages_request import CacheTtl, MessagesRequest, OutputMode
from judgeweb.judging.providers.waits import retry_after_seconds
from judgeweb.judging.types import Prompt, Reply, Turn

if TYPE_CHECKING:
    from anthropic import APIStatusError, AsyncAnthropic
    from httpx2 import AsyncClient, Request

OFFICIAL_URL = "https://api.anthropic.com"
# A local server wants no key, but the SDK wants to send one.
NO_KEY = "no-key"
SHORTEST_SECRET = 8
TIMEOUT_S = 600.0
CONNECT_TIMEOUT_S = 15.0
"""Three times the SDK's: on a starved machine five seconds passed before a connection stood, and
the breaker took that for a dead provider."""

JUDGE_STATUSES = frozenset({401, 402, 403, 404, 405, 407})
TRANSIENT_STATUSES = frozenset({408, 409, 429, 499})
PROBE_MAX_TOKENS = 64
PROBE = Prompt(
    system="You check that a connection works.",
    user="Answer that it does.",
    schema={
        "type": "object",
        "properties": {"works": {"type": "boolean"}},
        "required": ["works"],
        "additionalProperties": False,
    },
    label="probe",
)


def load_sdk() -> None:
    """Import the SDK now, in whatever thread has time for it."""
    import anthropic

    # Its resources are loaded when first used: that is the larger part.
    _ = anthropic.AsyncAnthropic, anthropic.DefaultAioHttpClient


class AnthropicJudge:
    """One judge configuration with its connections. Use as `async with`, inside the loop (and
    the process) that uses it.

    `base_url` "" is the official address. `effort` "" leaves the model's default; it is left out
    for models that do not know it. `timeout_s` bounds one request.
    """

    def __init__(
        self,
        model: str,
        *,
        api_key: str = "",
        base_url: str = "",
        effort: str = "",
        output_mode: OutputMode = "format",
        timeout_s: float = TIMEOUT_S,
        cache_ttl: CacheTtl = "5m",
    ) -> None:
        self.model = model
        self.base_url = base_url or OFFICIAL_URL
        self.timeout_s = timeout_s
        self._api_key = SecretStr(api_key.strip())
        self._requests = MessagesRequest(
            model, effort=effort, output_mode=output_mode, cache_ttl=cache_ttl
        )
        self._client: AsyncAnthropic | None = None
        self._http: AsyncClient | None = None
        self._blank: Request | None = None

    def __repr__(self) -> str:
        return f"AnthropicJudge(model={self.model!r}, host={host_of(self.base_url)!r})"

    async def __aenter__(self) -> Self:
        from anthropic import AsyncAnthropic, DefaultAioHttpClient, Timeout

        # aiohttp warns of bodies above 1 MB. Writing one takes milliseconds; chunking it would
        # drop the content-length.
        warnings.filterwarnings("ignore", "Sending a large body", ResourceWarning)
        http = DefaultAioHttpClient(follow_redirects=False)
        client = AsyncAnthropic(
            api_key=self._api_key.get_secret_value() or NO_KEY,
            base_url=self.base_url,
            timeout=Timeout(self.timeout_s, connect=CONNECT_TIMEOUT_S),
            max_retries=0,
            open_telemetry=False,
            http_client=http,
        )
        # ANTHROPIC_CUSTOM_HEADERS is merged in unasked, and could replace the key.
        client._custom_headers = {}
        self._client, self._http = client, http
        self._blank = blank_request(client, http)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        client, self._client, self._http = self._client, None, None
        if client is not None:
            await client.close()

    async def send(self, prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int) -> Reply:
        """One request. Raise ProviderBusy, JudgeFault or ItemFault (see `errors`)."""
        body = self._requests.body(prompt, turns, max_tokens)
        client, http, blank = self._opened()
        started = time.perf_counter()
        fault: ProviderError
        try:
            response = await http.send(with_body(blank, body))
        except Exception as error:
            fault = self._no_answer(error)
        else:
            if response.is_success:
                return read_reply(
                    response.content,
                    request_id=response.headers.get("request-id", ""),
                    latency_ms=round((time.perf_counter() - started) * 1000),
                )
            fault = self._translated(client._make_status_error_from_response(response))
        # Raised out here so that the client's error, whose request carries the key, is not chained.
        raise fault

    async def probe(self) -> Reply:
        """One tiny request in the judge's own configuration. A request this plain that is
        refused (a misspelt model, an effort or a schema form unknown to it) is a JudgeFault."""
        try:
            return await self.send(PROBE, (), PROBE_MAX_TOKENS)
        except ItemFault as fault:
            raise JudgeFault(
                f"judge model {self.model!r} cannot be used as configured: {fault.message}",
                status=fault.status,
                code=fault.code,
                request_id=fault.request_id,
            ) from fault

    def _opened(self) -> tuple[AsyncAnthropic, AsyncClient, Request]:
        if self._client is None or self._http is None or self._blank is None:
            raise RuntimeError("AnthropicJudge is used as `async with`")
        if not self._api_key.get_secret_value() and self.base_url == OFFICIAL_URL:
            raise JudgeFault("no API key is set (ANTHROPIC_API_KEY)", status=401, code="no_key")
        return self._client, self._http, self._blank

    def _no_answer(self, error: Exception) -> ProviderError:
        from httpx2 import TimeoutException

        host = host_of(self.base_url)
        if isinstance(error, TimeoutException):
            return ProviderBusy(f"{host}: no answer in {self.timeout_s:g} s", code="timeout")
        return ProviderBusy(f"{host}: no connection ({type(error).__name__})", code="connection")

    def _translated(self, error: APIStatusError) -> ProviderError:
        headers = error.response.headers
        given = headers.get("retry-after", "")
        said = self._without_key(error.api_message or "no message")
        message = f"{error.status_code} {error.type or 'error'}: {said}"
        retry_after_s = retry_after_seconds(given, time.time())
        if retry_after_s is not None:
            message += f" (retry-after: {given[:40]})"
        kind = kind_of(error)
        if kind is JudgeFault:
            message = f"judge model {self.model!r} at {host_of(self.base_url)}: {message}"
        return kind(
            message,
            status=error.status_code,
            code=code_of(error),
            request_id=error.request_id or "",
            retry_after_s=retry_after_s,
        )

    def _without_key(self, text: str) -> str:
        """A key too short to be a secret would blacken every word that holds its letters."""
        key = self._api_key.get_secret_value()
        return text.replace(key, "[key]") if len(key) >= SHORTEST_SECRET else text


def blank_request(client: AsyncAnthropic, http: AsyncClient) -> Request:
    """The request that the SDK would send, but for its body."""
    headers = {
        name: value for name, value in client.default_headers.items() if isinstance(value, str)
    }
    url = f"{str(client.base_url).rstrip('/')}/v1/messages"
    request = http.build_request("POST", url, headers=headers, timeout=client.timeout)
    del request.headers["content-length"]
    return request


def with_body(blank: Request, body: bytes) -> Request:
    from httpx2 import Request

    extensions = dict(blank.extensions)
    return Request(
        "POST", blank.url, headers=blank.headers.raw, content=body, extensions=extensions
    )


def kind_of(error: APIStatusError) -> type[ProviderError]:
    """Which of the three faults a status is (R6)."""
    status = error.status_code
    if "spend_limit" in (error.error_code or ""):
        return JudgeFault
    if status in JUDGE_STATUSES or status < 400:
        return JudgeFault
    if status in TRANSIENT_STATUSES or status >= 500:
        return ProviderBusy
    return ItemFault


def code_of(error: APIStatusError) -> str:
    """The provider's code; "too_large" for a prompt past the body limit or the context window,
    which the API reports as a plain 400 with a message."""
    said = (error.api_message or "").lower()
    if error.status_code == 413 or (error.status_code == 400 and "prompt is too long" in said):
        return "too_large"
    return error.error_code or error.type or ""


def host_of(url: str) -> str:
    """Host and port of an address, without any user or password in it."""
    parts: Any = urlsplit(url)
    return parts.netloc.rpartition("@")[2] or url
