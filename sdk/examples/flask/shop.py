"""A shop with one product. The customer pays on the hosted page, and only a verified webhook marks the order as paid."""

import os
import sqlite3

from flask import Flask, abort, redirect, request, url_for

from malipo import Malipo, WebhookSignatureError, verify_webhook

PRICE = "25000.00"
app = Flask(__name__)
malipo = Malipo(os.environ["MALIPO_URL"], os.environ["MALIPO_API_KEY"])
IS_LIVE = malipo.environment == "live"


def database():
    connection = sqlite3.connect(os.environ.get("SHOP_DATABASE", "shop.sqlite"), timeout=10)
    connection.execute(
        "create table if not exists orders (id integer primary key, amount text not null, currency text not null,"
        " status text not null default 'pending', collection_id text unique)"
    )
    return connection


@app.get("/")
def shelf():
    return f'<form method="post" action="/orders">Kanga: TZS {PRICE} <button>Lipa / Pay</button></form>'


@app.post("/orders")
def order():
    # The order exists before the payment, so that a webhook always finds the order.
    with database() as shop:
        number = shop.execute("insert into orders (amount, currency) values (?, 'TZS')", [PRICE]).lastrowid
    back = url_for("order_page", number=number, _external=True)
    payment = malipo.collections.create(
        {"amount": PRICE, "reference": f"ORDER-{number}", "redirect_url": back, "cancel_url": request.host_url},
        idempotency_key=f"order-{number}",
    )
    with database() as shop:
        shop.execute("update orders set collection_id = ? where id = ?", [payment["collection_id"], number])
    return redirect(payment["payment_url"], 303)


@app.get("/orders/<int:number>")
def order_page(number):
    # The return of the customer is no proof of a payment, so this page shows the status that the webhooks have set.
    found = database().execute("select status from orders where id = ?", [number]).fetchone() or abort(404)
    return f"Order {found[0]}"


@app.post("/webhooks/malipo")
def webhook():
    try:
        # The signature covers the raw bytes. request.json would lose the exact text that the server signed.
        event = verify_webhook(request.get_data(), request.headers, os.environ["MALIPO_WEBHOOK_SECRET"])
    except WebhookSignatureError as refusal:
        return str(refusal), 401
    if event.get("test") or (IS_LIVE and event.get("sandbox")) or "collection_id" not in event:
        return "ignored"
    number = (event["reference"] or "").partition("ORDER-")[2]
    # A null collection_id means that the webhook arrived before the answer to the shop.
    same = "id = ? and amount = ? and currency = ? and coalesce(collection_id, ?) = ?"
    # If the payer paid another amount than requested, the event has amount_received.
    received = event.get("amount_received", event["amount"])
    facts = [number, received, event["currency"], event["collection_id"], event["collection_id"]]
    with database() as shop:
        if shop.execute(f"select 1 from orders where {same}", facts).fetchone() is None:
            app.logger.error("The event %s fits no order: compare its amount and reference", event["collection_id"])
        elif event["event"] == "collection.success":
            # Only the first delivery changes the status, so a repeated delivery ships nothing. A reversed order stays on hold.
            paid = shop.execute(f"update orders set status = 'paid' where status = 'pending' and {same}", facts)
            if paid.rowcount == 1:
                app.logger.warning("Ship %s", event["reference"])
        elif event["event"] == "collection.reversed":
            shop.execute(f"update orders set status = 'on hold' where {same}", facts)
    return "ok"
