"""The types of the calls that an API key can make. `npm run generate` makes this file from openapi.json; do not edit it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

#: An amount of shillings: a decimal text such as "25000.00", a number, or a Decimal.
Amount = Union[str, int, float, Decimal]


class _CreateWalletPushInputRequired(TypedDict):
    amount: Amount
    phone: str


class CreateWalletPushInput(_CreateWalletPushInputRequired, total=False):
    currency: str
    customer_name: str
    customer_email: str
    reference: str
    description: str
    webhook_url: str
    simulate_status: Literal["successful", "failed", "pending_clearance", "reversed"]
    metadata: Dict[str, str]


class CreateWalletPushAnswer(TypedDict):
    collection_id: str
    reference: Optional[str]
    status: str
    message: str


class _CreateProviderPesaPushInputRequired(TypedDict):
    amount: Amount
    phone: str


class CreateProviderPesaPushInput(_CreateProviderPesaPushInputRequired, total=False):
    currency: str
    customer_name: str
    customer_email: str
    reference: str
    description: str
    webhook_url: str
    simulate_status: Literal["successful", "failed", "pending_clearance", "reversed"]
    metadata: Dict[str, str]


class CreateProviderPesaPushAnswer(TypedDict):
    collection_id: str
    reference: Optional[str]
    status: str
    message: str


class _CreateStkPushInputRequired(TypedDict):
    amount: Amount
    customer_phone: str


class CreateStkPushInput(_CreateStkPushInputRequired, total=False):
    currency: str
    customer_name: str
    customer_email: str
    reference: str
    description: str
    webhook_url: str
    simulate_status: Literal["successful", "failed", "pending_clearance", "reversed"]
    metadata: Dict[str, str]
    merchant_reference: str


class CreateStkPushAnswer(TypedDict):
    collection_id: str
    reference: Optional[str]
    status: str
    message: str


class _CreateQrCollectionInputRequired(TypedDict):
    amount: Amount


class CreateQrCollectionInput(_CreateQrCollectionInputRequired, total=False):
    currency: str
    customer_name: str
    customer_email: str
    reference: str
    description: str
    webhook_url: str
    simulate_status: Literal["successful", "failed", "pending_clearance", "reversed"]
    metadata: Dict[str, str]
    customer_phone: str


class CreateQrCollectionAnswer(TypedDict):
    collection_id: str
    reference: Optional[str]
    status: str
    payment_token: str
    qr_payload: str
    expires_at: None


ListCollectionsFilters = TypedDict(
    "ListCollectionsFilters",
    {
        "page": "int",
        "page_size": "int",
        "status": "Any",
        "method": "Any",
        "reference": "Any",
        "phone": "Any",
        "from": "Any",
        "to": "Any",
        "metadata": "Any",
    },
    total=False,
)


class ListCollectionsItem(TypedDict):
    collection_id: str
    reference: Optional[str]
    merchant_reference: Optional[str]
    status: str
    amount: float
    amount_received: Optional[float]
    foreign_amount: Optional[float]
    foreign_currency: Optional[str]
    currency: str
    method: Optional[str]
    customer_name: Optional[str]
    customer_phone: Optional[str]
    fee: Optional[float]
    net_amount: Optional[float]
    environment: str
    provider_payment_status: Optional[str]
    payment_url: Optional[str]
    failure_reason_code: Optional[str]
    failure_reason_message: Optional[str]
    failure_reason_message_sw: Optional[str]
    metadata: Dict[str, str]
    created_at: str
    updated_at: str


class ListCollectionsAnswer(TypedDict):
    items: List[ListCollectionsItem]
    pagination: Dict[str, int]


class _CreateCollectionInputRequired(TypedDict):
    amount: Amount


class CreateCollectionInput(_CreateCollectionInputRequired, total=False):
    currency: str
    customer_name: Optional[str]
    customer_phone: Optional[str]
    description: Optional[str]
    customer_email: Optional[str]
    reference: Optional[str]
    redirect_url: Optional[str]
    cancel_url: Optional[str]
    webhook_url: Dict[str, Any]
    metadata: Dict[str, str]


class CreateCollectionAnswer(TypedDict):
    collection_id: str
    reference: Optional[str]
    status: str
    payment_url: str


ExportCollectionsFilters = TypedDict(
    "ExportCollectionsFilters",
    {
        "status": "Any",
        "method": "Any",
        "reference": "Any",
        "phone": "Any",
        "from": "Any",
        "to": "Any",
        "ids": "Any",
    },
    total=False,
)


class GetCollectionAnswer(TypedDict):
    collection_id: str
    reference: Optional[str]
    merchant_reference: Optional[str]
    status: str
    amount: float
    amount_received: Optional[float]
    foreign_amount: Optional[float]
    foreign_currency: Optional[str]
    currency: str
    method: Optional[str]
    customer_name: Optional[str]
    customer_phone: Optional[str]
    fee: Optional[float]
    net_amount: Optional[float]
    environment: str
    provider_payment_status: Optional[str]
    payment_url: Optional[str]
    failure_reason_code: Optional[str]
    failure_reason_message: Optional[str]
    failure_reason_message_sw: Optional[str]
    metadata: Dict[str, str]
    created_at: str
    updated_at: str


class RefreshCollectionAnswer(TypedDict):
    collection_id: str
    reference: Optional[str]
    merchant_reference: Optional[str]
    status: str
    amount: float
    amount_received: Optional[float]
    foreign_amount: Optional[float]
    foreign_currency: Optional[str]
    currency: str
    method: Optional[str]
    customer_name: Optional[str]
    customer_phone: Optional[str]
    fee: Optional[float]
    net_amount: Optional[float]
    environment: str
    provider_payment_status: Optional[str]
    payment_url: Optional[str]
    failure_reason_code: Optional[str]
    failure_reason_message: Optional[str]
    failure_reason_message_sw: Optional[str]
    metadata: Dict[str, str]
    created_at: str
    updated_at: str


class _CreatePaymentLinkInputRequired(TypedDict):
    amount: Amount


class CreatePaymentLinkInput(_CreatePaymentLinkInputRequired, total=False):
    currency: str
    customer_name: Optional[str]
    customer_phone: Optional[str]
    description: Optional[str]
    reference: Optional[str]
    expires_at: Optional[str]
    metadata: Dict[str, str]


class CreatePaymentLinkAnswer(TypedDict):
    id: str
    merchant_id: str
    environment: str
    amount: str
    currency: str
    customer_name: Optional[str]
    customer_phone: Optional[str]
    description: Optional[str]
    reference: Optional[str]
    expires_at: Optional[str]
    status: str
    public_slug: str
    public_url: str
    invoice_id: Optional[str]
    paid_collection_id: Optional[str]
    paid_at: Optional[str]
    metadata: Dict[str, str]
    created_at: str
    updated_at: str


ListPaymentLinksFilters = TypedDict(
    "ListPaymentLinksFilters",
    {
        "page": "int",
        "page_size": "int",
        "status": "Any",
        "from": "Any",
        "to": "Any",
        "metadata": "Any",
    },
    total=False,
)


class ListPaymentLinksItem(TypedDict):
    id: str
    merchant_id: str
    environment: str
    amount: str
    currency: str
    customer_name: Optional[str]
    customer_phone: Optional[str]
    description: Optional[str]
    reference: Optional[str]
    expires_at: Optional[str]
    status: str
    public_slug: str
    public_url: str
    invoice_id: Optional[str]
    paid_collection_id: Optional[str]
    paid_at: Optional[str]
    metadata: Dict[str, str]
    created_at: str
    updated_at: str


class ListPaymentLinksAnswer(TypedDict):
    items: List[ListPaymentLinksItem]
    pagination: Dict[str, int]


ExportPaymentLinksFilters = TypedDict(
    "ExportPaymentLinksFilters",
    {
        "status": "Any",
        "from": "Any",
        "to": "Any",
    },
    total=False,
)


class GetPaymentLinkAnswer(TypedDict):
    id: str
    merchant_id: str
    environment: str
    amount: str
    currency: str
    customer_name: Optional[str]
    customer_phone: Optional[str]
    description: Optional[str]
    reference: Optional[str]
    expires_at: Optional[str]
    status: str
    public_slug: str
    public_url: str
    invoice_id: Optional[str]
    paid_collection_id: Optional[str]
    paid_at: Optional[str]
    metadata: Dict[str, str]
    created_at: str
    updated_at: str


GetPaymentLinkPosterFilters = TypedDict(
    "GetPaymentLinkPosterFilters",
    {
        "language": "Any",
    },
    total=False,
)


ListPaymentLinkCollectionsFilters = TypedDict(
    "ListPaymentLinkCollectionsFilters",
    {
        "page": "int",
        "page_size": "int",
    },
    total=False,
)


class ListPaymentLinkCollectionsItem(TypedDict):
    collection_id: str
    reference: Optional[str]
    merchant_reference: Optional[str]
    status: str
    amount: float
    amount_received: Optional[float]
    foreign_amount: Optional[float]
    foreign_currency: Optional[str]
    currency: str
    method: Optional[str]
    customer_name: Optional[str]
    customer_phone: Optional[str]
    fee: Optional[float]
    net_amount: Optional[float]
    environment: str
    provider_payment_status: Optional[str]
    payment_url: Optional[str]
    failure_reason_code: Optional[str]
    failure_reason_message: Optional[str]
    failure_reason_message_sw: Optional[str]
    metadata: Dict[str, str]
    created_at: str
    updated_at: str


class ListPaymentLinkCollectionsAnswer(TypedDict):
    items: List[ListPaymentLinkCollectionsItem]
    pagination: Dict[str, int]


class CancelPaymentLinkAnswer(TypedDict):
    id: str
    merchant_id: str
    environment: str
    amount: str
    currency: str
    customer_name: Optional[str]
    customer_phone: Optional[str]
    description: Optional[str]
    reference: Optional[str]
    expires_at: Optional[str]
    status: str
    public_slug: str
    public_url: str
    invoice_id: Optional[str]
    paid_collection_id: Optional[str]
    paid_at: Optional[str]
    metadata: Dict[str, str]
    created_at: str
    updated_at: str


ListInvoicesFilters = TypedDict(
    "ListInvoicesFilters",
    {
        "page": "int",
        "page_size": "int",
        "status": "Any",
        "metadata": "Any",
    },
    total=False,
)


class ListInvoicesItem(TypedDict):
    id: str
    merchant_id: str
    environment: str
    number: str
    status: str
    customer_name: str
    customer_phone: Optional[str]
    customer_email: Optional[str]
    due_date: str
    language: str
    currency: str
    items: List[Dict[str, Any]]
    total: str
    note: Optional[str]
    payment_link_id: Optional[str]
    payment_link_status: Optional[str]
    payment_url: Optional[str]
    invoice_url: Optional[str]
    sent_at: Optional[str]
    reminders: int
    paid_at: Optional[str]
    paid_collection_id: Optional[str]
    payment_reversed_at: Optional[str]
    cancelled_at: Optional[str]
    metadata: Dict[str, str]
    created_at: str
    updated_at: str


class ListInvoicesAnswer(TypedDict):
    items: List[ListInvoicesItem]
    pagination: Dict[str, int]


class _CreateInvoiceInputRequired(TypedDict):
    customer_name: str
    due_date: str
    items: List[Dict[str, Any]]


class CreateInvoiceInput(_CreateInvoiceInputRequired, total=False):
    customer_phone: Optional[str]
    customer_email: Optional[str]
    note: Optional[str]
    language: Literal["sw", "en"]
    metadata: Dict[str, str]


class CreateInvoiceAnswer(TypedDict):
    id: str
    merchant_id: str
    environment: str
    number: str
    status: str
    customer_name: str
    customer_phone: Optional[str]
    customer_email: Optional[str]
    due_date: str
    language: str
    currency: str
    items: List[Dict[str, Any]]
    total: str
    note: Optional[str]
    payment_link_id: Optional[str]
    payment_link_status: Optional[str]
    payment_url: Optional[str]
    invoice_url: Optional[str]
    sent_at: Optional[str]
    reminders: int
    paid_at: Optional[str]
    paid_collection_id: Optional[str]
    payment_reversed_at: Optional[str]
    cancelled_at: Optional[str]
    metadata: Dict[str, str]
    created_at: str
    updated_at: str


ExportInvoicesFilters = TypedDict(
    "ExportInvoicesFilters",
    {
        "status": "Any",
    },
    total=False,
)


class GetInvoiceAnswer(TypedDict):
    id: str
    merchant_id: str
    environment: str
    number: str
    status: str
    customer_name: str
    customer_phone: Optional[str]
    customer_email: Optional[str]
    due_date: str
    language: str
    currency: str
    items: List[Dict[str, Any]]
    total: str
    note: Optional[str]
    payment_link_id: Optional[str]
    payment_link_status: Optional[str]
    payment_url: Optional[str]
    invoice_url: Optional[str]
    sent_at: Optional[str]
    reminders: int
    paid_at: Optional[str]
    paid_collection_id: Optional[str]
    payment_reversed_at: Optional[str]
    cancelled_at: Optional[str]
    metadata: Dict[str, str]
    created_at: str
    updated_at: str


class UpdateInvoiceInput(TypedDict, total=False):
    customer_name: str
    customer_phone: Optional[str]
    customer_email: Optional[str]
    due_date: str
    items: List[Dict[str, Any]]
    note: Optional[str]
    language: Literal["sw", "en"]
    metadata: Dict[str, str]


class UpdateInvoiceAnswer(TypedDict):
    id: str
    merchant_id: str
    environment: str
    number: str
    status: str
    customer_name: str
    customer_phone: Optional[str]
    customer_email: Optional[str]
    due_date: str
    language: str
    currency: str
    items: List[Dict[str, Any]]
    total: str
    note: Optional[str]
    payment_link_id: Optional[str]
    payment_link_status: Optional[str]
    payment_url: Optional[str]
    invoice_url: Optional[str]
    sent_at: Optional[str]
    reminders: int
    paid_at: Optional[str]
    paid_collection_id: Optional[str]
    payment_reversed_at: Optional[str]
    cancelled_at: Optional[str]
    metadata: Dict[str, str]
    created_at: str
    updated_at: str


class SendInvoiceAnswer(TypedDict):
    id: str
    merchant_id: str
    environment: str
    number: str
    status: str
    customer_name: str
    customer_phone: Optional[str]
    customer_email: Optional[str]
    due_date: str
    language: str
    currency: str
    items: List[Dict[str, Any]]
    total: str
    note: Optional[str]
    payment_link_id: Optional[str]
    payment_link_status: Optional[str]
    payment_url: Optional[str]
    invoice_url: Optional[str]
    sent_at: Optional[str]
    reminders: int
    paid_at: Optional[str]
    paid_collection_id: Optional[str]
    payment_reversed_at: Optional[str]
    cancelled_at: Optional[str]
    metadata: Dict[str, str]
    created_at: str
    updated_at: str


class CancelInvoiceAnswer(TypedDict):
    id: str
    merchant_id: str
    environment: str
    number: str
    status: str
    customer_name: str
    customer_phone: Optional[str]
    customer_email: Optional[str]
    due_date: str
    language: str
    currency: str
    items: List[Dict[str, Any]]
    total: str
    note: Optional[str]
    payment_link_id: Optional[str]
    payment_link_status: Optional[str]
    payment_url: Optional[str]
    invoice_url: Optional[str]
    sent_at: Optional[str]
    reminders: int
    paid_at: Optional[str]
    paid_collection_id: Optional[str]
    payment_reversed_at: Optional[str]
    cancelled_at: Optional[str]
    metadata: Dict[str, str]
    created_at: str
    updated_at: str


class CreateInvoicePaymentLinkAnswer(TypedDict):
    id: str
    merchant_id: str
    environment: str
    amount: str
    currency: str
    customer_name: Optional[str]
    customer_phone: Optional[str]
    description: Optional[str]
    reference: Optional[str]
    expires_at: Optional[str]
    status: str
    public_slug: str
    public_url: str
    invoice_id: Optional[str]
    paid_collection_id: Optional[str]
    paid_at: Optional[str]
    metadata: Dict[str, str]
    created_at: str
    updated_at: str


ListDestinationsFilters = TypedDict(
    "ListDestinationsFilters",
    {
        "method": "Any",
    },
    total=False,
)


class ListDestinationsAnswer(TypedDict):
    items: List[Dict[str, Any]]


class _CreateProviderPesaDisbursementInputRequired(TypedDict):
    amount: Amount
    destination_identifier: str


class CreateProviderPesaDisbursementInput(_CreateProviderPesaDisbursementInputRequired, total=False):
    currency: str
    destination_name: str
    destination_code: str
    reference: str
    metadata: Dict[str, str]


class CreateProviderPesaDisbursementAnswer(TypedDict):
    id: str
    merchant_id: str
    environment: str
    method: str
    amount: str
    currency: str
    destination_name: Optional[str]
    destination_identifier: str
    destination_code: str
    bank_name: Optional[str]
    reference: Optional[str]
    merchant_reference: Optional[str]
    status: str
    requires_approval: bool
    status_reason: Optional[str]
    failure_reason_code: Optional[str]
    failure_reason_message: Optional[str]
    failure_reason_message_sw: Optional[str]
    processor_charge: str
    infinity_fee: str
    percentage_fee: str
    flat_fee: str
    total_charges: str
    total_reserved_amount: str
    recipient_net_amount: str
    pricing_rule_id: Optional[str]
    pricing_rule_label: Optional[str]
    processor_fee_pass_through: bool
    provider_reference: Optional[str]
    transaction_reference: Optional[str]
    metadata: Dict[str, str]
    initiated_at: str
    completed_at: Optional[str]
    created_at: str
    updated_at: str


class _CreateMobileMoneyDisbursementInputRequired(TypedDict):
    amount: Amount
    destination_identifier: str
    destination_code: str


class CreateMobileMoneyDisbursementInput(_CreateMobileMoneyDisbursementInputRequired, total=False):
    currency: str
    destination_name: str
    reference: str
    metadata: Dict[str, str]


class CreateMobileMoneyDisbursementAnswer(TypedDict):
    id: str
    merchant_id: str
    environment: str
    method: str
    amount: str
    currency: str
    destination_name: Optional[str]
    destination_identifier: str
    destination_code: str
    bank_name: Optional[str]
    reference: Optional[str]
    merchant_reference: Optional[str]
    status: str
    requires_approval: bool
    status_reason: Optional[str]
    failure_reason_code: Optional[str]
    failure_reason_message: Optional[str]
    failure_reason_message_sw: Optional[str]
    processor_charge: str
    infinity_fee: str
    percentage_fee: str
    flat_fee: str
    total_charges: str
    total_reserved_amount: str
    recipient_net_amount: str
    pricing_rule_id: Optional[str]
    pricing_rule_label: Optional[str]
    processor_fee_pass_through: bool
    provider_reference: Optional[str]
    transaction_reference: Optional[str]
    metadata: Dict[str, str]
    initiated_at: str
    completed_at: Optional[str]
    created_at: str
    updated_at: str


class _CreateBankAccountDisbursementInputRequired(TypedDict):
    amount: Amount
    destination_identifier: str
    destination_code: str
    bank_name: str


class CreateBankAccountDisbursementInput(_CreateBankAccountDisbursementInputRequired, total=False):
    currency: str
    destination_name: str
    reference: str
    metadata: Dict[str, str]


class CreateBankAccountDisbursementAnswer(TypedDict):
    id: str
    merchant_id: str
    environment: str
    method: str
    amount: str
    currency: str
    destination_name: Optional[str]
    destination_identifier: str
    destination_code: str
    bank_name: Optional[str]
    reference: Optional[str]
    merchant_reference: Optional[str]
    status: str
    requires_approval: bool
    status_reason: Optional[str]
    failure_reason_code: Optional[str]
    failure_reason_message: Optional[str]
    failure_reason_message_sw: Optional[str]
    processor_charge: str
    infinity_fee: str
    percentage_fee: str
    flat_fee: str
    total_charges: str
    total_reserved_amount: str
    recipient_net_amount: str
    pricing_rule_id: Optional[str]
    pricing_rule_label: Optional[str]
    processor_fee_pass_through: bool
    provider_reference: Optional[str]
    transaction_reference: Optional[str]
    metadata: Dict[str, str]
    initiated_at: str
    completed_at: Optional[str]
    created_at: str
    updated_at: str


ListDisbursementsFilters = TypedDict(
    "ListDisbursementsFilters",
    {
        "page": "int",
        "page_size": "int",
        "status": "Any",
        "method": "Any",
        "reference": "Any",
        "from": "Any",
        "to": "Any",
        "metadata": "Any",
    },
    total=False,
)


class ListDisbursementsItem(TypedDict):
    id: str
    merchant_id: str
    environment: str
    method: str
    amount: str
    currency: str
    destination_name: Optional[str]
    destination_identifier: str
    destination_code: str
    bank_name: Optional[str]
    reference: Optional[str]
    merchant_reference: Optional[str]
    status: str
    requires_approval: bool
    status_reason: Optional[str]
    failure_reason_code: Optional[str]
    failure_reason_message: Optional[str]
    failure_reason_message_sw: Optional[str]
    processor_charge: str
    infinity_fee: str
    percentage_fee: str
    flat_fee: str
    total_charges: str
    total_reserved_amount: str
    recipient_net_amount: str
    pricing_rule_id: Optional[str]
    pricing_rule_label: Optional[str]
    processor_fee_pass_through: bool
    provider_reference: Optional[str]
    transaction_reference: Optional[str]
    metadata: Dict[str, str]
    initiated_at: str
    completed_at: Optional[str]
    created_at: str
    updated_at: str


class ListDisbursementsAnswer(TypedDict):
    items: List[ListDisbursementsItem]
    pagination: Dict[str, int]


class GetDisbursementAnswer(TypedDict):
    id: str
    merchant_id: str
    environment: str
    method: str
    amount: str
    currency: str
    destination_name: Optional[str]
    destination_identifier: str
    destination_code: str
    bank_name: Optional[str]
    reference: Optional[str]
    merchant_reference: Optional[str]
    status: str
    requires_approval: bool
    status_reason: Optional[str]
    failure_reason_code: Optional[str]
    failure_reason_message: Optional[str]
    failure_reason_message_sw: Optional[str]
    processor_charge: str
    infinity_fee: str
    percentage_fee: str
    flat_fee: str
    total_charges: str
    total_reserved_amount: str
    recipient_net_amount: str
    pricing_rule_id: Optional[str]
    pricing_rule_label: Optional[str]
    processor_fee_pass_through: bool
    provider_reference: Optional[str]
    transaction_reference: Optional[str]
    metadata: Dict[str, str]
    initiated_at: str
    completed_at: Optional[str]
    created_at: str
    updated_at: str
    history: List[Dict[str, Any]]


class GetPayoutLimitsAnswer(TypedDict):
    daily_limit: Optional[str]
    approved_today: str
    daily_limit_per_destination: Optional[str]


class CancelDisbursementInput(TypedDict, total=False):
    pass


class CancelDisbursementAnswer(TypedDict):
    id: str
    merchant_id: str
    environment: str
    method: str
    amount: str
    currency: str
    destination_name: Optional[str]
    destination_identifier: str
    destination_code: str
    bank_name: Optional[str]
    reference: Optional[str]
    merchant_reference: Optional[str]
    status: str
    requires_approval: bool
    status_reason: Optional[str]
    failure_reason_code: Optional[str]
    failure_reason_message: Optional[str]
    failure_reason_message_sw: Optional[str]
    processor_charge: str
    infinity_fee: str
    percentage_fee: str
    flat_fee: str
    total_charges: str
    total_reserved_amount: str
    recipient_net_amount: str
    pricing_rule_id: Optional[str]
    pricing_rule_label: Optional[str]
    processor_fee_pass_through: bool
    provider_reference: Optional[str]
    transaction_reference: Optional[str]
    metadata: Dict[str, str]
    initiated_at: str
    completed_at: Optional[str]
    created_at: str
    updated_at: str


class SimulateDisbursementInput(TypedDict):
    outcome: Literal["SUCCESS", "FAILED", "REJECTED", "INFO_REQUESTED", "NEEDS_RECONCILIATION", "BLOCKED_IP_WHITELIST", "REVERSED"]


class SimulateDisbursementAnswer(TypedDict):
    id: str
    merchant_id: str
    environment: str
    method: str
    amount: str
    currency: str
    destination_name: Optional[str]
    destination_identifier: str
    destination_code: str
    bank_name: Optional[str]
    reference: Optional[str]
    merchant_reference: Optional[str]
    status: str
    requires_approval: bool
    status_reason: Optional[str]
    failure_reason_code: Optional[str]
    failure_reason_message: Optional[str]
    failure_reason_message_sw: Optional[str]
    processor_charge: str
    infinity_fee: str
    percentage_fee: str
    flat_fee: str
    total_charges: str
    total_reserved_amount: str
    recipient_net_amount: str
    pricing_rule_id: Optional[str]
    pricing_rule_label: Optional[str]
    processor_fee_pass_through: bool
    provider_reference: Optional[str]
    transaction_reference: Optional[str]
    metadata: Dict[str, str]
    initiated_at: str
    completed_at: Optional[str]
    created_at: str
    updated_at: str


class _GetWebhookConfigAnswerRequired(TypedDict):
    webhook_url: str
    events: List[str]
    secret_last4: str


class GetWebhookConfigAnswer(_GetWebhookConfigAnswerRequired, total=False):
    secret: str


class UpdateWebhookConfigInput(TypedDict, total=False):
    webhook_url: str
    events: List[Literal["collection.success", "collection.failed", "collection.reversed", "collection.pending_review", "disbursement.success", "disbursement.failed", "disbursement.reversed", "disbursement.approved", "disbursement.info_requested", "payment_link.paid", "invoice.paid", "invoice.overdue", "balance.low", "collection.successful"]]
    rotate_secret: bool


class _UpdateWebhookConfigAnswerRequired(TypedDict):
    webhook_url: str
    events: List[str]
    secret_last4: str


class UpdateWebhookConfigAnswer(_UpdateWebhookConfigAnswerRequired, total=False):
    secret: str


class UpdateWebhookConfigAnswerWithSecret(_UpdateWebhookConfigAnswerRequired):
    secret: str


class TestWebhookAnswer(TypedDict):
    id: str
    event: str
    environment: str
    endpoint_id: str
    status: str
    payload: Dict[str, Any]
    attempts: List[Dict[str, Any]]
    delivered_at: Optional[str]
    next_attempt_at: Optional[str]
    created_at: str


class ListWebhookEndpointsAnswer(TypedDict):
    items: List[Dict[str, Any]]
    limit: int


class _CreateWebhookEndpointInputRequired(TypedDict):
    webhook_url: str


class CreateWebhookEndpointInput(_CreateWebhookEndpointInputRequired, total=False):
    events: List[Literal["collection.success", "collection.failed", "collection.reversed", "collection.pending_review", "disbursement.success", "disbursement.failed", "disbursement.reversed", "disbursement.approved", "disbursement.info_requested", "payment_link.paid", "invoice.paid", "invoice.overdue", "balance.low", "collection.successful"]]
    description: str


class _CreateWebhookEndpointAnswerRequired(TypedDict):
    webhook_url: str
    events: List[str]
    secret_last4: str
    id: str
    environment: str
    description: Optional[str]
    created_at: str


class CreateWebhookEndpointAnswer(_CreateWebhookEndpointAnswerRequired, total=False):
    secret: str


class CreateWebhookEndpointAnswerWithSecret(_CreateWebhookEndpointAnswerRequired):
    secret: str


class _GetWebhookEndpointAnswerRequired(TypedDict):
    webhook_url: str
    events: List[str]
    secret_last4: str
    id: str
    environment: str
    description: Optional[str]
    created_at: str


class GetWebhookEndpointAnswer(_GetWebhookEndpointAnswerRequired, total=False):
    secret: str


class UpdateWebhookEndpointInput(TypedDict, total=False):
    webhook_url: str
    events: List[Literal["collection.success", "collection.failed", "collection.reversed", "collection.pending_review", "disbursement.success", "disbursement.failed", "disbursement.reversed", "disbursement.approved", "disbursement.info_requested", "payment_link.paid", "invoice.paid", "invoice.overdue", "balance.low", "collection.successful"]]
    description: Optional[str]
    rotate_secret: bool


class _UpdateWebhookEndpointAnswerRequired(TypedDict):
    webhook_url: str
    events: List[str]
    secret_last4: str
    id: str
    environment: str
    description: Optional[str]
    created_at: str


class UpdateWebhookEndpointAnswer(_UpdateWebhookEndpointAnswerRequired, total=False):
    secret: str


class UpdateWebhookEndpointAnswerWithSecret(_UpdateWebhookEndpointAnswerRequired):
    secret: str


class DeleteWebhookEndpointAnswer(TypedDict):
    id: str
    deleted: bool


class TestWebhookEndpointAnswer(TypedDict):
    id: str
    event: str
    environment: str
    endpoint_id: str
    status: str
    payload: Dict[str, Any]
    attempts: List[Dict[str, Any]]
    delivered_at: Optional[str]
    next_attempt_at: Optional[str]
    created_at: str


ListWebhookDeliveriesFilters = TypedDict(
    "ListWebhookDeliveriesFilters",
    {
        "page": "int",
        "page_size": "int",
        "status": "Any",
        "event": "Any",
        "endpoint_id": "Any",
        "from": "Any",
        "to": "Any",
    },
    total=False,
)


class ListWebhookDeliveriesItem(TypedDict):
    id: str
    event: str
    environment: str
    endpoint_id: str
    status: str
    payload: Dict[str, Any]
    attempts: List[Dict[str, Any]]
    delivered_at: Optional[str]
    next_attempt_at: Optional[str]
    created_at: str


class ListWebhookDeliveriesAnswer(TypedDict):
    items: List[ListWebhookDeliveriesItem]
    pagination: Dict[str, int]


class GetWebhookDeliveryAnswer(TypedDict):
    id: str
    event: str
    environment: str
    endpoint_id: str
    status: str
    payload: Dict[str, Any]
    attempts: List[Dict[str, Any]]
    delivered_at: Optional[str]
    next_attempt_at: Optional[str]
    created_at: str


class _ReplayWebhookDeliveriesInputRequired(TypedDict):
    since: str


class ReplayWebhookDeliveriesInput(_ReplayWebhookDeliveriesInputRequired, total=False):
    until: str
    event: Literal["collection.success", "collection.failed", "collection.reversed", "collection.pending_review", "disbursement.success", "disbursement.failed", "disbursement.reversed", "disbursement.approved", "disbursement.info_requested", "payment_link.paid", "invoice.paid", "invoice.overdue", "balance.low", "collection.successful"]
    endpoint_id: str
    status: Literal["failed", "delivered", "all"]


class ReplayWebhookDeliveriesAnswer(TypedDict):
    queued: int
    more: bool
    next_since: Optional[str]


class ReplayWebhookDeliveryAnswer(TypedDict):
    id: str
    event: str
    environment: str
    endpoint_id: str
    status: str
    payload: Dict[str, Any]
    attempts: List[Dict[str, Any]]
    delivered_at: Optional[str]
    next_attempt_at: Optional[str]
    created_at: str


ListEventsFilters = TypedDict(
    "ListEventsFilters",
    {
        "page": "int",
        "page_size": "int",
        "event": "Any",
        "after": "Any",
        "from": "Any",
        "to": "Any",
    },
    total=False,
)


class ListEventsItem(TypedDict):
    id: str
    event: str
    environment: str
    created_at: str
    data: Dict[str, Any]


class ListEventsAnswer(TypedDict):
    items: List[ListEventsItem]
    pagination: Dict[str, int]


StreamEventsFilters = TypedDict(
    "StreamEventsFilters",
    {
        "event": "Any",
        "after": "Any",
    },
    total=False,
)


ListRequestsFilters = TypedDict(
    "ListRequestsFilters",
    {
        "page": "int",
        "page_size": "int",
        "status": "Any",
        "from": "Any",
        "to": "Any",
    },
    total=False,
)


class ListRequestsItem(TypedDict):
    id: str
    at: str
    request_id: Optional[str]
    method: Optional[str]
    path: Optional[str]
    status: Optional[int]
    duration_ms: Optional[int]
    error_code: Optional[str]
    key_id: Optional[str]
    key_name: Optional[str]
    not_kept: int


class ListRequestsAnswer(TypedDict):
    items: List[ListRequestsItem]
    pagination: Dict[str, int]


class GetBalanceAnswer(TypedDict):
    available: str
    reserved: str
    held: str
    currency: str


ListTransactionsFilters = TypedDict(
    "ListTransactionsFilters",
    {
        "page": "int",
        "page_size": "int",
        "type": "Any",
        "from": "Any",
        "to": "Any",
    },
    total=False,
)


class ListTransactionsItem(TypedDict):
    reference: str
    sequence: int
    type: str
    direction: str
    amount: str
    fee: str
    net_amount: str
    currency: str
    status: str
    balance_after: str
    collection_id: Optional[str]
    withdrawal_id: Optional[str]
    merchant_reference: Optional[str]
    environment: str
    created_at: str


class ListTransactionsAnswer(TypedDict):
    items: List[ListTransactionsItem]
    pagination: Dict[str, int]


class GetTransactionAnswer(TypedDict):
    reference: str
    sequence: int
    type: str
    direction: str
    amount: str
    fee: str
    net_amount: str
    currency: str
    status: str
    balance_after: str
    collection_id: Optional[str]
    withdrawal_id: Optional[str]
    merchant_reference: Optional[str]
    environment: str
    created_at: str


ExportTransactionsFilters = TypedDict(
    "ExportTransactionsFilters",
    {
        "type": "Any",
        "from": "Any",
        "to": "Any",
    },
    total=False,
)


GetStatementFilters = TypedDict(
    "GetStatementFilters",
    {
        "format": "Any",
    },
    total=False,
)


GetStatementAnswer = TypedDict(
    "GetStatementAnswer",
    {
        "merchant_id": "str",
        "environment": "str",
        "period": "str",
        "from": "str",
        "to": "str",
        "final": "bool",
        "currency": "str",
        "opening_balance": "str",
        "closing_balance": "str",
        "lines": "List[Dict[str, Any]]",
    },
)


class GetMeAnswer(TypedDict):
    merchant_id: str
    merchant_name: str
    merchant_code: str
    environment: str
    scopes: List[str]
    key_id: str
    key_name: str


class GetCollectionTimelineAnswer(TypedDict):
    items: List[Dict[str, Any]]
    complete: bool
