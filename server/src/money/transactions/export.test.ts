// Tests the export of transactions: a CSV file has each transaction once, and a spreadsheet reads no cell as a formula.

import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { approve, postFacts, submitWithdrawal } from '../../../test/ledger-facts.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import { csvLine, plainCell } from '../../kernel/lib/index.ts'
import { exportTransactions } from './export.ts'
import { factsOfType } from './kinds.ts'

/**
 * The number of queries that have read transactions. These queries are unnamed prepared statements. With `onRead`, a test can
 * delay or fail a query.
 */
let reads = 0
let onRead: () => void | Promise<void> = () => {}

let world: World
let base: string
before(async () => {
  world = await createWorld({
    before: (name) => {
      if (name !== '') return
      reads += 1
      return onRead()
    },
  })
  await world.system.app.listen({ port: 0, host: '127.0.0.1' })
  base = `http://127.0.0.1:${(world.system.app.server.address() as AddressInfo).port}`
})
after(() => world.close())

const HEADER =
  'reference,created_at_eat,created_at,type,direction,amount,fee,net_amount,currency,status,balance_after,collection_id,withdrawal_id,merchant_reference,environment,sequence'
const pathOf = (merchant: Merchant) => `/v1/merchants/${merchant.id}/transactions/export`

/** Parses CSV strictly as RFC 4180 defines it: each line ends with CR LF and has the same number of cells. */
function parse(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (let at = 0; at < text.length; ) {
    let cell = ''
    if (text[at] === '"') {
      for (at += 1; ; at++) {
        assert.ok(at < text.length, 'a quote is closed')
        if (text[at] !== '"') cell += text[at]
        else if (text[at + 1] === '"') cell += text[++at]
        else break
      }
      at += 1
    } else {
      for (; at < text.length && text[at] !== ',' && text[at] !== '\r'; at++) {
        assert.ok(text[at] !== '"' && text[at] !== '\n', 'a cell with a quote or a line end is quoted')
        cell += text[at]
      }
    }
    row.push(cell)
    if (text[at] === ',') at += 1
    else {
      assert.equal(text.slice(at, at + 2), '\r\n')
      at += 2
      rows.push(row)
      row = []
    }
  }
  assert.deepEqual(row, [], 'the last line ends too')
  for (const cells of rows) assert.equal(cells.length, rows[0]?.length)
  return rows
}

test('the CSV parser returns each cell as csvLine received it', () => {
  for (const text of ['', 'a', 'a,b', 'a"b', '""', 'a\r\nb', 'Mama Asha’s duka', '测试, "四"', "'", ' ']) {
    assert.deepEqual(parse(csvLine([text, 'x'])), [[text, 'x']])
  }
})

test('csvLine puts an apostrophe before a text that a spreadsheet would read as a formula, and plainCell keeps an amount as a number', () => {
  for (const text of [
    '=1+1',
    '+255754123001',
    '-2',
    '@SUM(A1)',
    '\tx',
    '\rx',
    '=HYPERLINK("http://evil.example","x")',
  ]) {
    assert.deepEqual(parse(csvLine([text])), [[`'${text}`]])
  }
  for (const text of ['1=1', 'a+b', "'=1", ' =1', 'A-7']) assert.deepEqual(parse(csvLine([text])), [[text]])
  assert.equal(csvLine([plainCell('-5.00'), plainCell(3)]), '-5.00,3\r\n')
})

test('the exported file has the content type and name of a CSV file, and every transaction in the order of the list', async () => {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  const references = ['=cmd|"/c calc"!A1', 'ORDER, "7"', '+1', '-1', '@x', 'plain', 'ÜTF-8 ✓']
  for (const reference of references) {
    await world.post('/v1/collections/wallet-push', { amount: '50', phone: '0754123001', reference }, { key })
    await world.work()
    world.deps.clock.advance(1_000)
  }
  const id = await submitWithdrawal(world, { merchant, amount_minor: 10_000n, fee_minor: 100n, reference: '=W()' })
  await approve(world.deps, merchant, [id])
  await postFacts(world.deps, merchant, [{ fact: 'collection_reversed', amount_minor: 99_900n }])
  const reply = await world.get(pathOf(merchant), key)
  assert.equal(reply.status, 200)
  assert.equal(reply.headers['content-type'], 'text/csv; charset=utf-8')
  assert.equal(
    reply.headers['content-disposition'],
    `attachment; filename="transactions-${merchant.merchant_code}-sandbox.csv"`,
  )
  assert.equal(reply.headers['cache-control'], 'no-store')
  const [header = [], ...rows] = parse(reply.text)
  assert.equal(header.join(','), HEADER)
  const { items } = (await world.get(`/v1/merchants/${merchant.id}/transactions`, key)).body.data
  const shown = items.map((item: Record<string, string | number | null>) =>
    header.map((name) => {
      // The clock of the test has whole seconds.
      const eat = new Date(Date.parse(String(item.created_at)) + 3 * 3_600_000).toISOString()
      const value = name === 'created_at_eat' ? eat.slice(0, 19).replace('T', ' ') : String(item[name] ?? '')
      return name === 'merchant_reference' && /^[=+\-@]/.test(value) ? `'${value}` : value
    }),
  )
  assert.deepEqual(rows, shown)
  assert.equal(rows.length, references.length + 2)
  assert.ok(
    rows.some((cells) => cells[header.indexOf('balance_after')]?.startsWith('-')),
    'an amount below zero is still a number',
  )
})

test('a merchant without transactions gets an exported file with only the header', async () => {
  const merchant = await world.newMerchant()
  const reply = await world.get(pathOf(merchant), await world.newKey({ merchant }))
  assert.equal(reply.text, `${HEADER}\r\n`)
})

test('the exported file has only transactions between from and to in the requested environment', async () => {
  const merchant = await world.newMerchant()
  const start = world.deps.clock.now().getTime()
  for (let i = 0; i < 10; i++) {
    await postFacts(world.deps, merchant, [
      { fact: 'collection_settled', amount_minor: BigInt(100 + i), environment: i % 2 === 0 ? 'live' : 'sandbox' },
    ])
    world.deps.clock.advance(1_000)
  }
  const { token } = await world.newSession([{ role: 'VIEWER', merchant }])
  const at = (seconds: number) => encodeURIComponent(new Date(start + seconds * 1000).toISOString())
  const amounts = async (query: string) =>
    parse((await world.get(`${pathOf(merchant)}?${query}`, token)).text)
      .slice(1)
      .map((cells) => cells[5])
  assert.deepEqual(await amounts(''), ['1.08', '1.06', '1.04', '1.02', '1.00'])
  assert.deepEqual(await amounts('environment=sandbox'), ['1.09', '1.07', '1.05', '1.03', '1.01'])
  assert.deepEqual(await amounts(`from=${at(2)}&to=${at(6)}`), ['1.04', '1.02'])
  const refused = await world.get(`${pathOf(merchant)}?from=today`, token)
  assert.deepEqual(codeOf(refused), [400, 'validation_failed'])
})

test('the exported file has only transactions of the requested type', async () => {
  const merchant = await world.newMerchant()
  await postFacts(world.deps, merchant, [
    { fact: 'collection_settled', amount_minor: 500n, environment: 'live' },
    { fact: 'collection_reversed', amount_minor: 500n, environment: 'live' },
  ])
  const { token } = await world.newSession([{ role: 'VIEWER', merchant }])
  const types = async (query: string) =>
    parse((await world.get(`${pathOf(merchant)}?${query}`, token)).text)
      .slice(1)
      .map((cells) => cells[3])
  assert.deepEqual(await types('type=COLLECTION_REVERSAL'), ['COLLECTION_REVERSAL'])
  assert.equal((await types('')).length, 2)
  assert.deepEqual(codeOf(await world.get(`${pathOf(merchant)}?type=LOTTERY`, token)), [400, 'validation_failed'])
})

/** Creates a merchant with many payments. */
async function busyMerchant(count: number): Promise<Merchant> {
  const merchant = await world.newMerchant()
  for (let left = count; left > 0; left -= 500) {
    const facts = Array.from({ length: Math.min(500, left) }, (_, i) => {
      return { fact: 'collection_settled', amount_minor: BigInt(1_000 + i), fee_minor: 7n } as const
    })
    await postFacts(world.deps, merchant, facts)
    world.deps.clock.advance(1)
  }
  return merchant
}

test('the exported file has five thousand transactions once each, and the server reads them in batches of equal size', async () => {
  const merchant = await busyMerchant(5_000)
  const selection = {
    merchant_id: merchant.id,
    environment: 'sandbox',
    facts: factsOfType(null),
    from: 1n,
    until: 5_001n,
  }
  reads = 0
  const sizes: number[] = []
  const seen = new Set<string>()
  for await (const chunk of await exportTransactions(world.deps, selection)) {
    const lines = String(chunk).split('\r\n').slice(0, -1)
    sizes.push(lines.length)
    for (const line of lines) seen.add(line.slice(0, 30))
  }
  assert.deepEqual(sizes, [1, ...Array(10).fill(500)], 'the header, then the batches')
  assert.equal(seen.size, 5_001)
  assert.equal(reads, 11, 'ten full batches, and an empty one')
  const whole = await world.get(pathOf(merchant), await world.newKey({ merchant }))
  assert.equal(parse(whole.text).length, 5_001)
})

test('the server reads an export at most two batches ahead of the client', async () => {
  const merchant = await busyMerchant(5_000)
  const selection = {
    merchant_id: merchant.id,
    environment: 'sandbox',
    facts: factsOfType(null),
    from: 1n,
    until: 5_001n,
  }
  reads = 0
  const stream = await exportTransactions(world.deps, selection)
  const chunks = stream[Symbol.asyncIterator]()
  for (let taken = 1; taken <= 4; taken++) {
    await chunks.next()
    // When this query ends, the stream has requested all batches that it reads ahead.
    await world.deps.db.ping()
    assert.ok(reads <= taken + 2, `${reads} batches were read for ${taken}`)
  }
  stream.destroy()
})

test('the server reads no further batch of an export after the client disconnects', async () => {
  const merchant = await busyMerchant(5_000)
  const key = await world.newKey({ merchant })
  const closed = new Promise<void>((resolve) => {
    world.system.app.server.once('connection', (socket) => socket.once('close', () => resolve()))
  })
  reads = 0
  // The third batch waits until the client has disconnected.
  onRead = () => (reads === 3 ? closed : undefined)
  const client = new AbortController()
  const headers = { authorization: `Bearer ${key}`, connection: 'close' }
  const response = await fetch(base + pathOf(merchant), { headers, signal: client.signal })
  await response.body?.getReader().read()
  client.abort()
  await closed
  onRead = () => {}
  // If the export continued, it would read its next batch during these queries.
  for (let i = 0; i < 50; i++) await world.deps.db.ping()
  assert.ok(reads <= 3, `${reads} batches were read`)
})

test('the server closes the connection when an export fails, and refuses an export whose first query fails', async () => {
  const merchant = await busyMerchant(2_000)
  const headers = { authorization: `Bearer ${await world.newKey({ merchant })}` }
  const read = () => fetch(base + pathOf(merchant), { headers })
  const lost = Object.assign(new Error('Connection terminated unexpectedly'), { code: '08006' })
  onRead = () => {
    throw lost
  }
  const refused = await read()
  assert.equal(refused.status, 503)
  assert.equal(((await refused.json()) as { error: { code: string } }).error.code, 'service_unavailable')
  assert.equal(refused.headers.get('content-disposition'), null)
  reads = 0
  onRead = () => {
    if (reads === 3) throw lost
  }
  const broken = await read()
  await assert.rejects(broken.text(), 'the client sees the cut connection')
  onRead = () => {}
  assert.equal(parse(await (await read()).text()).length, 2_001)
})

test('the server reads no transactions for a HEAD request to the export', async () => {
  const merchant = await busyMerchant(500)
  const key = await world.newKey({ merchant })
  reads = 0
  const headers = { authorization: `Bearer ${key}` }
  const reply = await world.system.app.inject({ method: 'HEAD', url: pathOf(merchant), headers })
  assert.equal(reply.statusCode, 405)
  assert.equal(reads, 0)
})

describe('simultaneous exports', () => {
  /** Holds every query of an export until the returned function runs. */
  function holdReads(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    reads = 0
    onRead = () => promise
    return () => {
      onRead = () => {}
      resolve()
    }
  }
  const waitFor = async (holds: () => boolean) => {
    for (let i = 0; i < 1_000 && !holds(); i++) await wait(5)
    assert.ok(holds())
  }

  test('a merchant can run four exports at once, and the server refuses a fifth export of any kind and reads two batches at once', async () => {
    const merchant = await busyMerchant(2)
    const key = await world.newKey({ merchant })
    const { token } = await world.newSession([{ role: 'FINANCE', merchant }])
    const stranger = await world.newMerchant()
    const stranger_key = await world.newKey({ merchant: stranger })
    const go = holdReads()
    try {
      const exports = Array.from({ length: 5 }, () => world.get(pathOf(merchant), key))
      // The other four exports wait for their queries, so the refusal of the fifth export is the first answer.
      const fifth = await Promise.race(exports)
      assert.deepEqual(codeOf(fifth), [503, 'service_unavailable'])
      for (const path of [
        pathOf(merchant),
        '/v1/collections/export.csv?environment=sandbox',
        '/v1/payment-links/export.csv?environment=sandbox',
        '/v1/invoices/export.csv?environment=sandbox',
        '/v1/merchant/withdrawals/export.csv?environment=sandbox',
      ]) {
        const refused = await world.get(path, path === pathOf(merchant) ? key : token)
        assert.deepEqual(codeOf(refused), [503, 'service_unavailable'], path)
        assert.match(refused.body.error.message, /Too many exports/)
        assert.ok(Number(refused.headers['retry-after']) > 0)
      }
      const other = world.get(pathOf(stranger), stranger_key)
      assert.equal(reads, 2)
      go()
      const statuses = (await Promise.all(exports)).map(({ status }) => status)
      assert.deepEqual(statuses.sort(), [200, 200, 200, 200, 503])
      assert.equal((await other).status, 200)
      assert.equal((await world.get(pathOf(merchant), key)).status, 200, 'the server has capacity again later')
    } finally {
      go()
    }
  })

  test('an export whose client disconnects frees its capacity for the next export', async () => {
    const merchant = await busyMerchant(2)
    const key = await world.newKey({ merchant })
    let opened = 0
    world.system.app.server.on('connection', (socket) => {
      opened += 1
      socket.once('close', () => {
        opened -= 1
      })
    })
    const go = holdReads()
    try {
      const client = new AbortController()
      const headers = { authorization: `Bearer ${key}`, connection: 'close' }
      const left = Array.from({ length: 5 }, () => fetch(base + pathOf(merchant), { headers, signal: client.signal }))
      const status = async () => (await world.get(pathOf(merchant), key)).status
      assert.equal((await Promise.race(left)).status, 503, 'four exports use every place of the merchant')
      client.abort()
      await Promise.allSettled(left)
      await waitFor(() => opened === 0)
      const later = status()
      go()
      assert.equal(await later, 200)
    } finally {
      go()
    }
  })
})
