"""Sends single requests with the standard library."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from typing import Dict, List, Optional, Protocol, Tuple
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Request:
    """An HTTP request. `timeout` is the longest time of the whole attempt in seconds."""

    method: str
    url: str
    headers: Dict[str, str]
    body: Optional[bytes]
    timeout: float

    def __repr__(self) -> str:
        # The headers contain the API key.
        return f"Request({self.method!r}, {self.url!r})"


@dataclass(frozen=True)
class Response:
    """An HTTP response with its whole body. The names of the headers are in lower case."""

    status: int
    headers: Dict[str, str]
    body: bytes


class TransportError(Exception):
    """No complete response arrived. `was_sent` is False only if no connection opened, so that the transport sent nothing."""

    def __init__(self, message: str, was_sent: bool = True) -> None:
        super().__init__(message)
        self.was_sent = was_sent


class Transport(Protocol):
    """Sends single requests, without retries and redirects. Implement this class to use another HTTP client."""

    def send(self, request: Request) -> Response:
        """Returns the response, or raises TransportError."""


#: The longest idle time in seconds. After a longer time, the server may close the connection during its next use.
_IDLE_SECONDS_MAX = 4.0
_CHUNK_BYTES = 65_536


class HttpTransport:
    """The default transport. Keeps connections open between calls. Several threads may use it at the same time."""

    def __init__(self, ssl_context: Optional[ssl.SSLContext] = None) -> None:
        self._ssl = ssl_context
        self._idle: List[Tuple[str, http.client.HTTPConnection, float]] = []
        self._lock = threading.Lock()

    def send(self, request: Request) -> Response:
        deadline = time.monotonic() + request.timeout
        parts = urlsplit(request.url)
        origin = f"{parts.scheme}://{parts.netloc}"
        connection = self._take(origin) or self._connect(parts.scheme, parts.hostname or "", parts.port, request.timeout)
        try:
            target = parts.path + (f"?{parts.query}" if parts.query else "")
            _set_timeout(connection, deadline)
            connection.request(request.method, target, request.body, request.headers)
            _set_timeout(connection, deadline)
            response = connection.getresponse()
            chunks: List[bytes] = []
            while True:
                _set_timeout(connection, deadline)
                chunk = response.read1(_CHUNK_BYTES)
                if not chunk:
                    break
                chunks.append(chunk)
            body = b"".join(chunks)
            if response.length:
                raise TransportError("the response ended too early")
            # http.client refuses the next request until the response is closed.
            response.close()
        except (OSError, http.client.HTTPException) as cause:
            connection.close()
            raise TransportError(_reason(cause, request.timeout)) from cause
        except BaseException:
            connection.close()
            raise
        headers = {name.lower(): value for name, value in response.getheaders()}
        if response.will_close:
            connection.close()
        else:
            with self._lock:
                self._idle.append((origin, connection, time.monotonic()))
        return Response(response.status, headers, body)

    def close(self) -> None:
        """Closes the idle connections to the server."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, connection, _ in idle:
            connection.close()

    def _take(self, origin: str) -> Optional[http.client.HTTPConnection]:
        """Returns an idle connection to this server, and closes unusable ones. None means that no connection is usable."""
        with self._lock:
            while self._idle:
                its_origin, connection, since = self._idle.pop()
                if its_origin == origin and time.monotonic() - since < _IDLE_SECONDS_MAX:
                    return connection
                connection.close()
        return None

    def _connect(self, scheme: str, host: str, port: Optional[int], timeout: float) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection
        if scheme == "https":
            context = self._ssl or ssl.create_default_context()
            connection = http.client.HTTPSConnection(host, port, timeout=timeout, context=context)
        else:
            connection = http.client.HTTPConnection(host, port, timeout=timeout)
        try:
            connection.connect()
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except (OSError, http.client.HTTPException) as cause:
            connection.close()
            raise TransportError(_reason(cause, timeout), was_sent=False) from cause
        return connection


def _set_timeout(connection: http.client.HTTPConnection, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0:
        raise socket.timeout("timed out")
    if connection.sock is not None:
        connection.sock.settimeout(left)


def _reason(cause: Exception, timeout: float) -> str:
    if isinstance(cause, socket.timeout):
        return f"no answer within {timeout:g} s"
    return str(cause) or type(cause).__name__
