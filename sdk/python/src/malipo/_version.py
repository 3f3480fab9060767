"""The version of the SDK, which each request has in the User-Agent header."""

VERSION = "0.2.0"
