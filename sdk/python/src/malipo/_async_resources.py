"""The resources of the API for asyncio. `npm run generate` makes this file from _resources.py; do not edit it."""

from __future__ import annotations

from typing import TYPE_CHECKING, AsyncIterator, Optional

from . import types as t
from ._requester import segment

if TYPE_CHECKING:
    from ._client import AsyncRequester


class ApiResource:
    """The base of every resource, which sends the calls by a requester."""

    def __init__(self, http: AsyncRequester) -> None:
        self._http = http


class Me(ApiResource):
    """The API key of the client, and its merchant."""

    async def get(self, *, timeout: Optional[float] = None) -> t.GetMeAnswer:
        """Returns the merchant, the environment and the scopes of the key. This call also tests the connection."""
        return await self._http.get("/v1/me", None, timeout)


class Collections(ApiResource):
    """Payments from customers. Only the status `successful` means paid."""

    async def create(
        self, input: t.CreateCollectionInput, *, idempotency_key: Optional[str] = None, timeout: Optional[float] = None
    ) -> t.CreateCollectionAnswer:
        """Creates a payment with a hosted page: redirect the customer to payment_url."""
        return await self._http.change("POST", "/v1/collections", input, idempotency_key, timeout)

    async def create_wallet_push(
        self, input: t.CreateWalletPushInput, *, idempotency_key: Optional[str] = None, timeout: Optional[float] = None
    ) -> t.CreateWalletPushAnswer:
        """Sends a mobile-money prompt to a phone. The answer says that the API took the request, not that the payer paid."""
        return await self._http.change("POST", "/v1/collections/wallet-push", input, idempotency_key, timeout)

    async def create_provider_pesa(
        self,
        input: t.CreateProviderPesaPushInput,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> t.CreateProviderPesaPushAnswer:
        """Sends a prompt to a Provider Pesa wallet."""
        return await self._http.change("POST", "/v1/collections/provider-pesa", input, idempotency_key, timeout)

    async def create_qr(
        self,
        input: t.CreateQrCollectionInput,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> t.CreateQrCollectionAnswer:
        """Creates a payment by QR code. Show qr_payload unchanged as a QR code."""
        return await self._http.change("POST", "/v1/collections/qr", input, idempotency_key, timeout)

    async def get(self, collection_id: str, *, timeout: Optional[float] = None) -> t.GetCollectionAnswer:
        """Returns a payment with its current status."""
        path = "/v1/collections/" + segment(collection_id, "collection_id")
        return await self._http.get(path, None, timeout)

    def list(
        self, filters: Optional[t.ListCollectionsFilters] = None, *, timeout: Optional[float] = None
    ) -> AsyncIterator[t.ListCollectionsItem]:
        """Yields payments, newest first, over all pages."""
        return self._http.pages("/v1/collections", filters, "collection_id", timeout)

    async def list_page(
        self, filters: Optional[t.ListCollectionsFilters] = None, *, timeout: Optional[float] = None
    ) -> t.ListCollectionsAnswer:
        """Returns one page of payments: items and pagination."""
        return await self._http.get("/v1/collections", filters, timeout)

    async def refresh_status(
        self, collection_id: str, *, idempotency_key: Optional[str] = None, timeout: Optional[float] = None
    ) -> t.RefreshCollectionAnswer:
        """Makes the API query the provider, and returns the payment with its current status."""
        path = "/v1/collections/" + segment(collection_id, "collection_id") + "/refresh-status"
        return await self._http.change("POST", path, {}, idempotency_key, timeout)

    async def timeline(self, collection_id: str, *, timeout: Optional[float] = None) -> t.GetCollectionTimelineAnswer:
        """Returns the steps of a payment, such as requests, attempts, statuses and webhooks."""
        path = "/v1/collections/" + segment(collection_id, "collection_id") + "/timeline"
        return await self._http.get(path, None, timeout)

    async def export(self, filters: Optional[t.ExportCollectionsFilters] = None, *, timeout: Optional[float] = None) -> bytes:
        """Returns the CSV file of payments. The whole file is in memory."""
        return await self._http.file("/v1/collections/export.csv", filters, timeout)


class PaymentLinks(ApiResource):
    """Links to a page that takes one payment of a fixed amount."""

    async def create(
        self, input: t.CreatePaymentLinkInput, *, idempotency_key: Optional[str] = None, timeout: Optional[float] = None
    ) -> t.CreatePaymentLinkAnswer:
        """Creates a link. Send its public_url to the customer."""
        return await self._http.change("POST", "/v1/payment-links", input, idempotency_key, timeout)

    async def get(self, link_id: str, *, timeout: Optional[float] = None) -> t.GetPaymentLinkAnswer:
        """Returns a link with its current status."""
        path = "/v1/payment-links/" + segment(link_id, "link_id")
        return await self._http.get(path, None, timeout)

    def list(
        self, filters: Optional[t.ListPaymentLinksFilters] = None, *, timeout: Optional[float] = None
    ) -> AsyncIterator[t.ListPaymentLinksItem]:
        """Yields links, newest first, over all pages."""
        return self._http.pages("/v1/payment-links", filters, "id", timeout)

    async def list_page(
        self, filters: Optional[t.ListPaymentLinksFilters] = None, *, timeout: Optional[float] = None
    ) -> t.ListPaymentLinksAnswer:
        """Returns one page of links: items and pagination."""
        return await self._http.get("/v1/payment-links", filters, timeout)

    async def cancel(
        self, link_id: str, *, idempotency_key: Optional[str] = None, timeout: Optional[float] = None
    ) -> t.CancelPaymentLinkAnswer:
        """Cancels a link that no payer has paid."""
        path = "/v1/payment-links/" + segment(link_id, "link_id") + "/cancel"
        return await self._http.change("POST", path, {}, idempotency_key, timeout)

    def list_collections(
        self,
        link_id: str,
        filters: Optional[t.ListPaymentLinkCollectionsFilters] = None,
        *,
        timeout: Optional[float] = None,
    ) -> AsyncIterator[t.ListPaymentLinkCollectionsItem]:
        """Yields the payments of a link, newest first, over all pages."""
        path = "/v1/payment-links/" + segment(link_id, "link_id") + "/collections"
        return self._http.pages(path, filters, "collection_id", timeout)

    async def poster(
        self, link_id: str, filters: Optional[t.GetPaymentLinkPosterFilters] = None, *, timeout: Optional[float] = None
    ) -> bytes:
        """Returns a PDF poster of the link."""
        path = "/v1/payment-links/" + segment(link_id, "link_id") + "/poster.pdf"
        return await self._http.file(path, filters, timeout)

    async def export(
        self, filters: Optional[t.ExportPaymentLinksFilters] = None, *, timeout: Optional[float] = None
    ) -> bytes:
        """Returns the CSV file of links. The whole file is in memory."""
        return await self._http.file("/v1/payment-links/export.csv", filters, timeout)


class Invoices(ApiResource):
    """Invoices to customers, each with a payment link."""

    async def create(
        self, input: t.CreateInvoiceInput, *, idempotency_key: Optional[str] = None, timeout: Optional[float] = None
    ) -> t.CreateInvoiceAnswer:
        """Creates an invoice as a draft, which the customer does not get yet."""
        return await self._http.change("POST", "/v1/invoices", input, idempotency_key, timeout)

    async def get(self, invoice_id: str, *, timeout: Optional[float] = None) -> t.GetInvoiceAnswer:
        """Returns an invoice with its current status."""
        path = "/v1/invoices/" + segment(invoice_id, "invoice_id")
        return await self._http.get(path, None, timeout)

    def list(
        self, filters: Optional[t.ListInvoicesFilters] = None, *, timeout: Optional[float] = None
    ) -> AsyncIterator[t.ListInvoicesItem]:
        """Yields invoices, newest first, over all pages."""
        return self._http.pages("/v1/invoices", filters, "id", timeout)

    async def list_page(
        self, filters: Optional[t.ListInvoicesFilters] = None, *, timeout: Optional[float] = None
    ) -> t.ListInvoicesAnswer:
        """Returns one page of invoices: items and pagination."""
        return await self._http.get("/v1/invoices", filters, timeout)

    async def update(
        self,
        invoice_id: str,
        input: t.UpdateInvoiceInput,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> t.UpdateInvoiceAnswer:
        """Changes an invoice that is still a draft."""
        path = "/v1/invoices/" + segment(invoice_id, "invoice_id")
        return await self._http.change("PATCH", path, input, idempotency_key, timeout)

    async def send(
        self, invoice_id: str, *, idempotency_key: Optional[str] = None, timeout: Optional[float] = None
    ) -> t.SendInvoiceAnswer:
        """Sends an invoice, with a payment link, to its customer."""
        path = "/v1/invoices/" + segment(invoice_id, "invoice_id") + "/send"
        return await self._http.change("POST", path, {}, idempotency_key, timeout)

    async def cancel(
        self, invoice_id: str, *, idempotency_key: Optional[str] = None, timeout: Optional[float] = None
    ) -> t.CancelInvoiceAnswer:
        """Cancels an invoice that no payer has paid."""
        path = "/v1/invoices/" + segment(invoice_id, "invoice_id") + "/cancel"
        return await self._http.change("POST", path, {}, idempotency_key, timeout)

    async def create_payment_link(
        self, invoice_id: str, *, idempotency_key: Optional[str] = None, timeout: Optional[float] = None
    ) -> t.CreateInvoicePaymentLinkAnswer:
        """Creates the payment link of an invoice. If the invoice has an active link, returns that link."""
        path = "/v1/invoices/" + segment(invoice_id, "invoice_id") + "/payment-link"
        return await self._http.change("POST", path, {}, idempotency_key, timeout)

    async def export(self, filters: Optional[t.ExportInvoicesFilters] = None, *, timeout: Optional[float] = None) -> bytes:
        """Returns the CSV file of invoices. The whole file is in memory."""
        return await self._http.file("/v1/invoices/export.csv", filters, timeout)


class Disbursements(ApiResource):
    """Payouts. An operator must approve each payout. Only the status `SUCCESS` means that the receiver got the money."""

    async def create_mobile_money(
        self,
        input: t.CreateMobileMoneyDisbursementInput,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> t.CreateMobileMoneyDisbursementAnswer:
        """Submits a payout to a mobile-money number."""
        return await self._http.change("POST", "/v1/disbursements/mobile-money", input, idempotency_key, timeout)

    async def create_provider_pesa(
        self,
        input: t.CreateProviderPesaDisbursementInput,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> t.CreateProviderPesaDisbursementAnswer:
        """Submits a payout to a Provider Pesa wallet."""
        return await self._http.change("POST", "/v1/disbursements/provider-pesa", input, idempotency_key, timeout)

    async def create_bank_account(
        self,
        input: t.CreateBankAccountDisbursementInput,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> t.CreateBankAccountDisbursementAnswer:
        """Submits a payout to a bank account."""
        return await self._http.change("POST", "/v1/disbursements/bank-account", input, idempotency_key, timeout)

    async def get(self, disbursement_id: str, *, timeout: Optional[float] = None) -> t.GetDisbursementAnswer:
        """Returns a payout with its history."""
        path = "/v1/disbursements/" + segment(disbursement_id, "disbursement_id")
        return await self._http.get(path, None, timeout)

    def list(
        self, filters: Optional[t.ListDisbursementsFilters] = None, *, timeout: Optional[float] = None
    ) -> AsyncIterator[t.ListDisbursementsItem]:
        """Yields payouts, newest first, over all pages."""
        return self._http.pages("/v1/disbursements", filters, "id", timeout)

    async def list_page(
        self, filters: Optional[t.ListDisbursementsFilters] = None, *, timeout: Optional[float] = None
    ) -> t.ListDisbursementsAnswer:
        """Returns one page of payouts: items and pagination."""
        return await self._http.get("/v1/disbursements", filters, timeout)

    async def cancel(
        self, disbursement_id: str, *, idempotency_key: Optional[str] = None, timeout: Optional[float] = None
    ) -> t.CancelDisbursementAnswer:
        """Cancels a payout that no operator has approved."""
        path = "/v1/disbursements/" + segment(disbursement_id, "disbursement_id") + "/cancel"
        return await self._http.change("POST", path, {}, idempotency_key, timeout)

    async def simulate(
        self,
        disbursement_id: str,
        input: t.SimulateDisbursementInput,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> t.SimulateDisbursementAnswer:
        """Simulates the operator and the provider for a sandbox payout."""
        path = "/v1/sandbox/disbursements/" + segment(disbursement_id, "disbursement_id") + "/simulate"
        return await self._http.change("POST", path, input, idempotency_key, timeout)

    async def limits(self, *, timeout: Optional[float] = None) -> t.GetPayoutLimitsAnswer:
        """Returns the daily payout limits of the merchant, and today's sum."""
        return await self._http.get("/v1/merchant/payout-limits", None, timeout)


class Destinations(ApiResource):
    """The networks and banks that can receive payouts."""

    async def list(
        self, filters: Optional[t.ListDestinationsFilters] = None, *, timeout: Optional[float] = None
    ) -> t.ListDestinationsAnswer:
        """Returns all destinations, or those of one payout method."""
        return await self._http.get("/v1/destinations", filters, timeout)


class Transactions(ApiResource):
    """The transactions of the merchant: each change of the balance."""

    async def get(self, reference: str, *, timeout: Optional[float] = None) -> t.GetTransactionAnswer:
        """Returns a transaction by its reference (TXN-...)."""
        path = "/v1/transactions/" + segment(reference, "reference")
        return await self._http.get(path, None, timeout)

    def list(
        self, filters: Optional[t.ListTransactionsFilters] = None, *, timeout: Optional[float] = None
    ) -> AsyncIterator[t.ListTransactionsItem]:
        """Yields transactions, newest first, over all pages."""
        return self._http.pages("/v1/merchants/me/transactions", filters, "reference", timeout)

    async def list_page(
        self, filters: Optional[t.ListTransactionsFilters] = None, *, timeout: Optional[float] = None
    ) -> t.ListTransactionsAnswer:
        """Returns one page of transactions: items and pagination."""
        return await self._http.get("/v1/merchants/me/transactions", filters, timeout)

    async def export(
        self, filters: Optional[t.ExportTransactionsFilters] = None, *, timeout: Optional[float] = None
    ) -> bytes:
        """Returns the CSV file of transactions. The whole file is in memory."""
        return await self._http.file("/v1/merchants/me/transactions/export", filters, timeout)

    async def statement(self, period: str, *, timeout: Optional[float] = None) -> t.GetStatementAnswer:
        """Returns the statement of a month (2026-01) or a day (2026-01-05)."""
        path = "/v1/merchants/me/statements/" + segment(period, "period")
        return await self._http.get(path, None, timeout)

    async def statement_file(
        self, period: str, filters: Optional[t.GetStatementFilters] = None, *, timeout: Optional[float] = None
    ) -> bytes:
        """Returns the statement as a file, in CSV by default."""
        path = "/v1/merchants/me/statements/" + segment(period, "period")
        return await self._http.file(path, filters or {"format": "csv"}, timeout)


class Balance(ApiResource):
    """The balance of the merchant in the environment of the key."""

    async def get(self, *, timeout: Optional[float] = None) -> t.GetBalanceAnswer:
        """Returns available, reserved, held and currency."""
        return await self._http.get("/v1/balance", None, timeout)


class WebhookEndpoints(ApiResource):
    """The endpoints that receive webhooks, beside the default endpoint."""

    async def create(
        self,
        input: t.CreateWebhookEndpointInput,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> t.CreateWebhookEndpointAnswerWithSecret:
        """Adds an endpoint. Store its secret, because no later answer has it."""
        return await self._http.change_with_secret("POST", "/v1/merchant/webhook-endpoints", input, idempotency_key, timeout)

    async def get(self, endpoint_id: str, *, timeout: Optional[float] = None) -> t.GetWebhookEndpointAnswer:
        """Returns an endpoint, without its secret."""
        path = "/v1/merchant/webhook-endpoints/" + segment(endpoint_id, "endpoint_id")
        return await self._http.get(path, None, timeout)

    async def list(self, *, timeout: Optional[float] = None) -> t.ListWebhookEndpointsAnswer:
        """Returns all endpoints, and the greatest allowed number of endpoints (limit)."""
        return await self._http.get("/v1/merchant/webhook-endpoints", None, timeout)

    async def update(
        self,
        endpoint_id: str,
        input: t.UpdateWebhookEndpointInput,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> t.UpdateWebhookEndpointAnswer:
        """Changes an endpoint. A field that you omit keeps its value."""
        path = "/v1/merchant/webhook-endpoints/" + segment(endpoint_id, "endpoint_id")
        return await self._http.change("PATCH", path, input, idempotency_key, timeout)

    async def rotate_secret(
        self, endpoint_id: str, *, idempotency_key: Optional[str] = None, timeout: Optional[float] = None
    ) -> t.UpdateWebhookEndpointAnswerWithSecret:
        """Makes a new secret, and returns it. For 24 hours, the server signs with the previous secret too."""
        path = "/v1/merchant/webhook-endpoints/" + segment(endpoint_id, "endpoint_id")
        return await self._http.change_with_secret("PATCH", path, {"rotate_secret": True}, idempotency_key, timeout)

    async def test(
        self, endpoint_id: str, *, idempotency_key: Optional[str] = None, timeout: Optional[float] = None
    ) -> t.TestWebhookEndpointAnswer:
        """Sends a test delivery to the endpoint."""
        path = "/v1/merchant/webhook-endpoints/" + segment(endpoint_id, "endpoint_id") + "/test"
        return await self._http.change("POST", path, {}, idempotency_key, timeout)

    async def delete(
        self, endpoint_id: str, *, idempotency_key: Optional[str] = None, timeout: Optional[float] = None
    ) -> t.DeleteWebhookEndpointAnswer:
        """Deletes an endpoint. The server sends it no more webhooks."""
        path = "/v1/merchant/webhook-endpoints/" + segment(endpoint_id, "endpoint_id")
        return await self._http.change("DELETE", path, {}, idempotency_key, timeout)


class WebhookConfig(ApiResource):
    """The default webhook endpoint of the environment of the key."""

    async def get(self, *, timeout: Optional[float] = None) -> t.GetWebhookConfigAnswer:
        """Returns the configuration of the default endpoint, without the secret."""
        return await self._http.get("/v1/merchant/webhook-config", None, timeout)

    async def update(
        self,
        input: t.UpdateWebhookConfigInput,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> t.UpdateWebhookConfigAnswer:
        """Changes the address or the events. Store the secret of the first answer, because no later answer has it."""
        return await self._http.change("PATCH", "/v1/merchant/webhook-config", input, idempotency_key, timeout)

    async def rotate_secret(
        self, *, idempotency_key: Optional[str] = None, timeout: Optional[float] = None
    ) -> t.UpdateWebhookConfigAnswerWithSecret:
        """Makes a new secret, and returns it. For 24 hours, the server signs with the previous secret too."""
        path = "/v1/merchant/webhook-config"
        return await self._http.change_with_secret("PATCH", path, {"rotate_secret": True}, idempotency_key, timeout)

    async def test(self, *, idempotency_key: Optional[str] = None, timeout: Optional[float] = None) -> t.TestWebhookAnswer:
        """Sends a test delivery to the endpoint."""
        return await self._http.change("POST", "/v1/merchant/webhook-config/test", {}, idempotency_key, timeout)


class WebhookDeliveries(ApiResource):
    """The deliveries of events to your endpoints."""

    async def get(self, delivery_id: str, *, timeout: Optional[float] = None) -> t.GetWebhookDeliveryAnswer:
        """Returns a delivery with its attempts."""
        path = "/v1/merchant/webhook-deliveries/" + segment(delivery_id, "delivery_id")
        return await self._http.get(path, None, timeout)

    def list(
        self, filters: Optional[t.ListWebhookDeliveriesFilters] = None, *, timeout: Optional[float] = None
    ) -> AsyncIterator[t.ListWebhookDeliveriesItem]:
        """Yields deliveries, newest first, over all pages."""
        return self._http.pages("/v1/merchant/webhook-deliveries", filters, "id", timeout)

    async def list_page(
        self, filters: Optional[t.ListWebhookDeliveriesFilters] = None, *, timeout: Optional[float] = None
    ) -> t.ListWebhookDeliveriesAnswer:
        """Returns one page of deliveries: items and pagination."""
        return await self._http.get("/v1/merchant/webhook-deliveries", filters, timeout)

    async def replay(
        self, delivery_id: str, *, idempotency_key: Optional[str] = None, timeout: Optional[float] = None
    ) -> t.ReplayWebhookDeliveryAnswer:
        """Queues one more attempt of a delivery, with the same id and bytes."""
        path = "/v1/merchant/webhook-deliveries/" + segment(delivery_id, "delivery_id") + "/replay"
        return await self._http.change("POST", path, {}, idempotency_key, timeout)

    async def replay_all(
        self,
        input: t.ReplayWebhookDeliveriesInput,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> t.ReplayWebhookDeliveriesAnswer:
        """Queues one more attempt of the deliveries of a period, by default of failed ones."""
        return await self._http.change("POST", "/v1/merchant/webhook-deliveries/replay", input, idempotency_key, timeout)


class Events(ApiResource):
    """The events of the last 30 days, also those that no endpoint received. The key needs the scope webhooks:manage."""

    def list(
        self, filters: Optional[t.ListEventsFilters] = None, *, timeout: Optional[float] = None
    ) -> AsyncIterator[t.ListEventsItem]:
        """Yields events, newest first, over all pages. `data` is the body that an endpoint receives."""
        return self._http.pages("/v1/events", filters, "id", timeout)

    async def list_page(
        self, filters: Optional[t.ListEventsFilters] = None, *, timeout: Optional[float] = None
    ) -> t.ListEventsAnswer:
        """Returns one page of events: items and pagination."""
        return await self._http.get("/v1/events", filters, timeout)


class Requests(ApiResource):
    """The API requests with the keys of the merchant. The key needs the scope requests:read."""

    def list(
        self, filters: Optional[t.ListRequestsFilters] = None, *, timeout: Optional[float] = None
    ) -> AsyncIterator[t.ListRequestsItem]:
        """Yields requests of the environment of the key, newest first, over all pages, without their bodies."""
        return self._http.pages("/v1/requests", filters, "id", timeout)

    async def list_page(
        self, filters: Optional[t.ListRequestsFilters] = None, *, timeout: Optional[float] = None
    ) -> t.ListRequestsAnswer:
        """Returns one page of requests: items and pagination."""
        return await self._http.get("/v1/requests", filters, timeout)
