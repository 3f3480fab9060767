// Tests the parsing of Tanzanian mobile numbers and of their last digits.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalPhone, lastPhoneDigits, typedPhone, typedPhoneProblem } from './phone.ts'

/** Any 16-bit code unit, including a lone surrogate or a control character. */
const codeUnit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))

for (const text of [
  '0754123456',
  '754123456',
  '255754123456',
  '+255754123456',
  '0754 123 456',
  '0754-123-456',
  '+255 754 123 456',
  '+255-754-123-456',
]) {
  test(`canonicalPhone returns 255754123456 for "${text}"`, () => assert.equal(canonicalPhone(text), '255754123456'))
}

for (const [text, why] of [
  ['', 'empty'],
  ['254712345678', 'Kenya'],
  ['+256712345678', 'Uganda'],
  ['+1 202 555 0100', 'another country'],
  ['0222123456', 'a landline'],
  ['0854123456', 'no mobile range'],
  ['075412345', 'one digit short'],
  ['07541234567', 'one digit long'],
  ['00255754123456', 'a dialled prefix'],
  ['++255754123456', 'two pluses'],
  ['+0754123456', 'a plus before a zero'],
  ['2550754123456', 'country code and zero'],
  ['0754.123.456', 'dots'],
  ['0754123456\n', 'a newline'],
  ['٠٧٥٤١٢٣٤٥٦', 'other digits'],
  ['075412345a', 'a letter'],
  [`0754123456${' '.repeat(40)}`, 'too long'],
] as const) {
  test(`canonicalPhone returns null for ${JSON.stringify(text.slice(0, 20))} (${why})`, () =>
    assert.equal(canonicalPhone(text), null))
}

for (const [text, problem] of [
  ['O754 123 456', 'phone_characters'],
  ['0754 123 456 / 0655 123 456', 'phone_characters'],
  ['٠٧٥٤١٢٣٤٥٦', 'phone_characters'],
  ['+0754 123 456', 'phone_characters'],
  ['+254 712 345 678', 'phone_foreign'],
  ['00254712345678', 'phone_foreign'],
  ['0754 123 45', 'phone_short'],
  ['255 754 123 45', 'phone_short'],
  ['+255', 'phone_short'],
  ['+', 'phone_short'],
  ['0', 'phone_short'],
  ['0754 123 4567', 'phone_long'],
  ['+255 0754 123 4567', 'phone_long'],
  ['00754 123 456', 'phone_long'],
  ['022 211 1234', 'phone_prefix'],
  ['+255 22 211 1234', 'phone_prefix'],
] as const) {
  test(`typedPhoneProblem returns ${problem} for "${text}"`, () => {
    assert.equal(typedPhone(text), null)
    assert.equal(typedPhoneProblem(text), problem)
  })
}

test('canonicalPhone returns one canonical form for a number with the prefix +255, 255 or 0, or without a prefix', () => {
  fc.assert(
    fc.property(fc.constantFrom('6', '7'), fc.integer({ min: 0, max: 99_999_999 }), (lead, rest) => {
      const number = lead + String(rest).padStart(8, '0')
      for (const form of [number, `0${number}`, `255${number}`, `+255${number}`])
        assert.equal(canonicalPhone(form), `255${number}`)
    }),
  )
})

test('canonicalPhone returns a canonical number or null for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: codeUnit }), (text) => {
      const phone = canonicalPhone(text)
      assert.ok(phone === null || /^255[67]\d{8}$/.test(phone))
    }),
  )
})

for (const [text, digits] of [
  ['3001', '3001'],
  ['12-30 01', '123001'],
  ['754123001', '754123001'],
  ['300', null],
  ['0754123001', null],
  ['300a', null],
  ['%001', null],
  ['', null],
] as const) {
  test(`lastPhoneDigits returns ${digits} for "${text}"`, () => assert.equal(lastPhoneDigits(text), digits))
}
