// Makes the text of a mock QR code in the merchant-presented form of EMVCo that TANQR uses. Each code is dynamic and
// contains the amount.

import { formatAmount } from '../../../kernel/lib/index.ts'

/** The acquirer number of mock codes. The Bank of Tanzania assigns acquirer numbers and has not assigned this number. */
const ACQUIRER = '09999'
const CURRENCY_NUMBER = '834'

/** Returns the QR text of one payment. The same payment always has the same text. */
export function qrPayload(payment_token: string, amount_minor: bigint): string {
  const text = [
    qrField('00', '01'),
    qrField('01', '12'),
    qrField('26', qrField('00', 'tz.go.bot.tips') + qrField('01', ACQUIRER) + qrField('02', payment_token)),
    qrField('52', '0000'),
    qrField('53', CURRENCY_NUMBER),
    qrField('54', formatAmount(amount_minor).replace(/\.00$/, '')),
    qrField('58', 'TZ'),
    qrField('59', 'MALIPO MOCK'),
    qrField('60', 'DAR ES SALAAM'),
    qrField('61', '11101'),
    qrField('62', qrField('01', payment_token) + qrField('03', payment_token)),
    // The checksum covers the tag and the length of the checksum field too.
    '6304',
  ].join('')
  return text + crc16(text).toString(16).toUpperCase().padStart(4, '0')
}

function qrField(tag: string, value: string): string {
  return tag + String(value.length).padStart(2, '0') + value
}

/** Computes the CRC-16/CCITT-FALSE of an ASCII text. */
export function crc16(text: string): number {
  let crc = 0xffff
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i) << 8
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff
  }
  return crc
}
