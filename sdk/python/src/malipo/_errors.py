"""The errors of a call. For a mistake in the program, the SDK raises a TypeError or ValueError before it sends anything."""

from __future__ import annotations

from typing import Any, Dict, Optional, Type


class MalipoError(Exception):
    """A failed call. The subclass shows the kind of failure, and `code` shows the exact reason."""

    #: The error code of the API, or `no_answer`. The API can add codes. If you do not know a code, decide by `status`.
    code: str
    #: The HTTP status. 0 means that no answer arrived.
    status: int
    #: Details of the API, such as the fields of `validation_failed`. None means that the API sent no details.
    details: Optional[Dict[str, Any]]
    #: The id of the request. If you report a problem, give this id to support. None means that the answer had no id.
    request_id: Optional[str]
    #: The idempotency key of the call. None means that the call only reads, or that you gave no key and only the secret in the
    #: answer was lost.
    idempotency_key: Optional[str]
    #: True means that the API may have made the change. Repeat the call with the same idempotency_key.
    outcome_unknown: bool
    #: True means that the same call, with the same idempotency key, can succeed later.
    is_retryable: bool
    #: The seconds to wait before the next attempt. None means that the API named no time.
    retry_after: Optional[float]

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int,
        details: Optional[Dict[str, Any]] = None,
        request_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        outcome_unknown: bool = False,
        is_retryable: bool = False,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.details = details
        self.request_id = request_id
        self.idempotency_key = idempotency_key
        self.outcome_unknown = outcome_unknown
        self.is_retryable = is_retryable
        self.retry_after = retry_after

    @property
    def fields(self) -> Dict[str, str]:
        """Returns the message of each wrong field of a `validation_failed`, by the name of the field."""
        found = (self.details or {}).get("fields")
        fields = found if isinstance(found, list) else []
        return {str(one.get("field")): str(one.get("message")) for one in fields if isinstance(one, dict)}


class ValidationError(MalipoError):
    """The API refused the input (400, 413, 415, 422) and changed nothing. See `fields`."""


class AuthenticationError(MalipoError):
    """The API does not accept the key (401), for example because the key is wrong, expired or revoked."""


class PermissionDeniedError(MalipoError):
    """The key may not make this call (403), for example because a scope is missing."""


class NotFoundError(MalipoError):
    """The record does not exist for this key (404)."""


class ConflictError(MalipoError):
    """The current state does not allow the call (409), for example the status of a record or the balance."""


class RateLimitError(MalipoError):
    """A limit refused the call (429), for example the limit of requests of a key. `retry_after` has the seconds to wait."""


class ServerError(MalipoError):
    """The server failed (status 500 or more)."""


class NoAnswerError(MalipoError):
    """The SDK got no answer of the API: no connection, a timeout, or the answer of another program."""


def error_class(code: str, status: int) -> Type[MalipoError]:
    """Returns the class of the error for an error code and an HTTP status."""
    if code == "no_answer":
        return NoAnswerError
    if status >= 500:
        return ServerError
    classes: Dict[int, Type[MalipoError]] = {
        400: ValidationError,
        401: AuthenticationError,
        403: PermissionDeniedError,
        404: NotFoundError,
        409: ConflictError,
        413: ValidationError,
        415: ValidationError,
        422: ValidationError,
        429: RateLimitError,
    }
    return classes.get(status, MalipoError)


class WebhookSignatureError(Exception):
    """The request is no valid webhook. Answer 401, and ignore its content."""

    #: missing_signature, signature_mismatch, timestamp_out_of_tolerance or invalid_event.
    code: str

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
