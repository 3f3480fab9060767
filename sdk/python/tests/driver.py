"""Drives this SDK for the conformance suite. sdk/conformance/README.md describes the protocol.

Reads commands from standard input, one JSON object a line, and reports the results. The first argument is the folder of the
sources. With the argument --async, the asyncio client makes the calls.
"""

import asyncio
import inspect
import json
import re
import sys
import traceback

if len(sys.argv) > 1 and not sys.argv[1].startswith("--"):
    sys.path.insert(0, sys.argv[1])

import malipo  # noqa: E402

SNAKE = re.compile(r"(?<=[a-z])([A-Z])")
USE_ASYNC = "--async" in sys.argv


class Unsupported(Exception):
    """The error for a call that the SDK does not have."""


def snake(name):
    return SNAKE.sub(lambda match: "_" + match.group(1).lower(), name)


def verified(command):
    names = {"tolerance": "tolerance_s", "allow_body_signature": "allow_body_signature", "brand": "brand"}
    options = {name: command[given] for name, given in names.items() if command.get(given) is not None}
    return malipo.verify_webhook(
        command.get("body"), command["headers"], command.get("secret") or "", now=command["now"], **options
    )


def arguments(command):
    client, args = command["client"], command["args"]
    names = {"timeout": "timeout_s", "max_retries": "max_retries", "language": "language", "environment": "environment"}
    options = {name: client[given] for name, given in names.items() if client.get(given) is not None}
    values = [args[name] for name in ("id", "input", "filters") if name in args]
    keywords = {"idempotency_key": args["idempotency_key"]} if "idempotency_key" in args else {}
    return client.get("base_url"), client.get("api_key"), options, values, keywords


def method_of(client, call):
    resource, method = (snake(part) for part in call.split("."))
    found = getattr(getattr(client, resource, None), method, None)
    if found is None:
        raise Unsupported(call)
    return found


def called(command):
    base_url, api_key, options, values, keywords = arguments(command)
    limit = command["args"].get("limit")
    with malipo.Malipo(base_url, api_key, **options) as client:
        result = method_of(client, command["call"])(*values, **keywords)
        if not inspect.isgenerator(result):
            return result
        items = []
        for item in result:
            items.append(item)
            if limit is not None and len(items) >= limit:
                break
        return items


async def called_async(command):
    base_url, api_key, options, values, keywords = arguments(command)
    limit = command["args"].get("limit")
    async with malipo.AsyncMalipo(base_url, api_key, **options) as client:
        result = method_of(client, command["call"])(*values, **keywords)
        if not inspect.isasyncgen(result):
            return await result
        items = []
        async for item in result:
            items.append(item)
            if limit is not None and len(items) >= limit:
                break
        return items


def facts_of(error):
    """Returns the facts of a failure under the names of the suite."""
    if isinstance(error, malipo.WebhookSignatureError):
        return {"kind": "webhook", "code": error.code, "message": str(error)}
    if isinstance(error, malipo.MalipoError):
        return {
            "kind": "no_answer" if isinstance(error, malipo.NoAnswerError) else "api",
            "class": type(error).__name__.replace("PermissionDenied", "Permission"),
            "code": error.code,
            "status": error.status,
            "message": str(error),
            "details": error.details,
            "request_id": error.request_id,
            "idempotency_key": error.idempotency_key,
            "outcome_unknown": error.outcome_unknown,
            "is_retryable": error.is_retryable,
            "retry_after_s": error.retry_after,
        }
    if isinstance(error, (TypeError, ValueError)):
        return {"kind": "usage", "message": str(error)}
    return {"kind": "".join(traceback.format_exception(error)), "message": str(error)}


def perform(command):
    if command["do"] == "verify":
        return verified(command)
    return asyncio.run(called_async(command)) if USE_ASYNC else called(command)


for line in sys.stdin:
    command = json.loads(line)
    try:
        report = {"ok": perform(command)}
    except Unsupported as error:
        report = {"unsupported": str(error)}
    except Exception as error:
        report = {"error": facts_of(error)}

    def text_of(value):
        return value.decode("utf-8", "replace")

    print(json.dumps({"id": command["id"], **report}, default=text_of), flush=True)
