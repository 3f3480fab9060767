// Files that are brought: what is wrong with them is told, and leaves nothing behind.

import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { csvOf, lineOf, NOW, openReconciler, type Planted, plant, type Reconciler } from '../../../test/statements.ts'
import { COMMAND_ACT } from '../../apps/admin/act.ts'
import { importWhole } from './import.ts'
import { beginStatement } from './statements.ts'

// Uploads of other test files, which run at the same time, lie elsewhere.
process.env.TMPDIR = mkdtempSync(join(tmpdir(), 'uploads-'))

let world: World
let desk: Reconciler
let one: Planted
before(async () => {
  world = await createWorld()
  desk = await openReconciler(world)
  const at = new Date('2026-01-05T07:00:00Z')
  ;[one] = (await plant(world, [{ flow: 'payment', state: 'paid', amount_minor: 100n, at }])) as [Planted]
})
after(() => world.close())

const HEADER = 'reference,provider_id,kind,amount,currency,at'
const sound = (i: number) => `,A${i},payment,5.00,TZS,2026-01-05T07:00:00Z`

async function nothingStored(): Promise<void> {
  for (const table of ['statements', 'statement_lines', 'reconciliation_exceptions']) {
    const [row] = await world.rows<{ n: number }>(`select count(*)::int as n from ${table}`)
    assert.equal(row?.n, 0, table)
  }
}

test('bad lines refuse the whole file: the first twenty are named with what is wrong, and nothing is stored', async () => {
  const lines = Array.from({ length: 3_000 }, (_, i) => (i % 100 === 50 ? sound(i).replace('5.00', '5,00') : sound(i)))
  const reply = await desk.bring([HEADER, ...lines].join('\n'))
  assert.deepEqual(codeOf(reply), [400, 'validation_failed'])
  const { message, details } = reply.body.error
  assert.equal(details.lines.length, 20)
  assert.deepEqual(details.lines.slice(0, 2), [
    { line: 52, problem: 'has 7 fields, and the header another number' },
    { line: 152, problem: 'has 7 fields, and the header another number' },
  ])
  assert.match(message, /line 52 has 7 fields/)
  await nothingStored()
})

const HOSTILE: [string, string | Buffer, RegExp][] = [
  ['nothing', '', /body of the request|has no header/],
  ['only line ends', '\n\n\r\n', /has no header/],
  ['no header', [sound(1), sound(2)].join('\n'), /line 1 has neither a column reference nor provider_id/],
  ['a quote that is never closed', `${HEADER}\n${sound(1)}\n"${sound(2)}\n`, /line 3 has a quote that is never closed/],
  ['NUL', `${HEADER}\n,A\0,payment,5.00,TZS,2026-01-05T07:00:00Z\n`, /line 2 holds a character that cannot be seen/],
  ['another encoding', Buffer.from(`\ufeff${HEADER}\n${sound(1)}\n`, 'utf16le'), /line 1 is not UTF-8/],
  ['a formula as an amount', `${HEADER}\n${sound(1).replace('5.00', '=5+5')}\n`, /line 2 amount must be a decimal/],
  ['a line of 10 MB', `${HEADER}\n,${'x'.repeat(10_000_000)}\n`, /line 2 is longer than 16384 characters/],
  [
    'a field of 10 MB in quotes',
    `${HEADER}\n,"${'x\n'.repeat(5_000_000)}"\n`,
    /line 2 is longer than 16384 characters/,
  ],
  ['another day', `${HEADER}\n,A,payment,5.00,TZS,2026-01-03T07:00:00Z\n`, /line 2 at lies outside the period/],
]
for (const [name, content, told] of HOSTILE) {
  test(`a file with ${name} is refused, and nothing is stored`, async () => {
    const reply = await desk.bring(content)
    assert.deepEqual(codeOf(reply), [400, 'validation_failed'], reply.text)
    assert.match(reply.body.error.message, told)
    await nothingStored()
  })
}

test('what is asked for around the file is checked', async () => {
  const csv = csvOf([lineOf(one)])
  const bad = async (options: { from?: string; to?: string; query?: string }) => {
    const reply = await desk.bring(csv, options)
    assert.deepEqual(codeOf(reply), [400, 'validation_failed'], JSON.stringify(options))
    return reply.body.error.details.fields[0].field
  }
  assert.equal(await bad({ from: 'monday' }), 'from')
  assert.equal(await bad({ from: NOW, to: NOW }), 'to')
  assert.equal(await bad({ to: '2026-01-05T09:00:01Z' }), 'to')
  assert.equal(await bad({ from: '2025-01-05' }), 'to')
  assert.equal(await bad({ query: '&columns=wage=x' }), 'columns')
  assert.equal(await bad({ query: '&file_name=%00' }), 'file_name')
  const url = '/v1/operator/statements?provider=nobody&from=2026-01-05&to=2026-01-05T09:00:00Z'
  const headers = { 'content-type': 'text/csv' }
  const unknown = await world.call({ method: 'POST', url, headers, payload: csv, key: await desk.session() })
  assert.equal(unknown.body.error.details.fields[0].field, 'provider')
  const json = await world.call({ method: 'POST', url, payload: {}, key: await desk.session() })
  assert.deepEqual(codeOf(json), [415, 'unsupported_media_type'])
  await nothingStored()
})

test('a file above 50 MiB is refused while it comes, and no upload leaves a file behind', async () => {
  const large = Buffer.alloc(50 * 1024 * 1024 + 1, 'x')
  assert.deepEqual(codeOf(await desk.bring(large)), [413, 'payload_too_large'])
  assert.deepEqual(
    readdirSync(tmpdir()).filter((name) => name.startsWith('malipo-statement-')),
    [],
  )
})

test('days without any movement may have the same file, and what our books have there is missing in it', async () => {
  const first = await desk.bring(`${HEADER}\n`, { from: '2026-01-01', to: '2026-01-02' })
  assert.deepEqual([first.status, first.body.data.lines, first.body.data.opened], [201, 0, 0])
  const second = await desk.bring(`${HEADER}\n`)
  assert.deepEqual([second.status, second.body.data.lines, second.body.data.opened], [201, 0, 1])
  const [found] = await desk.cases()
  assert.deepEqual([found?.kind, found?.reference], ['unknown_to_them', one.reference])
})

test('formulas and markup in texts are kept as the texts that they are', async () => {
  const texts = ["=cmd|' /C calc'!A0", '<script>alert(1)</script>', '"quoted, with a comma"']
  const rows = texts.map((text) => `"${text.replaceAll('"', '""')}",F,payment,5.00,TZS,2026-01-05T07:00:00Z`)
  const csv = [HEADER, ...rows.map((row, i) => row.replace(',F,', `,F${i},`))].join('\n')
  const reply = await desk.bring(`${csv}\n${one.reference},${one.provider_id},payment,1.00,TZS,2026-01-05T07:00:00Z\n`)
  assert.equal(reply.status, 201, reply.text)
  // What was missing is stated now.
  assert.equal(reply.body.data.explained, 1)
  assert.deepEqual((await desk.cases()).map(({ reference }) => reference).sort(), texts.sort())
})

test('columns may have other names, semicolons may separate, and times are those of Tanzania', async () => {
  const csv = `\ufeffOrder No;Wert;"Wann";Ours\r\nP-1;1,00;2026-01-05 10:00:00;${one.reference}\r\n`
  const query = `&columns=${encodeURIComponent('provider_id=order no,amount=Wert,at=Wann,reference=Ours')}`
  const reply = await desk.bring(csv, { query })
  assert.equal(reply.status, 201, reply.text)
  const [line] = await world.rows<{ at: Date; provider_id: string; kind: string }>(
    `select at, provider_id, kind from statement_lines where reference = $1`,
    [one.reference],
  )
  // The movement has an id already, and this file gives it another one: that is a second movement.
  assert.deepEqual([line?.provider_id, line?.kind], [one.provider_id, 'payment'])
  const duplicate = (await desk.cases()).find(({ kind }) => kind === 'duplicate')
  assert.deepEqual([duplicate?.provider_id, duplicate?.reference], ['P-1', one.reference])
  assert.equal((duplicate as unknown as { at: string }).at, '2026-01-05T07:00:00.000Z')
})

test('two imports of one provider never run at once; one that died is given up after a minute, and its file is taken', async () => {
  const csv = csvOf([lineOf(one, { amount_minor: 100n })])
  const sha256 = createHash('sha256').update(csv).digest()
  const period = { from: new Date('2026-01-04T21:00:00Z'), to: new Date(NOW) }
  const { actor } = COMMAND_ACT
  const died = await beginStatement(world.deps, {
    provider: 'mock',
    source: 'file',
    file_name: null,
    sha256,
    period,
    actor,
  })
  const same = await desk.bring(csv)
  assert.deepEqual(codeOf(same), [409, 'invalid_state'])
  assert.match(same.body.error.message, /being imported right now/)
  const key = randomUUID()
  const other = await desk.bring(`${csv}\r\n`, { idempotency_key: key })
  assert.match(other.body.error.message, /Another statement of this provider/)
  world.deps.clock.advance(61_000)
  assert.equal((await desk.bring(csv)).status, 201)
  assert.equal((await desk.bring(`${csv}\r\n`, { idempotency_key: key })).status, 201, 'the key was left free')
  const [row] = await world.rows<{ state: string }>('select state from statements where id = $1', [died.id])
  assert.equal(row?.state, 'failed')
})

test('an import that breaks in the middle is given up, and the same file can be brought again', async () => {
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
  await assert.rejects(importWhole(world.deps, COMMAND_ACT, input), /the disk is gone/)
  const statement = await importWhole(world.deps, COMMAND_ACT, input)
  assert.deepEqual([statement.state, statement.lines, statement.matched], ['done', 1, 1])
})

test('a file that comes over a real connection in parts is taken, and one that breaks off is not', async () => {
  const address = await world.system.app.listen({ port: 0, host: '127.0.0.1' })
  const url = `${address}/v1/operator/statements?provider=mock&from=2025-12-01&to=2025-12-02`
  const headers = { authorization: `Bearer ${await desk.session()}`, 'content-type': 'text/csv' }
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
