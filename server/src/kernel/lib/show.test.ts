// Tests the values that the server formats for people.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  dayOf,
  maskEmail,
  maskPhone,
  plainLine,
  plainText,
  showAmount,
  showDate,
  showPhone,
  showTime,
  showTimeOfDay,
} from './index.ts'

test('showAmount writes shillings with commas, and writes cents only when the cents are not zero', () => {
  const shown = [100n, 2_500_000n, 2_500_050n, 100_000_000_000n, 5n, -2_500_000n].map((minor) => showAmount(minor))
  assert.deepEqual(
    shown.map((text) => text.replace('\u00a0', ' ')),
    ['TZS 1', 'TZS 25,000', 'TZS 25,000.50', 'TZS 1,000,000,000', 'TZS 0.05', '-TZS 25,000'],
  )
})

test('showPhone writes the local form, and maskPhone hides the middle digits', () => {
  assert.equal(showPhone('255754123456'), '0754 123 456')
  assert.equal(maskPhone('255754123456'), '0754 *** 456')
})

test('maskEmail keeps the first character and the domain', () => {
  assert.equal(maskEmail('saida@example.com'), 's***@example.com')
  assert.equal(maskEmail('𝒔aida@mail.example.co.tz'), '𝒔***@mail.example.co.tz')
})

test('showTime and showDate write times and dates of Tanzania in both languages, and dayOf returns the day in Tanzania', () => {
  assert.equal(showTime(new Date('2026-11-30T15:00:00Z'), 'en'), '30 Nov 2026, 18:00 (EAT)')
  assert.equal(showTime(new Date('2026-12-31T22:30:00Z'), 'sw'), '1 Jan 2027, 01:30 (EAT)')
  assert.equal(showTime(new Date('2026-11-30T15:00:07.999Z'), 'en', true), '30 Nov 2026, 18:00:07 (EAT)')
  assert.equal(showTimeOfDay(new Date('2026-12-31T22:30:00Z')), '01:30 (EAT)')
  assert.equal(showDate('2026-03-05', 'sw'), '5 Mac 2026')
  assert.equal(dayOf(new Date('2026-12-31T21:00:00Z')), '2027-01-01')
})

test('plainLine removes direction marks and line breaks from a name and limits the length of the name', () => {
  assert.equal(plainLine('Duka\u202e la\u2066 Asha\r\nBcc: x\u2028y'), 'Duka la Asha Bcc: x y')
  assert.equal(plainLine('x'.repeat(10_000), 20), `${'x'.repeat(19)}…`)
  assert.equal([...plainLine('😀'.repeat(50), 10)].length, 10)
})

test('plainText keeps lines and tabs, and removes control characters and direction marks', () => {
  assert.equal(plainText('Habari\r\nAsha\rna\u2028Juma\0\u0007\u202e!\t.\ud800'), 'Habari\nAsha\nna\nJuma!\t.\ufffd')
})
