// Tests how the server counts the parts of an SMS, and how the server cleans and shortens the text.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainLine, showAmount } from '../../kernel/lib/index.ts'
import { SMS_PARTS_MAX, shortestSms, smsLength, smsText } from './sms-text.ts'

const LENGTHS: [string, string, number][] = [
  ['', 'GSM-7', 1],
  ['a'.repeat(160), 'GSM-7', 1],
  ['a'.repeat(161), 'GSM-7', 2],
  ['a'.repeat(306), 'GSM-7', 2],
  ['a'.repeat(307), 'GSM-7', 3],
  ['€'.repeat(80), 'GSM-7', 1],
  ['€'.repeat(81), 'GSM-7', 2],
  // A part has 153 places, and each character takes two. So a part holds 76 characters and leaves one place free.
  ['€'.repeat(152), 'GSM-7', 2],
  ['€'.repeat(153), 'GSM-7', 3],
  ['ш'.repeat(70), 'UCS-2', 1],
  ['ш'.repeat(71), 'UCS-2', 2],
  ['ш'.repeat(134), 'UCS-2', 2],
  ['ш'.repeat(135), 'UCS-2', 3],
  ['😀'.repeat(35), 'UCS-2', 1],
  ['😀'.repeat(36), 'UCS-2', 2],
  ['😀'.repeat(66), 'UCS-2', 2],
  ['😀'.repeat(67), 'UCS-2', 3],
]
for (const [text, alphabet, parts] of LENGTHS) {
  test(`smsLength counts ${parts} parts of ${alphabet} for a text of ${text.length} code units of "${[...text][0] ?? ''}"`, () => {
    assert.deepEqual(smsLength(text), { alphabet, parts })
  })
}

test('smsText replaces the special spaces of amounts and typographic signs so that an SMS stays in the GSM alphabet', () => {
  const text = smsText(`Duka la “Asha” – ${showAmount(2_500_050n)}… lipa ‘leo’`)
  assert.equal(text, `Duka la "Asha" - TZS 25,000.50... lipa 'leo'`)
  assert.equal(smsLength(text).alphabet, 'GSM-7')
})

test('smsText returns at most four parts for each of five long names, and shortens a text of 613 characters', () => {
  for (const name of [
    'x'.repeat(10_240),
    '😀'.repeat(5_000),
    '€'.repeat(600),
    'ш\r\n'.repeat(3_000),
    '\u202e'.repeat(9_000),
  ]) {
    const text = smsText(name)
    assert.ok(smsLength(text).parts <= SMS_PARTS_MAX)
    assert.ok(text.isWellFormed())
  }
  const [longest, longer] = ['y'.repeat(612), 'y'.repeat(613)]
  assert.equal(smsText(longest), longest)
  assert.equal(smsText(longer), `${'y'.repeat(609)}...`)
})

test('smsText removes direction marks and control characters, and replaces lone surrogates', () => {
  assert.equal(smsText('Duka\u202e\u2066 la\0 Asha\r\nna\ud83d wake\u0007'), 'Duka la Asha\nna\ufffd wake')
})

test('shortestSms shortens the name in a text and keeps the whole link', () => {
  const link = 'https://pay.example.tz/pay/0123456789abcdefghijklmnop'
  const write = (name: string) => (max: number) => `${plainLine(name, max)} anaomba TZS 25,000. Lipa hapa: ${link}`
  for (const name of ['Duka la Asha', '😀'.repeat(400), 'x'.repeat(10_000), 'دكان '.repeat(2_000)]) {
    const text = shortestSms(write(name))
    assert.ok(smsLength(text).parts <= 2, `${smsLength(text).parts} parts`)
    assert.ok(text.endsWith(link))
  }
  assert.ok(shortestSms(write('Duka la Asha')).startsWith('Duka la Asha anaomba'))
})
