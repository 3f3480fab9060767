"""The types of webhook events, for type checkers."""

from __future__ import annotations

from typing import Dict, Optional, TypedDict


class _EventBase(TypedDict):
    #: The name, such as collection.success. The API can add events, so ignore an event that you do not know.
    event: str
    merchant_code: str
    timestamp: str


class WebhookEvent(_EventBase, total=False):
    """A verified event. Some fields depend on the event, and the API can add fields."""

    collection_id: str
    disbursement_id: str
    reference: Optional[str]
    merchant_reference: Optional[str]
    amount: str
    #: The amount that the payer paid, if it differs from the requested amount.
    amount_received: str
    currency: str
    metadata: Dict[str, str]
    status: str
    method: Optional[str]
    failure_reason_code: str
    failure_reason_message: str
    completed_at: str
    failed_at: str
    reversed_at: str
    held_at: str
    #: True means that the payment is from the sandbox. Never ship an order for such a payment.
    sandbox: bool
    #: True means that the delivery is a test. Never ship an order for a test.
    test: bool
