// Writes and reads QR codes of the TANQR kind: each field has a tag, a length and a value, and a checksum ends the code.

const ACQUIRER = '09999' // an unused code; the Bank of Tanzania assigns the real codes
const BILL_MAX_CHARS = 25
/** Returns true for a tag whose value contains further tags. */
const isTemplate = (tag: number) => (tag >= 26 && tag <= 51) || tag === 62 || tag === 64 || (tag >= 80 && tag <= 99)

/** Returns the text of the QR code of one order. If the reference is too long, the QR code omits the reference. */
export function tanqrOf(order: { order_id: string; payment_token: string; amount: bigint }): string {
  const { order_id, payment_token, amount } = order
  const text = [
    field('00', '01'),
    field('01', '12'),
    field('26', field('00', 'tz.go.bot.tips') + field('01', ACQUIRER) + field('02', payment_token)),
    field('52', '5999'),
    field('53', '834'),
    field('54', String(amount)),
    field('58', 'TZ'),
    field('59', 'DUKA TEST'),
    field('60', 'DAR ES SALAAM'),
    field('61', '11101'),
    field(
      '62',
      field('01', payment_token) +
        field('03', payment_token) +
        (order_id.length <= BILL_MAX_CHARS ? field('05', order_id) : ''),
    ),
    '6304', // the checksum covers its own tag and length
  ].join('')
  return text + checksumOf(text)
}

/**
 * Returns the fields of a code. Nested fields have names such as 26.01. If the checksum or a length is wrong, returns null.
 */
export function readTanqr(text: string): Map<string, string> | null {
  const covered = text.slice(0, -4)
  if (!covered.endsWith('6304') || checksumOf(covered) !== text.slice(-4)) return null
  const fields = new Map<string, string>()
  return walk(text, '', fields) ? fields : null
}

function walk(text: string, above: string, fields: Map<string, string>): boolean {
  for (let at = 0; at < text.length; ) {
    const head = /^(\d\d)(\d\d)$/.exec(text.slice(at, at + 4))
    if (head === null) return false
    const [, tag = '', length = ''] = head
    const value = text.slice(at + 4, at + 4 + Number(length))
    if (value.length !== Number(length) || fields.has(above + tag)) return false
    fields.set(above + tag, value)
    if (above === '' && isTemplate(Number(tag)) && !walk(value, `${tag}.`, fields)) return false
    at += 4 + value.length
  }
  return true
}

function field(tag: string, value: string): string {
  return tag + String(value.length).padStart(2, '0') + value
}

/** Computes the CRC-16/CCITT-FALSE of an ASCII text, as four hexadecimal digits. */
export function checksumOf(text: string): string {
  let crc = 0xffff
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i) << 8
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff
  }
  return crc.toString(16).toUpperCase().padStart(4, '0')
}
