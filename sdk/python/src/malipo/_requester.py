"""Sends a call to the API, and reads the answer. If a retry is safe and useful, repeats the call."""

from __future__ import annotations

import datetime
import email.utils
import json
import math
import random
import re
import time
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, Union
from urllib.parse import quote, urlencode

from ._errors import MalipoError, NoAnswerError, error_class
from ._transport import Request, Response, Transport, TransportError

#: The longest pause in seconds before a retry. If the pause would be longer, the call fails without a wait.
_WAIT_SECONDS_MAX = 20.0
_FIRST_WAIT_SECONDS = 0.5
#: The statuses of proxies and gateways after which a later attempt can succeed.
_PASSING = frozenset([408, 429, 502, 503, 504])
PAGE_SIZE = 100
#: The greatest number of record ids that a loop over a list keeps, so that its memory stays small.
IDS_MAX = 1_000

# The possible effects of a failed attempt on the API.
_NONE = "none"
_UNKNOWN = "unknown"
#: The API did nothing in this attempt. The effect of earlier attempts is unknown.
_NONE_NOW = "none now"


@dataclass(frozen=True)
class _Failure:
    code: str
    status: int
    message: str
    effect: str
    #: True means that the client may repeat the call by itself.
    repeat: bool
    is_retryable: bool
    details: Optional[Dict[str, Any]] = None
    request_id: Optional[str] = None
    retry_after: Optional[float] = None
    cause: Optional[BaseException] = None


class Requester:
    """Sends the calls of the resources: idempotency key, retries, and errors."""

    def __init__(
        self,
        address: str,
        environment: str,
        headers: Dict[str, str],
        timeout: float,
        max_retries: int,
        transport: Transport,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.address = address
        self.environment = environment
        self._headers = headers
        self._timeout = timeout
        self._max_retries = max_retries
        self._transport = transport
        self._sleep = sleep

    def get(self, path: str, query: Optional[Mapping[str, Any]] = None, timeout: Optional[float] = None) -> Any:
        """Reads a record or a page."""
        return self._data(self._send("GET", path + query_string(query or {}), None, None, timeout))

    def file(self, path: str, query: Optional[Mapping[str, Any]] = None, timeout: Optional[float] = None) -> bytes:
        """Reads a file. The whole file is in memory."""
        return self._send("GET", path + query_string(query or {}), None, None, timeout, is_file=True).body

    def change(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any],
        idempotency_key: Optional[str],
        timeout: Optional[float],
    ) -> Any:
        """Sends a change. All attempts send the same idempotency key, so that the server does the work once."""
        key = str(uuid.uuid4()) if idempotency_key is None else _checked_key(idempotency_key)
        return self._data(self._send(method, path, key, _json(body), timeout))

    def change_with_secret(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any],
        idempotency_key: Optional[str],
        timeout: Optional[float],
    ) -> Any:
        """Sends a change that makes a signing secret. If the answer with the secret was lost, raises NoAnswerError.

        The server shows a secret once, so the answer to a retry has no secret.
        """
        data = self.change(method, path, body, idempotency_key, timeout)
        if data.get("secret") is not None:
            return data
        raise NoAnswerError(
            "The server made the change, but the answer with the secret did not arrive. Call rotate_secret() of the endpoint "
            "with a new idempotency_key. webhook_endpoints.list() has the ids of the endpoints.",
            code="no_answer",
            status=0,
            idempotency_key=idempotency_key,
        )

    def pages(
        self, path: str, filters: Optional[Mapping[str, Any]], id_field: str, timeout: Optional[float]
    ) -> Iterator[Any]:
        """Yields the records of all pages. If a record moves to the next page during the loop, the loop still yields it once."""
        seen: Dict[Any, None] = {}
        given = dict(filters or {})
        page = int(given.pop("page", None) or 1)
        while True:
            found = self.get(path, {"page_size": PAGE_SIZE, **given, "page": page}, timeout)
            yield from fresh(found["items"], id_field, seen)
            if page >= found["pagination"]["total_pages"]:
                return
            page += 1

    def close(self) -> None:
        """Closes the idle connections to the server."""
        close = getattr(self._transport, "close", None)
        if close is not None:
            close()

    @staticmethod
    def _data(response: Response) -> Any:
        return json.loads(response.body)["data"]

    def _send(
        self,
        method: str,
        path: str,
        key: Optional[str],
        body: Optional[bytes],
        timeout: Optional[float],
        is_file: bool = False,
    ) -> Response:
        headers = dict(self._headers, accept="*/*") if is_file else dict(self._headers)
        if key is not None:
            headers.update({"content-type": "application/json", "idempotency-key": key})
        seconds = self._timeout if timeout is None else checked_timeout(timeout)
        request = Request(method, self.address + path, headers, body, seconds)
        is_unknown = False
        attempt = 0
        while True:
            result = self._try_once(request, is_file)
            if isinstance(result, Response):
                return result
            # If the API refuses the request itself, the outcome is known. If an earlier attempt left the outcome unknown, a rate
            # limit or a revoked key leaves it unknown.
            is_unknown = key is not None and (
                result.effect == _UNKNOWN or (is_unknown and result.effect == _NONE_NOW)
            )
            # The random part spreads the retries of many clients over time.
            chance = random.random() / 2
            if result.retry_after is None:
                wait = _FIRST_WAIT_SECONDS * 2**attempt * (0.5 + chance)
            else:
                wait = result.retry_after
            if not result.repeat or attempt >= self._max_retries or wait > _WAIT_SECONDS_MAX:
                raise _error(result, key, is_unknown) from result.cause
            self._sleep(wait if result.retry_after is None else wait + chance / 2)
            attempt += 1

    def _try_once(self, request: Request, is_file: bool) -> Union[Response, _Failure]:
        try:
            response = self._transport.send(request)
        except TransportError as cause:
            if cause.was_sent:
                message = (
                    f"The connection to {self.address} ended without an answer ({cause}). "
                    "Check the network and the server."
                )
            else:
                message = (
                    f"{self.address} is unreachable ({cause}), so nothing was sent. "
                    "Check base_url, and whether the server runs."
                )
            effect = _UNKNOWN if cause.was_sent else _NONE_NOW
            return _Failure("no_answer", 0, message, effect, True, True, cause=cause)
        is_success = 200 <= response.status < 300
        if is_file and is_success:
            return response
        envelope = _envelope(response.body)
        if is_success:
            has_data = envelope.get("success") is True and envelope.get("data") is not None
            return response if has_data else self._strange_answer(response)
        error = envelope.get("error")
        if envelope.get("success") is False and isinstance(error, dict) and isinstance(error.get("code"), str):
            return self._refusal(response, error)
        return self._strange_answer(response)

    def _refusal(self, response: Response, error: Dict[str, Any]) -> _Failure:
        """Makes the failure for an error of the API."""
        status, code = response.status, error["code"]
        found = error.get("details")
        details = found if isinstance(found, dict) else None
        request_id = response.headers.get("x-request-id")
        is_running = code == "idempotency_in_progress"
        if is_running or status >= 500:
            effect = _UNKNOWN
        else:
            effect = _NONE_NOW if status in (401, 403, 408, 429) else _NONE
        text = f"{error.get('message') or code}{self._advice(status, details or {})}"
        return _Failure(
            code,
            status,
            f"{text} ({status} {code}, request {request_id or 'unknown'})",
            effect,
            repeat=is_running or status in (429, 503),
            is_retryable=is_running or status in (408, 429) or status >= 500,
            details=details,
            request_id=request_id,
            retry_after=_retry_after(response),
        )

    def _advice(self, status: int, details: Dict[str, Any]) -> str:
        """Returns sentences that help the developer: the wrong fields, the missing scope, the key, or the environment."""
        text = ""
        fields = details.get("fields")
        for one in fields if isinstance(fields, list) else []:
            if isinstance(one, dict):
                text += f" {one.get('field')}: {one.get('message')}."
        if isinstance(details.get("required_scope"), str):
            text += f" Create a key with the scope {details['required_scope']}."
        if status == 401:
            key = self._headers["authorization"][len("Bearer ") :]
            text += f" The key begins with {key[: key.rindex('_') + 1]} and ends with {key[-4:]}."
        if status == 404:
            text += (
                f" The key is of the environment {self.environment}: "
                "records of the other environment do not exist for it."
            )
        return text

    def _strange_answer(self, response: Response) -> _Failure:
        """Makes the failure for an answer that is not from the API: a redirect, or a page of a proxy or another program."""
        status = response.status
        is_success = 200 <= status < 300
        can_pass = is_success or status in _PASSING
        if 300 <= status < 400:
            target = response.headers.get("location", "another address")
            message = f"{self.address} redirects to {target}, and the SDK does not follow with your key. Correct base_url."
        else:
            message = (
                f"{self.address} answered with status {status}, but not as the API does. "
                "Check that base_url is the address of your Malipo server."
            )
        return _Failure(
            "no_answer",
            status,
            message,
            _UNKNOWN if is_success or status == 408 or status >= 500 else _NONE_NOW,
            repeat=can_pass,
            is_retryable=can_pass or status >= 500,
            request_id=response.headers.get("x-request-id"),
            retry_after=_retry_after(response),
        )


def segment(value: str, name: str) -> str:
    """Encodes a value as one segment of a path, so that an id cannot change the path."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is no text: pass the id of a record, such as collection_id.")
    if value.strip() == "" or value in (".", ".."):
        raise ValueError(f"{name} is missing: pass the id of a record, such as collection_id.")
    return quote(value, safe="")


def fresh(items: List[Any], id_field: str, seen: Dict[Any, None]) -> Iterator[Any]:
    """Yields the items whose ids are not in `seen`, and adds these ids."""
    for item in items:
        if item[id_field] in seen:
            continue
        seen[item[id_field]] = None
        if len(seen) > IDS_MAX:
            del seen[next(iter(seen))]
        yield item


def checked_timeout(timeout: float) -> float:
    """Returns the timeout. If it is no positive number, raises an error that says what to pass."""
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise TypeError("timeout must be a number of seconds above 0, such as 20.")
    if not math.isfinite(timeout) or timeout <= 0:
        raise ValueError("timeout must be a number of seconds above 0, such as 20.")
    return float(timeout)


def query_string(query: Mapping[str, Any]) -> str:
    """Formats filters as a query. Omits filters that are None."""
    pairs: List[Tuple[str, str]] = []

    def add(name: str, value: Any) -> None:
        if value is None:
            return
        if isinstance(value, bool):
            pairs.append((name, "true" if value else "false"))
        elif isinstance(value, datetime.datetime):
            if value.tzinfo is None:
                raise ValueError(f"{name} has no time zone: pass datetime.datetime.now(datetime.timezone.utc).")
            pairs.append((name, value.isoformat()))
        elif isinstance(value, Mapping):
            for key, inner in value.items():
                add(f"{name}[{key}]", inner)
        else:
            pairs.append((name, str(value)))

    for name, value in query.items():
        add(name, value)
    return "?" + urlencode(pairs, quote_via=quote) if pairs else ""


def _error(failure: _Failure, key: Optional[str], outcome_unknown: bool) -> MalipoError:
    message = failure.message
    if outcome_unknown:
        message += (
            f" The API may have made the change: repeat the call with the idempotency_key {key}, "
            "and the API makes the change only once."
        )
    return error_class(failure.code, failure.status)(
        message,
        code=failure.code,
        status=failure.status,
        details=failure.details,
        request_id=failure.request_id,
        idempotency_key=key,
        outcome_unknown=outcome_unknown,
        is_retryable=failure.is_retryable,
        retry_after=failure.retry_after,
    )


def _envelope(body: bytes) -> Dict[str, Any]:
    """Parses the envelope of an answer. If the answer is no JSON object, the envelope is empty."""
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _retry_after(response: Response) -> Optional[float]:
    value = response.headers.get("retry-after")
    if value is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", value):
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _json(body: Mapping[str, Any]) -> bytes:
    """Serialises an input. If JSON cannot express a value, raises an error before the SDK sends anything."""
    if not isinstance(body, Mapping):
        raise TypeError('Pass a dictionary, such as {"amount": "25000.00"}.')

    def other(value: Any) -> Any:
        if isinstance(value, Decimal) and value.is_finite():
            return format(value, "f")
        if isinstance(value, datetime.datetime):
            return value.isoformat()
        raise TypeError(f"{value!r} cannot be sent: pass a text, a number, a list or a dictionary.")

    try:
        text = json.dumps(dict(body), default=other, ensure_ascii=False, allow_nan=False)
        return text.encode("utf-8")
    except ValueError as cause:
        raise ValueError(f"The input is no JSON ({cause}): pass a number or a decimal text, such as '25000.00'.") from cause


def _checked_key(key: str) -> str:
    if isinstance(key, str) and re.fullmatch(r"[\x21-\x7e]{1,255}", key):
        return key
    raise ValueError(
        "idempotency_key must have 1 to 255 visible ASCII characters without spaces, such as order-1042-attempt-1."
    )
