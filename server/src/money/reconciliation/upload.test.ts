// Tests uploaded files. If a file is invalid, the server names its problems and stores no part of it.

import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import {
  csvOf,
  lineOf,
  NOW,
  openReconciler,
  type PlantedRecord,
  plant,
  type Reconciler,
} from '../../../test/statements.ts'
import { COMMAND_ACT } from '../../apps/admin/act.ts'
import { importAndFinish } from './import.ts'
import { beginStatement } from './statements.ts'

// Other test files run at the same time, so this test file needs a separate folder for uploads.
// Own process: the folder of temporary files is a setting of the whole process.
process.env.TMPDIR = mkdtempSync(join(tmpdir(), 'uploads-'))

let world: World
let operator: Reconciler
let one: PlantedRecord
before(async () => {
  world = await createWorld()
  operator = await openReconciler(world)
  const at = new Date('2026-01-05T07:00:00Z')
  ;[one] = (await plant(world, [{ flow: 'payment', state: 'paid', amount_minor: 100n, at }])) as [PlantedRecord]
})
after(() => world.close())

const HEADER = 'reference,provider_id,kind,amount,currency,at'
const validLine = (i: number) => `,A${i},payment,5.00,TZS,2026-01-05T07:00:00Z`

async function assertNothingStored(): Promise<void> {
  for (const table of ['statements', 'statement_lines', 'reconciliation_exceptions']) {
    const [row] = await world.rows<{ n: number }>(`select count(*)::int as n from ${table}`)
    assert.equal(row?.n, 0, table)
  }
}

test('the server refuses a file with invalid lines, names the first twenty invalid lines, and stores nothing', async () => {
  const lines = Array.from({ length: 3_000 }, (_, i) =>
    i % 100 === 50 ? validLine(i).replace('5.00', '5,00') : validLine(i),
  )
  const reply = await operator.upload([HEADER, ...lines].join('\n'))
  assert.deepEqual(codeOf(reply), [400, 'validation_failed'])
  const { message, details } = reply.body.error
  assert.equal(details.lines.length, 20)
  assert.deepEqual(details.lines.slice(0, 2), [
    { line: 52, problem: 'has 7 fields, but the header has another number of fields' },
    { line: 152, problem: 'has 7 fields, but the header has another number of fields' },
  ])
  assert.match(message, /line 52 has 7 fields/)
  await assertNothingStored()
})

const HOSTILE: [string, string | Buffer, RegExp][] = [
  ['no content', '', /body of the request|has no header/],
  ['only line ends', '\n\n\r\n', /has no header/],
  ['no header', [validLine(1), validLine(2)].join('\n'), /line 1 has neither a column reference nor provider_id/],
  [
    'a quote that is not closed',
    `${HEADER}\n${validLine(1)}\n"${validLine(2)}\n`,
    /line 3 has a quote that is not closed/,
  ],
  ['NUL', `${HEADER}\n,A\0,payment,5.00,TZS,2026-01-05T07:00:00Z\n`, /line 2 has a control character/],
  ['another encoding', Buffer.from(`\ufeff${HEADER}\n${validLine(1)}\n`, 'utf16le'), /line 1 is not UTF-8/],
  ['a formula as an amount', `${HEADER}\n${validLine(1).replace('5.00', '=5+5')}\n`, /line 2 amount must be a decimal/],
  ['a line of 10 MB', `${HEADER}\n,${'x'.repeat(10_000_000)}\n`, /line 2 is longer than 16384 characters/],
  [
    'a field of 10 MB in quotes',
    `${HEADER}\n,"${'x\n'.repeat(5_000_000)}"\n`,
    /line 2 is longer than 16384 characters/,
  ],
  ['a line of another day', `${HEADER}\n,A,payment,5.00,TZS,2026-01-03T07:00:00Z\n`, /line 2 at is outside the period/],
]
for (const [name, content, message] of HOSTILE) {
  test(`the server refuses a file with ${name} and stores nothing`, async () => {
    const reply = await operator.upload(content)
    assert.deepEqual(codeOf(reply), [400, 'validation_failed'], reply.text)
    assert.match(reply.body.error.message, message)
    await assertNothingStored()
  })
}

test('the server refuses an import with an invalid query or content type', async () => {
  const csv = csvOf([lineOf(one)])
  const refusedField = async (options: { from?: string; to?: string; query?: string }) => {
    const reply = await operator.upload(csv, options)
    assert.deepEqual(codeOf(reply), [400, 'validation_failed'], JSON.stringify(options))
    return reply.body.error.details.fields[0].field
  }
  assert.equal(await refusedField({ from: 'monday' }), 'from')
  assert.equal(await refusedField({ from: NOW, to: NOW }), 'to')
  assert.equal(await refusedField({ to: '2026-01-05T09:00:01Z' }), 'to')
  assert.equal(await refusedField({ from: '2025-01-05' }), 'to')
  assert.equal(await refusedField({ query: '&columns=wage=x' }), 'columns')
  assert.equal(await refusedField({ query: '&file_name=%00' }), 'file_name')
  const url = '/v1/operator/statements?provider=nobody&from=2026-01-05&to=2026-01-05T09:00:00Z'
  const headers = { 'content-type': 'text/csv' }
  const unknown = await world.call({ method: 'POST', url, headers, payload: csv, key: await operator.session() })
  assert.equal(unknown.body.error.details.fields[0].field, 'provider')
  const json = await world.call({ method: 'POST', url, payload: {}, key: await operator.session() })
  assert.deepEqual(codeOf(json), [415, 'unsupported_media_type'])
  await assertNothingStored()
})

test('the server refuses a file above 50 MiB, and an ended upload leaves no file on disk', async () => {
  const large = Buffer.alloc(50 * 1024 * 1024 + 1, 'x')
  assert.deepEqual(codeOf(await operator.upload(large)), [413, 'payload_too_large'])
  assert.deepEqual(
    readdirSync(tmpdir()).filter((name) => name.startsWith('malipo-statement-')),
    [],
  )
})

test('the server imports equal files without lines for several days, and opens cases for booked movements', async () => {
  const first = await operator.upload(`${HEADER}\n`, { from: '2026-01-01', to: '2026-01-02' })
  assert.deepEqual([first.status, first.body.data.lines, first.body.data.opened], [201, 0, 0])
  const second = await operator.upload(`${HEADER}\n`)
  assert.deepEqual([second.status, second.body.data.lines, second.body.data.opened], [201, 0, 1])
  const [found] = await operator.cases()
  assert.deepEqual([found?.kind, found?.reference], ['unknown_to_them', one.reference])
})

test('the server keeps formulas and markup in references unchanged', async () => {
  const texts = ["=cmd|' /C calc'!A0", '<script>alert(1)</script>', '"quoted, with a comma"']
  const rows = texts.map((text) => `"${text.replaceAll('"', '""')}",F,payment,5.00,TZS,2026-01-05T07:00:00Z`)
  const csv = [HEADER, ...rows.map((row, i) => row.replace(',F,', `,F${i},`))].join('\n')
  const reply = await operator.upload(
    `${csv}\n${one.reference},${one.provider_id},payment,1.00,TZS,2026-01-05T07:00:00Z\n`,
  )
  assert.equal(reply.status, 201, reply.text)
  // This file contains the movement that earlier statements do not have.
  assert.equal(reply.body.data.explained, 1)
  assert.deepEqual((await operator.cases()).map(({ reference }) => reference).sort(), texts.sort())
})

test('the server imports a file with column names of the operator, semicolons and times of Tanzania', async () => {
  const csv = `\ufeffOrder No;Wert;"Wann";Ours\r\nP-1;1,00;2026-01-05 10:00:00;${one.reference}\r\n`
  const query = `&columns=${encodeURIComponent('provider_id=order no,amount=Wert,at=Wann,reference=Ours')}`
  const reply = await operator.upload(csv, { query })
  assert.equal(reply.status, 201, reply.text)
  const [line] = await world.rows<{ at: Date; provider_id: string; kind: string }>(
    `select at, provider_id, kind from statement_lines where reference = $1`,
    [one.reference],
  )
  // The stored movement has another provider id, so this line is a second movement.
  assert.deepEqual([line?.provider_id, line?.kind], [one.provider_id, 'payment'])
  const duplicate = (await operator.cases()).find(({ kind }) => kind === 'duplicate')
  assert.deepEqual([duplicate?.provider_id, duplicate?.reference], ['P-1', one.reference])
  assert.equal((duplicate as unknown as { at: string }).at, '2026-01-05T07:00:00.000Z')
})

test('the server refuses a second import of a provider while one import runs, and accepts it when the lease of the first import ended', async () => {
  const csv = csvOf([lineOf(one, { amount_minor: 100n })])
  const sha256 = createHash('sha256').update(csv).digest()
  const period = { from: new Date('2026-01-04T21:00:00Z'), to: new Date(NOW) }
  const { actor } = COMMAND_ACT
  const dead_import = await beginStatement(world.deps, {
    provider: 'mock',
    source: 'file',
    file_name: null,
    sha256,
    period,
    actor,
  })
  const same = await operator.upload(csv)
  assert.deepEqual(codeOf(same), [409, 'invalid_state'])
  assert.match(same.body.error.message, /is importing this file now/)
  const key = randomUUID()
  const other = await operator.upload(`${csv}\r\n`, { idempotency_key: key })
  assert.match(other.body.error.message, /Another import of this provider/)
  world.deps.clock.advance(61_000)
  assert.equal((await operator.upload(csv)).status, 201)
  assert.equal(
    (await operator.upload(`${csv}\r\n`, { idempotency_key: key })).status,
    201,
    'the refusal was not stored under the key',
  )
  const [row] = await world.rows<{ state: string }>('select state from statements where id = $1', [dead_import.id])
  assert.equal(row?.state, 'failed')
})

test('an operator can import a file again after an import of this file failed in the middle', async () => {
  const period = { from: new Date('2026-01-04T21:00:00Z'), to: new Date(NOW) }
  const content = Buffer.from(`${csvOf([lineOf(one)])}\r\n\r\n`)
  let opened = 0
  const file = {
    name: null,
    sha256: createHash('sha256').update(content).digest(),
    async *open() {
      opened += 1
      yield content
      if (opened === 2) throw new Error('the disk is gone')
    },
  }
  const input = { provider: 'mock', file, columns: new Map(), period }
  await assert.rejects(importAndFinish(world.deps, COMMAND_ACT, input), /the disk is gone/)
  const statement = await importAndFinish(world.deps, COMMAND_ACT, input)
  assert.deepEqual([statement.state, statement.lines, statement.matched], ['done', 1, 1])
})

test('the server imports a file that arrives in parts, and stores no line of an upload that ends too early', async () => {
  const address = await world.system.app.listen({ port: 0, host: '127.0.0.1' })
  const url = `${address}/v1/operator/statements?provider=mock&from=2025-12-01&to=2025-12-02`
  const headers = { authorization: `Bearer ${await operator.session()}`, 'content-type': 'text/csv' }
  const parts = async function* (broken: boolean) {
    yield Buffer.from(`${HEADER}\n`)
    for (let part = 0; part < 20; part++) {
      const lines = Array.from({ length: 500 }, (_, i) => `,D${part}-${i},payment,5.00,TZS,2025-12-01 12:00:00\n`)
      yield Buffer.from(lines.join(''))
      if (broken && part === 10) throw new Error('the line is cut')
    }
  }
  const send = (broken: boolean) =>
    fetch(url, { method: 'POST', headers, body: ReadableStream.from(parts(broken)), duplex: 'half' } as RequestInit)
  const count = () =>
    world.rows(
      'select (select count(*) from statements) as statements, (select count(*) from statement_lines) as lines',
    )
  const before = await count()
  await assert.rejects(send(true))
  assert.deepEqual(await count(), before, 'nothing is stored')
  const reply = await send(false)
  assert.equal(reply.status, 201)
  const { data } = (await reply.json()) as { data: { lines: number; opened: number } }
  assert.deepEqual([data.lines, data.opened], [10_000, 10_000])
})
