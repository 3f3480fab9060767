<?php

// Calls the resources of a real server, and prints the answers as JSON. php-sdk.test.ts checks the values.

declare(strict_types=1);

use Malipo\Client;
use Malipo\Exceptions\AuthenticationException;
use Malipo\Exceptions\MalipoException;
use Malipo\Exceptions\NotFoundException;
use Malipo\Exceptions\ValidationException;

require $argv[1];

// This client makes no retries, because a retry would hide a broken connection.
$malipo = new Client(getenv('MALIPO_URL') . '/', getenv('MALIPO_API_KEY'), maxRetries: 0);

/** Returns the class and the facts of a failed call. If the call succeeds, returns "no failure". */
function failure(callable $call): array
{
    try {
        $call();
    } catch (MalipoException $e) {
        $kind = substr(strrchr($e::class, '\\'), 1);
        return [$kind, $e->errorCode, $e->status, $e->outcomeUnknown, $e->requestId !== null, array_keys($e->fields())];
    } catch (InvalidArgumentException $e) {
        return [$e->getMessage()];
    }
    return ['no failure'];
}

function waitFor(callable $isDone): void
{
    for ($end = microtime(true) + 30; microtime(true) < $end; usleep(20_000)) {
        if ($isDone()) {
            return;
        }
    }
    throw new RuntimeException('the server did not finish in time');
}

$seen = ['me' => $malipo->me->get()];

$input = ['amount' => '25000.00', 'phone' => '0754123001', 'reference' => 'ORDER-É1'];
$made = $malipo->collections->createWalletPush($input, idempotencyKey: 'order-1');
$again = $malipo->collections->createWalletPush($input, idempotencyKey: 'order-1');
$seen['same'] = $made === $again;
waitFor(fn () => $malipo->collections->get($made['collection_id'])['status'] === 'successful');
$seen['paid'] = $malipo->collections->refreshStatus($made['collection_id']);
$hosted = $malipo->collections->create(['amount' => 5000, 'reference' => 'ORDER-2', 'redirect_url' => 'http://localhost/thanks']);
$seen['payment_url'] = $hosted['payment_url'];
$seen['pesa'] = $malipo->collections->createProviderPesa(['amount' => 700, 'phone' => '0754123001'])['status'];
$seen['qr'] = strlen($malipo->collections->createQr(['amount' => 100])['qr_payload']) > 0;
for ($i = 0; $i < 4; $i++) {
    $malipo->collections->createWalletPush(['amount' => 100 + $i, 'phone' => '0754123007', 'reference' => 'MANY']);
}
$amounts = [];
foreach ($malipo->collections->list(['reference' => 'MANY', 'page_size' => 2]) as $item) {
    $amounts[] = $item['amount'];
}
$seen['pages'] = $amounts;
$seen['page'] = $malipo->collections->listPage(['reference' => 'MANY', 'page_size' => 3])['pagination'];
$seen['since'] = iterator_count($malipo->collections->list(['from' => new DateTimeImmutable('+1 hour')]));
$seen['timeline'] = count($malipo->collections->timeline($made['collection_id'])['items']) > 0;
$seen['csv'] = str_contains($malipo->collections->export(['reference' => 'ORDER-É1']), 'ORDER-É1');

$link = $malipo->paymentLinks->create(['amount' => '1500.00', 'description' => 'Chai']);
$seen['link'] = [$link['status'], $malipo->paymentLinks->get($link['id'])['public_url'] === $link['public_url']];
$seen['link_list'] = iterator_count($malipo->paymentLinks->list()) > 0;
$seen['link_payments'] = iterator_count($malipo->paymentLinks->listCollections($link['id']));
$seen['poster'] = substr($malipo->paymentLinks->poster($link['id']), 0, 5);
$seen['link_csv'] = str_contains($malipo->paymentLinks->export(), $link['id']);
$seen['cancelled'] = $malipo->paymentLinks->cancel($link['id'])['status'];

$items = [['description' => 'Chai', 'quantity' => '2', 'unit_price' => '750.00']];
$invoice = $malipo->invoices->create(
    ['customer_name' => 'Asha', 'customer_phone' => '0754123001', 'due_date' => '2099-01-31', 'items' => $items],
);
$seen['invoice'] = [$invoice['status'], $malipo->invoices->update($invoice['id'], ['note' => 'Asante'])['note']];
$seen['invoice_link'] = $malipo->invoices->createPaymentLink($invoice['id'])['invoice_id'] === $invoice['id'];
$seen['sent'] = $malipo->invoices->send($invoice['id'])['status'];
$seen['invoices'] = [iterator_count($malipo->invoices->list()), $malipo->invoices->get($invoice['id'])['number']];
$seen['invoice_csv'] = str_contains($malipo->invoices->export(), 'INV-000001');
$seen['invoice_cancelled'] = $malipo->invoices->cancel($invoice['id'])['status'];

$phone = ['destination_identifier' => '0754123400', 'destination_code' => 'VODACOM', 'destination_name' => 'Asha Juma'];
$payout = $malipo->disbursements->createMobileMoney(['amount' => '2500.00', 'reference' => 'PAYOUT-1'] + $phone);
$seen['payout'] = [$payout['status'], $malipo->disbursements->simulate($payout['id'], ['outcome' => 'SUCCESS'])['status']];
$seen['payout_history'] = count($malipo->disbursements->get($payout['id'])['history']) > 0;
$other = $malipo->disbursements->createMobileMoney(['amount' => '10.00'] + $phone);
$seen['payout_cancelled'] = $malipo->disbursements->cancel($other['id'])['status'];
$bank = ['destination_identifier' => '0150123456', 'destination_code' => 'CRDB', 'bank_name' => 'CRDB', 'destination_name' => 'Asha'];
$seen['bank'] = $malipo->disbursements->createBankAccount(['amount' => '20.00'] + $bank)['method'];
$pesa = ['amount' => '20.00', 'destination_identifier' => '0754123400'];
$seen['pesa_payout'] = $malipo->disbursements->createProviderPesa($pesa)['method'];
$seen['payouts'] = iterator_count($malipo->disbursements->list(['page_size' => 1]));
$seen['limits'] = array_keys($malipo->disbursements->limits());
$seen['destinations'] = in_array('MPESA', array_column($malipo->destinations->list(['method' => 'MOBILE_MONEY'])['items'], 'code'), true);

waitFor(fn () => $malipo->balance->get()['available'] === '23300.00');
$seen['balance'] = $malipo->balance->get();
$types = [];
foreach ($malipo->transactions->list() as $transaction) {
    $types[] = $transaction['type'];
}
sort($types);
$seen['transactions'] = $types;
$seen['transaction'] = $malipo->transactions->get($transaction['reference'])['reference'] === $transaction['reference'];
$seen['statement'] = $malipo->transactions->statement(gmdate('Y-m'))['currency'];
$seen['statement_csv'] = strtok($malipo->transactions->statementFile(gmdate('Y-m')), "\r\n");
$seen['transactions_csv'] = str_contains($malipo->transactions->export(), $transaction['reference']);

$hook = getenv('RECEIVER_URL');
$config = $malipo->webhookConfig->update(['webhook_url' => $hook]);
$seen['config'] = [substr($config['secret'], 0, 6), $malipo->webhookConfig->get()['webhook_url'] === $hook];
$seen['config_rotated'] = $malipo->webhookConfig->rotateSecret()['secret'] !== $config['secret'];
$seen['config_test'] = $malipo->webhookConfig->test()['event'];
$endpoint = $malipo->webhookEndpoints->create(['webhook_url' => $hook, 'events' => ['collection.failed']]);
$seen['endpoint'] = [
    $malipo->webhookEndpoints->update($endpoint['id'], ['description' => 'Duka'])['description'],
    $malipo->webhookEndpoints->get($endpoint['id'])['events'],
    count($malipo->webhookEndpoints->list()['items']),
    $malipo->webhookEndpoints->rotateSecret($endpoint['id'])['secret'] !== $endpoint['secret'],
    $malipo->webhookEndpoints->test($endpoint['id'])['endpoint_id'] === $endpoint['id'],
    $malipo->webhookEndpoints->delete($endpoint['id'])['deleted'],
];
// The server refuses to send a delivery of the deleted endpoint again.
$delivered = ['status' => 'delivered', 'endpoint_id' => 'default'];
waitFor(fn () => iterator_count($malipo->webhookDeliveries->list($delivered)) > 0);
$delivery = $malipo->webhookDeliveries->listPage($delivered)['items'][0];
$seen['delivery'] = $malipo->webhookDeliveries->get($delivery['id'])['status'];
$seen['replay'] = $malipo->webhookDeliveries->replay($delivery['id'])['id'] === $delivery['id'];
$seen['replay_all'] = array_keys($malipo->webhookDeliveries->replayAll(['since' => gmdate('Y-m-d\TH:i:s\Z', time() - 60)]));

$seen['events'] = [];
foreach ($malipo->events->list(['event' => 'disbursement.success', 'page_size' => 1]) as $event) {
    $seen['events'][] = [$event['event'], $event['data']['disbursement_id'] === $payout['id']];
}
$seen['event_page'] = $malipo->events->listPage(['event' => 'disbursement.success'])['pagination']['total_items'];

$seen['failures'] = [
    failure(fn () => $malipo->collections->createWalletPush(['amount' => 'many', 'phone' => '12'])),
    failure(fn () => $malipo->collections->createWalletPush(['amount' => 1] + $input, idempotencyKey: 'order-1')),
    failure(fn () => $malipo->collections->get('../../healthz')),
    failure(fn () => (new Client(getenv('MALIPO_URL'), 'service_sandbox_nonsense'))->me->get()),
    failure(fn () => $malipo->disbursements->cancel($payout['id'])),
    failure(fn () => iterator_count($malipo->collections->list(['stauts' => 'failed']))),
    failure(fn () => (new Client('http://127.0.0.1:1', 'service_sandbox_k', maxRetries: 0))->collections->create(['amount' => 1])),
];
$seen['mistakes'] = array_map(fn ($call) => failure($call)[0], [
    fn () => new Client('', 'service_sandbox_k'),
    fn () => new Client('https://api.example.com/v1/', 'service_sandbox_k'),
    fn () => new Client(getenv('MALIPO_URL'), ''),
    fn () => new Client(getenv('MALIPO_URL'), "k\r\nx: y"),
    fn () => new Client(getenv('MALIPO_URL'), 'pk_live_1'),
    fn () => $malipo->collections->get(''),
    fn () => $malipo->collections->get('..'),
    fn () => $malipo->collections->create(['amount' => NAN]),
    fn () => $malipo->collections->create(['amount', '1']),
    fn () => $malipo->collections->create(['amount' => 1], idempotencyKey: 'ORDER 1'),
    fn () => new Client(getenv('MALIPO_URL'), 'service_sandbox_k', timeout: 0),
]);
$seen['hidden'] = str_contains(print_r($malipo, true), getenv('MALIPO_API_KEY'));

echo json_encode($seen, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
