// What a line may say, and how a header names its columns.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statementForm } from '../../adapters/providers/statement-forms.ts'
import { newId, seededRandom, settableClock } from '../../kernel/lib/index.ts'
import { attemptReference } from '../collections/reference.ts'
import { readColumnNames, readHeader } from './columns.ts'
import { dayToFetch } from './daily.ts'
import { lineOfMove, readLine, readMoment } from './line.ts'

const PERIOD = { from: new Date('2026-01-04T21:00:00Z'), to: new Date('2026-01-05T21:00:00Z') }
const OURS = '01KE6TWAM08EQTFA2BCDEFGHJK01'
const SOUND = {
  reference: OURS,
  provider_id: 'A1',
  kind: 'payment',
  amount: '25000.00',
  currency: 'TZS',
  at: '2026-01-05 12:00:00',
}
const read = (texts: Partial<typeof SOUND>, decimal_comma = false, provider = 'mock') =>
  readLine(7, { ...SOUND, ...texts }, { provider, period: PERIOD, decimal_comma })

test('a sound line is read, in cents and with its moment', () => {
  assert.deepEqual(read({}), {
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
  test(`the amount "${amount}" of a ${kind}`, () => {
    const line = read({ amount, kind })
    assert.equal(typeof line === 'string' ? line : line.amount_minor, expected)
  })
}

test('a comma is a decimal point only where semicolons separate, and never a thousand', () => {
  const comma = read({ amount: '25000,5' }, true)
  assert.equal(typeof comma === 'string' ? comma : comma.amount_minor, 2_500_050n)
  assert.equal(typeof read({ amount: '25,000' }, true), 'string')
  assert.equal(typeof read({ amount: '25000,5' }), 'string')
})

const WRONG: [Partial<typeof SOUND>, string][] = [
  [{ reference: '', provider_id: '' }, 'has neither reference nor provider_id'],
  [{ reference: 'x'.repeat(129) }, 'has a reference or provider_id of more than 128 characters'],
  [{ kind: 'refund' }, 'kind must be one of payment, payout, reversal, charge'],
  [{ kind: '', reference: 'ORDER 7' }, 'has no kind, and no reference of ours that would tell it'],
  [{ currency: 'shillings' }, 'currency must be a code of three letters'],
  [{ at: 'yesterday' }, 'at must be a time such as 2026-01-05T12:00:00Z or 2026-01-05 15:00:00'],
  [{ at: '2026-02-30 12:00:00' }, 'at must be a time such as 2026-01-05T12:00:00Z or 2026-01-05 15:00:00'],
  [{ at: '2026-01-06 00:00:00' }, 'at lies outside the period of the statement'],
  [{ at: '2026-01-04T20:59:59Z' }, 'at lies outside the period of the statement'],
]
for (const [texts, problem] of WRONG)
  test(`${JSON.stringify(texts).slice(0, 60)} is refused`, () => assert.equal(read(texts), problem))

test('without a kind our own reference tells which way the money went', () => {
  const kindOf = (reference: string) => {
    const line = read({ kind: '', reference })
    return typeof line === 'string' ? line : line.kind
  }
  assert.equal(kindOf(OURS), 'payment')
  assert.equal(kindOf(`W${OURS.slice(0, 26)}`), 'payout')
})

const MOMENTS: [string, string | null][] = [
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
for (const [text, expected] of MOMENTS) {
  test(`the time "${text}"`, () => assert.equal(readMoment(text)?.toISOString() ?? null, expected))
}

const names = (text: string) => {
  const read = readColumnNames(text)
  assert.ok(typeof read !== 'string', String(read))
  return read
}

test('columns are found by our names, by known other ones, and by those that are named', () => {
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
  const named = readHeader(['Ref', 'Wert', 'Wann'], names('reference=Ref,amount=wert,at=WANN'))
  assert.ok(typeof named !== 'string', String(named))
  assert.equal(named(['R1', '5', '2026-01-05'])?.amount, '5')
})

test('a header that leaves something open is refused', () => {
  assert.equal(readHeader(['reference', 'amount'], names('')), 'has no column at')
  assert.equal(readHeader(['kind', 'amount', 'at'], names('')), 'has neither a column reference nor provider_id')
  assert.equal(readHeader(['reference', 'amount', 'Amount', 'at'], names('')), 'has the column "amount" more than once')
  assert.equal(readHeader(['reference', 'amount', 'at'], names('at=When')), 'has no column "When"')
  assert.equal(readHeader(Array(201).fill('x'), names('')), 'has more than 200 columns')
  assert.match(String(readColumnNames('amount')), /must be pairs/)
  assert.match(String(readColumnNames('amount=')), /must be pairs/)
  assert.match(String(readColumnNames('wage=x')), /must be pairs/)
})

test('a move that an adapter lists is held to the same as a line', () => {
  const move = {
    reference: OURS,
    provider_id: null,
    kind: 'payment',
    amount_minor: 5n,
    currency: 'TZS',
    at: PERIOD.from,
  } as const
  assert.deepEqual(lineOfMove('mock', 3, move), { line: 3, ...move })
  const wrong = [
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
  for (const one of wrong) assert.equal(lineOfMove('mock', 3, { ...move, ...one }), null, Object.keys(one).join())
})

test('yesterday of Tanzania is fetched from two o clock on', () => {
  const nameAt = (now: string) => dayToFetch(new Date(now)).name
  assert.equal(nameAt('2026-01-05T22:59:59Z'), '2026-01-04')
  assert.equal(nameAt('2026-01-05T23:00:00Z'), '2026-01-05')
  assert.deepEqual(dayToFetch(new Date('2026-01-06T09:00:00Z')), {
    name: '2026-01-05',
    from: new Date('2026-01-04T21:00:00Z'),
    to: new Date('2026-01-05T21:00:00Z'),
  })
})

test('a reference in the form of the provider leads to ours, and tells the kind; of another provider it is a text', () => {
  const id = newId({ clock: settableClock(PERIOD.from), random: seededRandom('packed') }, 7)
  const ours = attemptReference(id, 1)
  const packed = statementForm('vodacom', ours) as string
  assert.match(packed, /^[0-9A-Za-z]{20}$/)
  assert.equal(statementForm('selcom', ours), null, 'it writes ours as we gave it')
  const line = read({ reference: packed, kind: '' }, false, 'vodacom')
  assert.deepEqual(typeof line === 'string' ? line : [line.reference, line.kind], [ours, 'payment'])
  const other = read({ reference: packed }, false, 'selcom')
  assert.equal(typeof other === 'string' ? other : other.reference, packed)
  const move = { ...SOUND, kind: 'payment', amount_minor: 5n, reference: packed, at: PERIOD.from } as const
  assert.equal(lineOfMove('vodacom', 1, move)?.reference, ours)
  const own = read({ reference: ours }, false, 'vodacom')
  assert.equal(typeof own === 'string' ? own : own.reference, ours)
})

test('a column that must not be read is named with nothing, and its kinds are told by our references', () => {
  const names = readColumnNames('kind=')
  if (typeof names === 'string') throw new Error(names)
  const pick = readHeader(['reference', 'type', 'amount', 'at'], names)
  assert.equal(typeof pick === 'string' ? pick : pick([OURS, 'C2B Buy Goods', '5', '2026-01-05'])?.kind, '')
})
