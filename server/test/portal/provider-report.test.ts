// Tests that the consoles say in words what a provider reported, as the history stores it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sayReport } from '../../../web/ui/provider-report.ts'
import { type Answer, BLOCK_CAUSES, type BlockCause, type UnknownWhy } from '../../src/adapters/providers/port.ts'
import { describeOutcome } from '../../src/money/collections/decide.ts'
import { describePayoutAnswer } from '../../src/money/withdrawals/decide.ts'

const REASONS: Record<string, string> = { provider_declined: 'The provider declined' }
const show = {
  amount: (amount: string, currency: string) => `<${amount} in ${currency}>`,
  reason: (code: string) => REASONS[code],
}
const inBoth = (text: string | null) => (['en', 'sw'] as const).map((language) => sayReport(text ?? '', language, show))
const UNKNOWN_WHYS: Record<UnknownWhy, null> = {
  ...{ timeout: null, unreachable: null, unreadable: null, unseen_status: null },
  ...{ ambiguous: null, refused_us: null, busy: null, not_asked: null },
}
const report = (kind: 'succeeded' | 'held' | 'reversed', amount_minor: bigint, currency = 'TZS'): Answer => ({
  kind,
  amount_minor,
  currency,
  provider_status: null,
})

test('the consoles say a report of money in words, with its amount, in both languages', () => {
  assert.deepEqual(inBoth(describeOutcome(report('reversed', 7_950_000n))), [
    'The provider reported: reversed, <79500.00 in TZS>',
    'Mtoa huduma ameripoti: pesa zimerudishwa, <79500.00 in TZS>',
  ])
  assert.deepEqual(inBoth(describeOutcome(report('succeeded', 2_000_050n, 'USD'))), [
    'The provider reported: succeeded, <20000.50 in USD>',
    'Mtoa huduma ameripoti: muamala umefanikiwa, <20000.50 in USD>',
  ])
  assert.deepEqual(inBoth(`${describeOutcome(report('held', 12_500_000n))}, but its page took no more payments`), [
    'The provider reported: held for a review, <125000.00 in TZS>. The page of this payment took no more payments.',
    'Mtoa huduma ameripoti: pesa zimezuiwa kwa ukaguzi, <125000.00 in TZS>. Ukurasa wa malipo haya haukuwa unapokea malipo tena.',
  ])
})

test('the consoles say a decline in words, and a code by its reason', () => {
  const declined = { kind: 'declined', reason: 'provider_declined', provider_status: null } as const
  assert.deepEqual(inBoth(describePayoutAnswer(declined)), [
    'The provider reported: declined (The provider declined)',
    'Mtoa huduma ameripoti: muamala umekataliwa (The provider declined)',
  ])
  assert.deepEqual(inBoth('provider_declined'), ['The provider declined', 'The provider declined'])
})

test('the consoles say each stored answer about a payout in words, in both languages', () => {
  const unknown = (Object.keys(UNKNOWN_WHYS) as UnknownWhy[]).map(
    (why) => ({ kind: 'unknown', why, provider_status: null }) as const,
  )
  const blocked = [undefined, ...(Object.keys(BLOCK_CAUSES) as BlockCause[])].map(
    (because) => ({ kind: 'blocked', ...(because === undefined ? {} : { because }), provider_status: null }) as const,
  )
  const others = (['accepted', 'not_sent', 'not_found'] as const).map((kind) => ({ kind, provider_status: null }))
  const answers = [...unknown, ...blocked, ...others].map(describePayoutAnswer)
  const notes = ['no final answer in time', 'the server could not send the payout in time']
  for (const text of [...answers, ...notes])
    for (const said of inBoth(text)) assert.match(said, /^\p{Lu}[^_]+\.$/u, text)
  assert.deepEqual(inBoth('unknown timeout'), [
    'The provider did not answer in time, so the outcome is unknown.',
    'Mtoa huduma hakujibu kwa wakati, kwa hiyo matokeo hayajulikani.',
  ])
  assert.equal(
    inBoth('the ledger reserved 0.00 of 1000.00; the provider answered succeeded 900.00 TZS')[0],
    'The books had reserved <0.00 in TZS> instead of <1000.00 in TZS>, so the server moved no money. The provider reported: succeeded, <900.00 in TZS>',
  )
})

test('every other text of a history stays unchanged', () => {
  for (const text of [
    ...['reversed 79500.00 TZS yesterday', 'we reversed 79500.00 TZS', 'reversed 79500 TZS', 'reversed -1.00 TZS'],
    ...['returned 79500.00 TZS', 'reversed 79500.00 tzs', 'declined by_nobody', 'declined provider_declined twice', ''],
  ])
    assert.deepEqual(inBoth(text), [text, text])
})

type CodeWords = Record<'report' | 'reason' | 'withdrawal', (code: string) => unknown>
type Words = { toneOf(status: string): unknown; wordsIn(language: 'en' | 'sw'): CodeWords }

test('the word "constructor" in a reason or a status stays a word, and is no inherited function', async () => {
  // The types of the browser, which this file needs, are not the types of the tests.
  const { toneOf, wordsIn }: Words = await import(new URL('../../../web/ui/words.ts', import.meta.url).href)
  for (const language of ['en', 'sw'] as const) {
    const { report, reason, withdrawal } = wordsIn(language)
    for (const word of ['constructor', 'toString', '__proto__']) {
      assert.deepEqual([report(word), reason(word), withdrawal(word)], [word, word, word], language)
      assert.equal(report(`declined ${word}`), `declined ${word}`, language)
      assert.equal(toneOf(word), 'plain')
    }
  }
})
