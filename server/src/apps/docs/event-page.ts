// Writes the pages of webhook events in Markdown.

import { DEFAULT_EVENTS, EVENTS, type EventName } from '../../adapters/webhooks/index.ts'
import { joined } from './call-page.ts'
import { COMMON_FIELDS, EVENT_TEXTS, OWN_FIELDS } from './events.ts'
import { SAMPLES } from './examples.ts'

/** Returns the page that lists all events. */
export function eventsPage(): string {
  const rows = EVENTS.map((event) => `| \`${event}\` | ${EVENT_TEXTS[event].when} |`)
  return joined([
    '# Webhook events',
    'The server posts each event as JSON to your webhook address, and signs it. [Webhooks](../guides/webhooks.md) describes the set-up, the signature and the retries.',
    `| Event | The server sends it when |\n|---|---|\n${rows.join('\n')}`,
  ])
}

/** Returns the page of one event. */
export function eventPage(event: EventName): string {
  const { when, to_do, fields } = EVENT_TEXTS[event]
  const is_default = DEFAULT_EVENTS.includes(event)
  const rows = [...Object.entries(COMMON_FIELDS), ...fields.map((name) => [name, OWN_FIELDS[name] ?? ''] as const)]
  return joined([
    `# ${event}`,
    `The server sends this event when ${when}.`,
    '## What to do',
    to_do,
    '## Example',
    `\`\`\`json\n${JSON.stringify(exampleEvent(event), null, 2)}\n\`\`\``,
    '## Fields',
    `| Field | Meaning |\n|---|---|\n${rows.map(([name, meaning]) => `| \`${name}\` | ${meaning} |`).join('\n')}`,
    'New fields may follow: ignore fields that you do not know.',
    '## Receive it',
    `${is_default ? 'You receive this event unless your `events` leave it out.' : 'You receive this event only if your `events` name it.'} Set the address with \`PATCH /v1/merchant/webhook-config\`, and verify each delivery as [Webhooks](../guides/webhooks.md#verify-the-signature) describes. Events can arrive twice and in any order.`,
  ])
}

const AT = '2026-01-05T09:00:02.000Z'
const STATUSES: Readonly<Record<EventName, string>> = {
  'collection.success': 'successful',
  'collection.failed': 'failed',
  'collection.reversed': 'reversed',
  'collection.pending_review': 'pending_clearance',
  'disbursement.success': 'SUCCESS',
  'disbursement.failed': 'FAILED',
  'disbursement.reversed': 'REVERSED',
}

/** Returns the body of an event of the sandbox. A test compares its fields with those of a delivery. */
export function exampleEvent(event: EventName): Record<string, unknown> {
  const is_payment = event.startsWith('collection.')
  const id = is_payment ? { collection_id: SAMPLES.collection_id } : { disbursement_id: SAMPLES.disbursement_id }
  const reason = is_payment
    ? ['insufficient_balance', 'The customer does not have enough balance.']
    : ['provider_declined', 'The receiving network or bank declined the payout.']
  const reference = is_payment ? 'ORDER-1042' : 'PAYOUT-7'
  return {
    event,
    merchant_code: 'M2JBTVPA',
    ...id,
    reference,
    merchant_reference: reference,
    amount: '25000.00',
    currency: 'TZS',
    status: STATUSES[event],
    method: is_payment ? 'wallet_push' : 'MOBILE_MONEY',
    ...(event.endsWith('.failed') ? { failure_reason_code: reason[0], failure_reason_message: reason[1] } : {}),
    [timeField(event)]: AT,
    timestamp: AT,
    sandbox: true,
  }
}

function timeField(event: EventName): string {
  if (event.endsWith('.failed')) return 'failed_at'
  if (event.endsWith('.reversed')) return 'reversed_at'
  return event.endsWith('.success') ? 'completed_at' : 'held_at'
}
