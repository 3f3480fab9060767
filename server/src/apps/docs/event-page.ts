// Writes the pages of webhook events in Markdown.

import { DEFAULT_EVENTS } from '../../adapters/webhooks/index.ts'
import { joined } from './call-page.ts'
import { type DocEvent, fieldTable, tableCell } from './openapi.ts'

/** Returns the Markdown page that lists all events. */
export function eventsPage(events: readonly DocEvent[]): string {
  const rows = events.map(({ name, when, to_do }) => `| \`${name}\` | ${tableCell(when)} | ${tableCell(to_do)} |`)
  return joined([
    '# Webhook events',
    'The server posts each event as JSON to your webhook address, and signs it. [Webhooks](../guides/webhooks.md) describes the set-up, the signature and the retries.',
    `| Event | When | What to do |\n|---|---|---|\n${rows.join('\n')}`,
  ])
}

/** Returns the Markdown page of one event: its cause, the next step of the receiver, the fields, and an example. */
export function eventPage({ name, when, to_do, fields, example, headers }: DocEvent): string {
  const is_default = DEFAULT_EVENTS.some((event) => event === name)
  return joined([
    `# ${name}`,
    `${when}.`,
    to_do,
    '## Example',
    `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
    '## Fields',
    fieldTable(fields, true, 'Event'),
    'New fields may follow: ignore fields that you do not know.',
    '## Headers',
    headers,
    '## Receive it',
    `${is_default ? 'You receive this event unless your `events` leave it out.' : 'You receive this event only if your `events` name it.'} Set the address with \`PATCH /v1/merchant/webhook-config\`, and verify each delivery as [Webhooks](../guides/webhooks.md#verify-the-signature) describes. Events can arrive twice and in any order.`,
  ])
}
