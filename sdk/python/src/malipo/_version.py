"""The version of the SDK."""

VERSION = "0.2.0"
