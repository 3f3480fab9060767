"""The clients of the API. The API key is secret, so use the clients only on servers."""

from __future__ import annotations

import asyncio
import platform
import re
from typing import Any, AsyncIterator, Dict, Mapping, Optional
from urllib.parse import urlsplit

from . import _async_resources as aio
from . import _resources as sync
from ._requester import PAGE_SIZE, Requester, checked_timeout, fresh
from ._transport import HttpTransport, Transport
from ._version import VERSION

_KEY = re.compile(r"[a-z][a-z0-9]{1,19}_(live|sandbox|test)_[0-9A-Za-z]+")


class Malipo:
    """A client of the payment API. Several threads may use one client.

    If a call fails, the client raises a `MalipoError`. If the program has a mistake, the client raises a `TypeError` or a
    `ValueError` before it sends anything.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        environment: Optional[str] = None,
        timeout: float = 20.0,
        max_retries: int = 2,
        language: Optional[str] = None,
        transport: Optional[Transport] = None,
    ) -> None:
        """Makes a client.

        base_url: the address of the server, without /v1, such as https://api.example.com.
        environment: live or sandbox, the environment that the key must have. By default, both are valid.
        timeout: the seconds that one attempt may take.
        max_retries: the greatest number of retries of a call, from 0 to 10. The SDK makes only safe and useful retries.
        language: the language of failure_reason_message, sw or en. By default, the server chooses.
        """
        requester = _requester(base_url, api_key, environment, timeout, max_retries, language, transport)
        self._requester = requester
        #: The environment of the key. In the sandbox, no real money moves.
        self.environment = requester.environment
        self.me = sync.Me(requester)
        self.collections = sync.Collections(requester)
        self.payment_links = sync.PaymentLinks(requester)
        self.invoices = sync.Invoices(requester)
        self.disbursements = sync.Disbursements(requester)
        self.destinations = sync.Destinations(requester)
        self.transactions = sync.Transactions(requester)
        self.balance = sync.Balance(requester)
        self.webhook_endpoints = sync.WebhookEndpoints(requester)
        self.webhook_config = sync.WebhookConfig(requester)
        self.webhook_deliveries = sync.WebhookDeliveries(requester)
        self.events = sync.Events(requester)
        self.requests = sync.Requests(requester)

    def close(self) -> None:
        """Closes the idle connections to the server."""
        self._requester.close()

    def __enter__(self) -> Malipo:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncMalipo:
    """The client for asyncio, with the same calls as `Malipo`. Each call runs in a thread, so the loop never waits.

    If the program cancels a call, the thread still finishes the call, so the program does not know its outcome. Repeat
    the call with the same idempotency_key.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        environment: Optional[str] = None,
        timeout: float = 20.0,
        max_retries: int = 2,
        language: Optional[str] = None,
        transport: Optional[Transport] = None,
    ) -> None:
        """Makes a client. The arguments are those of `Malipo`."""
        requester = _requester(base_url, api_key, environment, timeout, max_retries, language, transport)
        self._requester = requester
        #: The environment of the key. In the sandbox, no real money moves.
        self.environment = requester.environment
        in_threads = AsyncRequester(requester)
        self.me = aio.Me(in_threads)
        self.collections = aio.Collections(in_threads)
        self.payment_links = aio.PaymentLinks(in_threads)
        self.invoices = aio.Invoices(in_threads)
        self.disbursements = aio.Disbursements(in_threads)
        self.destinations = aio.Destinations(in_threads)
        self.transactions = aio.Transactions(in_threads)
        self.balance = aio.Balance(in_threads)
        self.webhook_endpoints = aio.WebhookEndpoints(in_threads)
        self.webhook_config = aio.WebhookConfig(in_threads)
        self.webhook_deliveries = aio.WebhookDeliveries(in_threads)
        self.events = aio.Events(in_threads)
        self.requests = aio.Requests(in_threads)

    async def close(self) -> None:
        """Closes the idle connections to the server."""
        self._requester.close()

    async def __aenter__(self) -> AsyncMalipo:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncRequester:
    """Runs the calls of a `Requester` in threads, for asyncio."""

    def __init__(self, requester: Requester) -> None:
        self._requester = requester

    async def get(self, path: str, query: Optional[Mapping[str, Any]] = None, timeout: Optional[float] = None) -> Any:
        """Reads a record or a page."""
        return await asyncio.to_thread(self._requester.get, path, query, timeout)

    async def file(
        self, path: str, query: Optional[Mapping[str, Any]] = None, timeout: Optional[float] = None
    ) -> bytes:
        """Reads a file. The whole file is in memory."""
        return await asyncio.to_thread(self._requester.file, path, query, timeout)

    async def change(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any],
        idempotency_key: Optional[str],
        timeout: Optional[float],
    ) -> Any:
        """Sends a change, with the same idempotency key in all attempts."""
        return await asyncio.to_thread(self._requester.change, method, path, body, idempotency_key, timeout)

    async def change_with_secret(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any],
        idempotency_key: Optional[str],
        timeout: Optional[float],
    ) -> Any:
        """Sends a change that makes a signing secret. If the answer has no secret, raises NoAnswerError."""
        return await asyncio.to_thread(
            self._requester.change_with_secret, method, path, body, idempotency_key, timeout
        )

    async def pages(
        self, path: str, filters: Optional[Mapping[str, Any]], id_field: str, timeout: Optional[float]
    ) -> AsyncIterator[Any]:
        """Yields the records of all pages."""
        seen: Dict[Any, None] = {}
        given = dict(filters or {})
        page = int(given.pop("page", None) or 1)
        while True:
            found = await self.get(path, {"page_size": PAGE_SIZE, **given, "page": page}, timeout)
            for item in fresh(found["items"], id_field, seen):
                yield item
            if page >= found["pagination"]["total_pages"]:
                return
            page += 1


def _requester(
    base_url: str,
    api_key: str,
    environment: Optional[str],
    timeout: float,
    max_retries: int,
    language: Optional[str],
    transport: Optional[Transport],
) -> Requester:
    found = _environment_of(api_key)
    if environment is not None and environment != found:
        raise ValueError(
            f"api_key is a {found} key, and environment is {environment!r}: use a key of that environment."
        )
    if isinstance(max_retries, bool) or not isinstance(max_retries, int) or not 0 <= max_retries <= 10:
        raise ValueError("max_retries, the number of retries, must be an integer from 0 to 10.")
    if language not in (None, "sw", "en"):
        raise ValueError("language must be 'sw' or 'en'.")
    headers = {
        "authorization": f"Bearer {api_key}",
        "accept": "application/json",
        "user-agent": f"malipo-python/{VERSION} python/{platform.python_version()}",
    }
    if language is not None:
        headers["accept-language"] = language
    return Requester(
        _checked_address(base_url), found, headers, checked_timeout(timeout), max_retries, transport or HttpTransport()
    )


def _environment_of(api_key: str) -> str:
    """Returns the environment of a key. If the key is malformed, raises an error that says what to correct."""
    if not isinstance(api_key, str) or api_key == "":
        raise ValueError(
            "api_key is missing: create a key in the dashboard, and pass it, such as from os.environ['MALIPO_API_KEY']."
        )
    if api_key.startswith("pk_"):
        raise ValueError("api_key begins with pk_, a public identifier: pass a secret API key.")
    if api_key.startswith("whsec_"):
        raise ValueError("api_key begins with whsec_, the secret of a webhook: pass an API key.")
    if api_key.lower().startswith("bearer "):
        raise ValueError("api_key begins with the word Bearer: pass the key alone.")
    if re.search(r"[^\x21-\x7e]", api_key):
        raise ValueError("api_key contains a space, a line break or another wrong character: copy the key again.")
    match = _KEY.fullmatch(api_key)
    if match is None:
        raise ValueError(
            "api_key is no API key: keys contain _live_, _sandbox_ or _test_, such as service_sandbox_.... "
            "Copy the key of the dashboard."
        )
    return "live" if match.group(1) == "live" else "sandbox"


def _checked_address(base_url: str) -> str:
    advice = "pass the address of your Malipo server, such as https://api.example.com."
    if not isinstance(base_url, str) or base_url.strip() == "":
        raise ValueError(f"base_url is missing: {advice}")
    try:
        parts = urlsplit(base_url.strip())
        host, _port = parts.hostname, parts.port
    except ValueError:
        raise ValueError(f"base_url is no address: {advice}") from None
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment or parts.username is not None:
        raise ValueError(f"base_url must be an http(s) address without a query, fragment or password: {advice}")
    if re.search(r"[^\x21-\x7e]", base_url.strip()):
        raise ValueError(f"base_url contains a space or another wrong character: {advice}")
    path = parts.path.rstrip("/")
    if path.endswith("/v1"):
        raise ValueError(f"base_url must not end with /v1: pass {parts.scheme}://{parts.netloc}{path[: -len('/v1')]}.")
    return f"{parts.scheme}://{parts.netloc}{path}"
