// Tests the fields of a statement line and the columns of a header.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statementForm } from '../../adapters/providers/statement-forms.ts'
import { newId, seededRandom, settableClock } from '../../kernel/lib/index.ts'
import { attemptReference } from '../collections/reference.ts'
import { readColumnNames, readHeader } from './columns.ts'
import { newestDay } from './daily.ts'
import { lineOfMove, parseLine, parseTimeOrDay } from './line.ts'

const PERIOD = { from: new Date('2026-01-04T21:00:00Z'), to: new Date('2026-01-05T21:00:00Z') }
const OURS = '01KE6TWAM08EQTFA2BCDEFGHJK01'
const VALID = {
  reference: OURS,
  provider_id: 'A1',
  kind: 'payment',
  amount: '25000.00',
  currency: 'TZS',
  at: '2026-01-05 12:00:00',
}
const parse = (texts: Partial<typeof VALID>, decimal_comma = false, provider = 'mock') =>
  parseLine(7, { ...VALID, ...texts }, { provider, period: PERIOD, decimal_comma })

test('the line parser reads a valid line with its amount in cents and its time', () => {
  assert.deepEqual(parse({}), {
    line: 7,
    reference: OURS,
    provider_id: 'A1',
    kind: 'payment',
    amount_minor: 2_500_000n,
    currency: 'TZS',
    at: new Date('2026-01-05T09:00:00Z'),
  })
})

const AMOUNTS: [string, string, bigint | string][] = [
  ['25000', 'payment', 2_500_000n],
  ['25000.5', 'payment', 2_500_050n],
  ['25000.5000', 'payment', 2_500_050n],
  ['-25000.00', 'payout', 2_500_000n],
  ['-25000.00', 'payment', 'amount must be greater than zero'],
  ['0.00', 'payment', 'amount must be greater than zero'],
  ['--5', 'payout', 'amount must be greater than zero'],
  ['25,000.00', 'payment', 'amount must be a decimal such as 25000 or 25000.50, without separators'],
  ['25000.001', 'payment', 'amount must be a decimal such as 25000 or 25000.50, without separators'],
  ['1e5', 'payment', 'amount must be a decimal such as 25000 or 25000.50, without separators'],
  ['', 'payment', 'amount must be a decimal such as 25000 or 25000.50, without separators'],
  ['=1+1', 'payment', 'amount must be a decimal such as 25000 or 25000.50, without separators'],
  ['99999999999999999', 'payment', 'amount must be a decimal such as 25000 or 25000.50, without separators'],
]
for (const [amount, kind, expected] of AMOUNTS) {
  test(`the line parser ${typeof expected === 'string' ? 'refuses' : 'reads'} the amount "${amount}" of a ${kind} line`, () => {
    const line = parse({ amount, kind })
    assert.equal(typeof line === 'string' ? line : line.amount_minor, expected)
  })
}

test('the line parser reads a comma as a decimal point only when semicolons separate fields', () => {
  const comma = parse({ amount: '25000,5' }, true)
  assert.equal(typeof comma === 'string' ? comma : comma.amount_minor, 2_500_050n)
  assert.equal(typeof parse({ amount: '25,000' }, true), 'string')
  assert.equal(typeof parse({ amount: '25000,5' }), 'string')
})

const INVALID: [Partial<typeof VALID>, string][] = [
  [{ reference: '', provider_id: '' }, 'has neither reference nor provider_id'],
  [{ reference: 'x'.repeat(129) }, 'has a reference or provider_id of more than 128 characters'],
  [{ kind: 'refund' }, 'kind must be one of payment, payout, reversal, charge'],
  [{ kind: '', reference: 'ORDER 7' }, 'has no kind, and its reference is not one of ours'],
  [{ currency: 'shillings' }, 'currency must be a code of three letters'],
  [{ at: 'yesterday' }, 'at must be a time such as 2026-01-05T12:00:00Z or 2026-01-05 15:00:00'],
  [{ at: '2026-02-30 12:00:00' }, 'at must be a time such as 2026-01-05T12:00:00Z or 2026-01-05 15:00:00'],
  [{ at: '2026-01-06 00:00:00' }, 'at is outside the period of the statement'],
  [{ at: '2026-01-04T20:59:59Z' }, 'at is outside the period of the statement'],
]
for (const [texts, problem] of INVALID)
  test(`the line parser refuses a line with ${JSON.stringify(texts).slice(0, 60)}`, () =>
    assert.equal(parse(texts), problem))

test('the line parser derives the kind from our reference when the line has no kind', () => {
  const kindOf = (reference: string) => {
    const line = parse({ kind: '', reference })
    return typeof line === 'string' ? line : line.kind
  }
  assert.equal(kindOf(OURS), 'payment')
  assert.equal(kindOf(`W${OURS.slice(0, 26)}`), 'payout')
})

const TIMES: [string, string | null][] = [
  ['2026-01-05T12:00:00Z', '2026-01-05T12:00:00.000Z'],
  ['2026-01-05T12:00:00.25Z', '2026-01-05T12:00:00.250Z'],
  ['2026-01-05T12:00:00+05:30', '2026-01-05T06:30:00.000Z'],
  ['2026-01-05T12:00:00-0100', '2026-01-05T13:00:00.000Z'],
  ['2026-01-05 12:00:00', '2026-01-05T09:00:00.000Z'],
  ['2026-01-05T12:00', '2026-01-05T09:00:00.000Z'],
  ['2026-01-05', '2026-01-04T21:00:00.000Z'],
  ['2024-02-29', '2024-02-28T21:00:00.000Z'],
  ['2026-02-29', null],
  ['2026-13-01', null],
  ['2026-01-05 24:00:00', null],
  ['05/01/2026 12:00', null],
  ['2026-01-05T12:00:00+25:00', null],
  ['', null],
]
for (const [text, expected] of TIMES) {
  test(`the time parser ${expected === null ? 'refuses' : 'reads'} the time "${text}"`, () =>
    assert.equal(parseTimeOrDay(text)?.toISOString() ?? null, expected))
}

const names = (text: string) => {
  const read = readColumnNames(text)
  assert.ok(typeof read !== 'string', String(read))
  return read
}

test('the header parser finds columns by our names, by names of providers, and by names of the operator', () => {
  const pick = readHeader(['Receipt No.', 'Order_Id', 'AMOUNT', 'Completion Time', 'x'], names(''))
  assert.ok(typeof pick !== 'string', String(pick))
  assert.deepEqual(pick(['A1', ' R1 ', '5', '2026-01-05', 'y']), {
    reference: 'R1',
    provider_id: 'A1',
    kind: '',
    amount: '5',
    currency: '',
    at: '2026-01-05',
  })
  assert.equal(pick(['A1', 'R1', '5', '2026-01-05']), null)
  const with_names = readHeader(['Ref', 'Wert', 'Wann'], names('reference=Ref,amount=wert,at=WANN'))
  assert.ok(typeof with_names !== 'string', String(with_names))
  assert.equal(with_names(['R1', '5', '2026-01-05'])?.amount, '5')
})

test('the header parser refuses a header with a missing or ambiguous column', () => {
  assert.equal(readHeader(['reference', 'amount'], names('')), 'has no column at')
  assert.equal(readHeader(['kind', 'amount', 'at'], names('')), 'has neither a column reference nor provider_id')
  assert.equal(readHeader(['reference', 'amount', 'Amount', 'at'], names('')), 'has the column "amount" more than once')
  assert.equal(readHeader(['reference', 'amount', 'at'], names('at=When')), 'has no column "When"')
  assert.equal(readHeader(Array(201).fill('x'), names('')), 'has more than 200 columns')
  assert.match(String(readColumnNames('amount')), /must be pairs/)
  assert.match(String(readColumnNames('amount=')), /must be pairs/)
  assert.match(String(readColumnNames('wage=x')), /must be pairs/)
})

test("the line parser refuses a movement of a provider's list when the movement has an invalid field", () => {
  const move = {
    reference: OURS,
    provider_id: null,
    kind: 'payment',
    amount_minor: 5n,
    currency: 'TZS',
    at: PERIOD.from,
  } as const
  assert.deepEqual(lineOfMove('mock', 3, move), { line: 3, ...move })
  const invalid = [
    { reference: null },
    { reference: '' },
    { reference: 'a\u0000' },
    { reference: 'x'.repeat(129) },
    { kind: 'gift' as 'payment' },
    { amount_minor: 0n },
    { amount_minor: -5n },
    { amount_minor: 2n ** 60n },
    { currency: 'tzs' },
    { at: new Date(Number.NaN) },
  ]
  for (const fields of invalid)
    assert.equal(lineOfMove('mock', 3, { ...move, ...fields }), null, Object.keys(fields).join())
})

test('the server may fetch the movements of yesterday from 02:00 in Tanzania on, and only of earlier days before 02:00', () => {
  const nameAt = (now: string) => newestDay(new Date(now)).name
  assert.equal(nameAt('2026-01-05T22:59:59Z'), '2026-01-04')
  assert.equal(nameAt('2026-01-05T23:00:00Z'), '2026-01-05')
  assert.deepEqual(newestDay(new Date('2026-01-06T09:00:00Z')), {
    name: '2026-01-05',
    from: new Date('2026-01-04T21:00:00Z'),
    to: new Date('2026-01-05T21:00:00Z'),
  })
})

test('the line parser converts a reference in the form of its provider, and leaves a reference in the form of another provider unchanged', () => {
  const id = newId({ clock: settableClock(PERIOD.from), random: seededRandom('packed') }, 7)
  const ours = attemptReference(id, 1)
  const packed = statementForm('vodacom', ours) as string
  assert.match(packed, /^[0-9A-Za-z]{20}$/)
  assert.equal(statementForm('selcom', ours), null, 'this provider keeps our form')
  const line = parse({ reference: packed, kind: '' }, false, 'vodacom')
  assert.deepEqual(typeof line === 'string' ? line : [line.reference, line.kind], [ours, 'payment'])
  const other = parse({ reference: packed }, false, 'selcom')
  assert.equal(typeof other === 'string' ? other : other.reference, packed)
  const move = { ...VALID, kind: 'payment', amount_minor: 5n, reference: packed, at: PERIOD.from } as const
  assert.equal(lineOfMove('vodacom', 1, move)?.reference, ours)
  const own = parse({ reference: ours }, false, 'vodacom')
  assert.equal(typeof own === 'string' ? own : own.reference, ours)
})

test('the header parser ignores the kind column when the operator gives the column an empty name', () => {
  const names = readColumnNames('kind=')
  if (typeof names === 'string') throw new Error(names)
  const pick = readHeader(['reference', 'type', 'amount', 'at'], names)
  assert.equal(typeof pick === 'string' ? pick : pick([OURS, 'C2B Buy Goods', '5', '2026-01-05'])?.kind, '')
})
