"""Client and webhook verification for the Malipo payment API."""

from ._client import AsyncMalipo, Malipo
from ._errors import (
    AuthenticationError,
    ConflictError,
    MalipoError,
    NoAnswerError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    ValidationError,
    WebhookSignatureError,
)
from ._transport import HttpTransport, Request, Response, Transport, TransportError
from ._version import VERSION as __version__
from ._webhook import verify_webhook, webhook_id
from .events import WebhookEvent

__all__ = [
    "AsyncMalipo",
    "AuthenticationError",
    "ConflictError",
    "HttpTransport",
    "Malipo",
    "MalipoError",
    "NoAnswerError",
    "NotFoundError",
    "PermissionDeniedError",
    "RateLimitError",
    "Request",
    "Response",
    "ServerError",
    "Transport",
    "TransportError",
    "ValidationError",
    "WebhookEvent",
    "WebhookSignatureError",
    "__version__",
    "verify_webhook",
    "webhook_id",
]
