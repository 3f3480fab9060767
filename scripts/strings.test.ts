// Tests that the list of texts has every kind of text in both languages, and that the texts follow rules for Swahili and
// English terms.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { screenTexts } from './strings.ts'

test('the list has texts of each kind, and each text of the screens is in both languages', () => {
  const all = screenTexts()
  assert.ok(all.length > 2_000, `${all.length} texts`)
  const find = (file: string, key: string) => all.find((one) => one.file === file && one.key === key)
  const plain = find('web/dashboard/frame-texts.ts', 'links')
  assert.deepEqual([plain?.sw, plain?.en], ['Viungo vya malipo', 'Payment links'])
  const filled = find('web/ui/parts-texts.ts', 'total')
  assert.deepEqual([filled?.sw, filled?.en], ['Jumla: {items}', 'Total: {items}'])
  const nested = find('web/ui/words.ts', 'collection.failed')
  assert.deepEqual([nested?.sw, nested?.en], ['Hayakufanikiwa', 'Failed'])
  for (const file of ['server/src/apps/pay-page/texts-sw.ts', 'server/src/access/identity/pages-texts.ts']) {
    assert.ok(
      all.some((one) => one.file === file && one.sw !== null && one.en !== null),
      file,
    )
  }
  // A text of an e-mail, an SMS, a PDF and the API, each in the form in which its file declares it.
  const kinds: [string, RegExp, string, string][] = [
    ['server/src/money/invoices/notify.ts', /^sent$/, 'imekutumia ankara', 'sent you invoice'],
    [
      'server/src/access/identity/pages-mails.ts',
      /identity\.confirm$/,
      'thibitisha barua pepe yako',
      'confirm your e-mail',
    ],
    ['server/src/access/merchants/invitation-mail.ts', /./, 'Umealikwa kujiunga', 'invites you to its account'],
    ['server/src/access/merchants/security-mail.ts', /subject$/, 'ufunguo mpya wa API', 'new API key'],
    ['server/src/kernel/documents/texts.ts', /^test$/, 'hakuna pesa halisi', 'no real money'],
    ['server/src/apps/portal/digest-texts.ts', /failed_deliveries$/, 'haukufika', 'Failed deliveries'],
    ['server/src/money/payment-links/present.ts', /invoiceTitle/, 'Ankara {number}', 'Invoice {number}'],
    ['web/ui/api-messages.ts', /^is too large$/, 'Kiasi ni kikubwa mno.', 'is too large'],
  ]
  for (const [file, key, sw, en] of kinds) {
    const is_text = (one: (typeof all)[number]) =>
      one.file === file && key.test(one.key) && one.sw?.includes(sw) && one.en?.includes(en)
    assert.ok(all.some(is_text), `${file} ${sw}`)
  }
  const incomplete = all.filter(({ sw, en }) => sw === null || en === null)
  assert.deepEqual(incomplete.slice(0, 5), [])
  // Each form takes these words from the same text, so every optional field has the same mark.
  const optional = all.filter(({ sw, en }) => /\((si lazima|hiari)\)|\(optional\)/i.test(`${sw} ${en}`))
  assert.deepEqual(
    optional.map(({ file, key }) => `${file} ${key}`),
    ['web/ui/parts-texts.ts optional'],
  )
})

test('a Swahili status agrees with its noun: malipo ya-, ujumbe and utoaji u-, kiungo ki-', () => {
  const of = (file: string, key: RegExp) =>
    screenTexts()
      .filter((one) => one.file === file && key.test(one.key))
      .map(({ sw }) => sw ?? '')
  const payments = of('web/ui/words.ts', /^collection\./)
  const messages = of('web/ui/delivery-state.tsx', /^(delivered|sent|queued|retrying|failed|cancelled|kept\w*|open)$/)
  assert.ok(payments.length >= 6 && messages.length >= 8, `${payments.length} ${messages.length}`)
  assert.deepEqual(
    payments.filter((text) => !/^(Bado ha)?(ya|haya)/i.test(text)),
    [],
  )
  assert.deepEqual(
    messages.filter((text) => !/^(u|hau)/i.test(text)),
    [],
  )
  const withdrawals = of('web/ui/words.ts', /^withdrawal\.(?!INFO_REQUESTED)/)
  assert.equal(withdrawals.length, 10)
  assert.deepEqual(
    withdrawals.filter((text) => !/^(u|hau)/i.test(text)),
    [],
  )
  const links = of('web/ui/words.ts', /^link\./)
  assert.equal(links.length, 4)
  assert.deepEqual(
    links.filter((text) => !/^ki/i.test(text)),
    [],
  )
})

test('no screen uses a term of the lists of forbidden terms', () => {
  const forbidden =
    /\b(makusanyo|wanachama|mwanachama|uanachama|pesa za kweli|nambari|neno la siri|saketi|mwito|miito|kikao|ulinganishaji|lango la SMS)\b/i
  const wrong = screenTexts().filter(({ sw }) => forbidden.test(sw ?? ''))
  assert.deepEqual(wrong, [])
  const english =
    /\b(begun by|what waits|take news|bring a statement|ask to withdraw|how business goes)\b|provider's word/i
  assert.deepEqual(
    screenTexts().filter(({ en }) => english.test(en ?? '')),
    [],
  )
  // The English texts use only the verb "Create" for a new record.
  assert.deepEqual(
    screenTexts().filter(({ en }) => /^(make|write) an? (payment link|link|invoice|api key|key)\b/i.test(en ?? '')),
    [],
  )
})
