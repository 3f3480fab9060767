"""Verifies webhooks over the raw bytes of the request."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union, cast

from ._errors import WebhookSignatureError
from .events import WebhookEvent

_PREFIX = "whsec_"
_SECRET_BYTES_MIN = 24
_RAW_BODY_HELP = (
    "Pass the raw body, before any JSON parser: request.get_data() in Flask, request.body in Django, "
    "await request.body() in FastAPI."
)

#: Headers as frameworks give them: a mapping, pairs, or the environ of WSGI.
Headers = Union[Mapping[str, Any], Iterable[Tuple[str, str]]]


def verify_webhook(
    raw_body: Union[bytes, str],
    headers: Headers,
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = 300,
    allow_body_signature: bool = False,
    brand: Optional[str] = None,
    now: Optional[float] = None,
) -> WebhookEvent:
    """Verifies a webhook and returns its event.

    The Standard Webhooks signature decides, because it also covers id and time. A delivery can arrive twice, so store the id
    of `webhook_id(headers)` and ignore a repeated id.

    raw_body: the received bytes. Parsed and re-encoded JSON does not match.
    secret: the signing secret (whsec_...), or several, such as the old and the new one of a rotation.
    tolerance: the largest difference in seconds between the delivery and the clock. 0 permits any difference.
    allow_body_signature: True also accepts a request that only has X-<Brand>-Signature. That signature covers neither id nor
        time, so an attacker with one delivery can replay it under another id.
    brand: the middle part of that header, such as 'service'. By default, any brand is valid.

    If the request is no valid webhook, raises WebhookSignatureError: answer 401.
    """
    if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or not tolerance >= 0:
        raise ValueError("tolerance must be a number of seconds, 0 or more.")
    if brand is not None and not re.fullmatch(r"[a-z][a-z0-9]{1,19}", brand, re.IGNORECASE):
        raise ValueError("brand must be the middle part of the header name X-<Brand>-Signature, such as 'service'.")
    secrets = _checked_secrets(secret)
    body = _bytes_of(raw_body)
    given = _lower_case(headers)
    signatures = given.get("webhook-signature")
    timestamp = given.get("webhook-timestamp")
    if signatures is not None:
        delivery_id = given.get("webhook-id")
        if delivery_id is None or timestamp is None:
            raise _missing("webhook-id or webhook-timestamp")
        _check_standard(secrets, signatures, f"{delivery_id}.{timestamp}.".encode("utf-8", "surrogateescape") + body)
    elif allow_body_signature:
        names = "[a-z0-9]+" if brand is None else brand.lower()
        _check_branded(secrets, given, names, body)
        # This signature does not cover the time. So this check finds late deliveries, but an attacker can change the time.
        timestamp = next(iter(_values(given, f"x-{names}-timestamp")), None)
    else:
        raise _missing("webhook-signature")
    if timestamp is not None:
        _check_age(timestamp, tolerance, time.time() if now is None else now)
    return _event_of(body)


def webhook_id(headers: Headers) -> Optional[str]:
    """Returns the id of a delivery. A repeated delivery has the same id. None means that the headers have no id."""
    return _lower_case(headers).get("webhook-id")


def _checked_secrets(given: Union[str, Sequence[str]]) -> List[Tuple[bytes, bytes]]:
    """Returns the text and the bytes of each secret. If a secret is malformed, raises a ValueError."""
    found: List[Tuple[bytes, bytes]] = []
    for secret in [given] if isinstance(given, str) else list(given or []):
        key = _decoded(secret[len(_PREFIX) :]) if isinstance(secret, str) and secret.startswith(_PREFIX) else None
        if key is None or len(key) < _SECRET_BYTES_MIN:
            found = []
            break
        found.append((secret.encode("utf-8"), key))
    if not found:
        raise ValueError(
            "secret must be the signing secret of your webhook endpoint, unchanged: it begins with whsec_. "
            "It is not the API key."
        )
    return found


def _bytes_of(raw_body: object) -> bytes:
    if isinstance(raw_body, str):
        return raw_body.encode("utf-8", "surrogatepass")
    if isinstance(raw_body, (bytes, bytearray, memoryview)):
        return bytes(raw_body)
    what = "missing" if raw_body is None else "already parsed"
    raise TypeError(f"raw_body is {what}. {_RAW_BODY_HELP}")


def _check_standard(secrets: List[Tuple[bytes, bytes]], signatures: str, signed: bytes) -> None:
    given = [_decoded(part[3:]) for part in signatures.split(" ") if part.startswith("v1,")]
    for _, key in secrets:
        expected = hmac.new(key, signed, hashlib.sha256).digest()
        if any(one is not None and hmac.compare_digest(expected, one) for one in given):
            return
    raise _mismatch()


def _check_branded(secrets: List[Tuple[bytes, bytes]], given: Dict[str, str], names: str, body: bytes) -> None:
    signatures = _values(given, f"x-{names}-signature(?:-previous)?")
    if not signatures:
        raise _missing(f"X-{'Service' if names == '[a-z0-9]+' else names.capitalize()}-Signature")
    for text, _ in secrets:
        expected = hmac.new(text, body, hashlib.sha256).hexdigest().encode("ascii")
        if any(hmac.compare_digest(expected, one.lower().encode("utf-8", "surrogateescape")) for one in signatures):
            return
    raise _mismatch()


def _missing(name: str) -> WebhookSignatureError:
    message = (
        f"The request has no header {name}: it is no webhook, or a proxy removes the header. "
        "Answer 401, and check your proxies."
    )
    return WebhookSignatureError("missing_signature", message)


def _mismatch() -> WebhookSignatureError:
    message = (
        "The signature does not match: the secret is of another endpoint or environment, or the body is not the raw body. "
        + _RAW_BODY_HELP
    )
    return WebhookSignatureError("signature_mismatch", message)


def _check_age(timestamp: str, tolerance: float, now: float) -> None:
    message = None
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        message = (
            "The time of the delivery is not a number of seconds. "
            "Answer 401, and check whether a proxy changes the header."
        )
    elif tolerance > 0 and abs(int(now) - int(timestamp)) > tolerance:
        age = int(now) - int(timestamp)
        message = (
            f"The time of the delivery is {abs(age)} seconds {'behind' if age > 0 else 'ahead of'} the clock of this machine; "
            f"the tolerance is {tolerance}. If this happens to every delivery, correct the clock (NTP); otherwise it is a replay."
        )
    if message is not None:
        raise WebhookSignatureError("timestamp_out_of_tolerance", message)


def _event_of(body: bytes) -> WebhookEvent:
    try:
        event = json.loads(body.decode("utf-8"))
    except ValueError:
        event = None
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        message = "The body is signed, but is not an event. Answer 401, and check whether another program signs with this secret."
        raise WebhookSignatureError("invalid_event", message)
    return cast(WebhookEvent, event)


def _decoded(text: str) -> Optional[bytes]:
    try:
        return base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        return None


def _values(given: Dict[str, str], pattern: str) -> List[str]:
    return [value for name, value in given.items() if re.fullmatch(pattern, name)]


def _lower_case(headers: Headers) -> Dict[str, str]:
    """Returns the values by header name in lower case. HTTP_WEBHOOK_ID of WSGI becomes webhook-id."""
    items = getattr(headers, "items", None)
    pairs = items() if callable(items) else headers
    if pairs is None or isinstance(pairs, (str, bytes)):
        raise TypeError("headers is missing: pass the headers of the request.")
    found: Dict[str, str] = {}
    for name, value in pairs:
        if isinstance(name, bytes) and isinstance(value, bytes):  # the headers of ASGI
            name, value = name.decode("latin-1"), value.decode("latin-1")
        if isinstance(value, (list, tuple)):
            value = ",".join(one for one in value if isinstance(one, str))
        if isinstance(name, str) and isinstance(value, str):
            header = name.lower()
            found[header[5:].replace("_", "-") if header.startswith("http_") else header] = value
    return found
