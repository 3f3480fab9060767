/** Reads the buttons of queued e-mails for tests. */
import assert from 'node:assert/strict'
import type { StoredEmail } from '../src/adapters/messages/index.ts'
import type { World } from './harness.ts'

/** Returns the text and the address of the button of an e-mail. */
export async function buttonOf(world: World, mail: StoredEmail | undefined): Promise<[label: string, url: string]> {
  assert.ok(mail, 'there is no e-mail')
  const [row] = await world.rows<{ button_label: string | null; button_line: number | null }>(
    'select button_label, button_line from outbox_messages where id = $1',
    [mail.id],
  )
  return [row?.button_label ?? '', mail.text?.split('\n')[row?.button_line ?? -1] ?? '']
}
