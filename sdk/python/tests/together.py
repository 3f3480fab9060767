"""Uses one client from many threads, and one from many tasks. Prints the ids of the payments of each as JSON."""

import asyncio
import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from malipo import AsyncMalipo, Malipo

ADDRESS, KEY = os.environ["MALIPO_URL"], os.environ["MALIPO_API_KEY"]
COUNT = 40


def push(reference):
    return {"amount": "100.00", "phone": "0754123001", "reference": reference}


def in_threads():
    # This client makes no retries, because a retry would hide a broken connection.
    with Malipo(ADDRESS, KEY, max_retries=0) as malipo, ThreadPoolExecutor(8) as pool:
        start = threading.Barrier(8)

        def call(number):
            if number < 8:
                start.wait()
            own = malipo.collections.create_wallet_push(push(f"THREAD-{number}"))
            same = malipo.collections.create_wallet_push(push("SAME"), idempotency_key="same-of-threads")
            return own["reference"], malipo.collections.get(own["collection_id"])["reference"], same["collection_id"]

        return list(pool.map(call, range(COUNT)))


async def in_tasks():
    async with AsyncMalipo(ADDRESS, KEY, max_retries=0) as malipo:

        async def call(number):
            own = await malipo.collections.create_wallet_push(push(f"TASK-{number}"))
            same = await malipo.collections.create_wallet_push(push("SAME"), idempotency_key="same-of-tasks")
            found = await malipo.collections.get(own["collection_id"])
            return own["reference"], found["reference"], same["collection_id"]

        return await asyncio.gather(*(call(number) for number in range(COUNT)))


def events(count):
    """Returns the ids of the events, after the worker has settled every payment."""
    with Malipo(ADDRESS, KEY, max_retries=0) as malipo:
        for _ in range(600):
            if malipo.events.list_page({"event": "collection.success"})["pagination"]["total_items"] == count:
                break
            time.sleep(0.05)
        return [event["id"] for event in malipo.events.list({"event": "collection.success", "page_size": 30})]



print(json.dumps({"threads": in_threads(), "tasks": asyncio.run(in_tasks()), "events": events(2 * COUNT + 2)}))
