// Tests that another process continues after a process has died at a crash point, and that the platform loses no payment or
// payout. The test finds the points in the sources and in a run without a crash, so it needs no list of points.

import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { inTransaction } from '../../src/kernel/db/index.ts'
import { formatAmount } from '../../src/kernel/lib/index.ts'
import { checkPage, createLink } from '../../src/money/payment-links/index.ts'
import { type Facts, findProblems, gatherFacts, waitQuiet } from './facts.ts'
import { type Client, createClient, type Order, orderOf } from './load.ts'
import { findPayoutProblems, gatherPayoutFacts, openCashier, totalOf, waitPayoutsQuiet } from './payouts.ts'
import { endOf, startChild, until } from './processes.ts'
import { createRig, type Rig } from './rig.ts'
import { type Survivor, serveHere } from './serve.ts'

const ENTRY = fileURLToPath(new URL('./child.ts', import.meta.url))
const SOURCES = fileURLToPath(new URL('../../src', import.meta.url))
/**
 * The lead of the clock of the surviving process, in milliseconds. The lead is longer than each lease and than the lock of an
 * idempotency key.
 */
const AHEAD_MS = 40_000
const DELAY_MS = 100
/**
 * True means that the test kills each flow at each of its points. False means that the test kills at each point only the first
 * flow that passes the point.
 */
const IS_LONG = process.env.POINTS === 'all'
/** The number of scenarios that run at the same time. It may exceed the number of cores, because a scenario mostly waits. */
const CONCURRENCY = 3
/** The amount of the payout, in cents. */
const PAYOUT_MINOR = 250_000n

/** The payments under test. If the request dies, no payer sees the QR code, so the payer of the QR code never pays. */
const FLOWS = {
  page: (rig: Rig) => orderOnPage(rig, 'the-page', 250_000n, '255754123001'),
  push: async (rig: Rig) => orderOf(shopOf(rig), 'the-push', 250_000, '001'),
  qr: async (rig: Rig) => orderOf(shopOf(rig), 'the-code', 99_950, '007', 'qr'),
}
type Flow = keyof typeof FLOWS

const scanned = await pointsOfSources()
const [push, qr] = await Promise.all([census('push'), census('qr')])
const [page, passed_by_payout] = await Promise.all([census('page'), censusOfPayout()])
const passed: Record<Flow, string[]> = { push, qr, page }

test('at least one tested payment or payout passes each crash point in the sources', () => {
  assert.ok(scanned.length >= 10, `only ${scanned.join(', ')} are in the sources`)
  const covered = [...new Set([...Object.values(passed).flat(), ...passed_by_payout])].sort()
  assert.deepEqual(covered, scanned)
})

describe('crash points', {
  concurrency: CONCURRENCY,
}, () => {
  const tested = new Set<string>()
  /**
   * Returns the points of a flow to test. The long test (npm run crash) includes all points; otherwise the test omits the
   * points of earlier flows.
   */
  const pointsToTest = (points: readonly string[]) => {
    const chosen = points.filter((point) => IS_LONG || !tested.has(point))
    for (const point of points) tested.add(point)
    return chosen
  }
  for (const flow of Object.keys(FLOWS) as Flow[]) {
    for (const point of pointsToTest(passed[flow]))
      test(`another process continues a ${flow} payment, without a second payment, after the test killed the first process at ${point}`, () =>
        crash(flow, point))
  }
  for (const point of pointsToTest(passed_by_payout))
    test(`another process completes a payout after the test killed the first process at ${point}`, () =>
      crashPayout(point))
  for (const point of passed_by_payout.filter((name) => name.startsWith('approve.'))) {
    test(`another process completes a payout with an Idempotency-Key after the test killed the first process at ${point}`, () =>
      crashPayout(point, 'the-approval'))
  }
})

async function crash(flow: Flow, point: string): Promise<void> {
  const rig = await createRig({ shops: 1, delay_ms: DELAY_MS })
  const first = startChild(rig.env({ CRASH_AT: point }), ENTRY)
  let survivor: Survivor | null = null
  const order = await FLOWS[flow](rig)
  const client = createClient(`http://127.0.0.1:${rig.port}`, 4)
  try {
    await first.ready()
    await rig.configureWebhooks(first.url)
    const before = await client.once(order)
    if (before !== null) assert.equal(before.status, 202)
    assert.deepEqual(await endOf(first), { code: null, signal: 'SIGKILL' }, `nothing passed ${point}`)

    survivor = await serveHere(rig, AHEAD_MS)
    const ack = await client.order(order)
    if (before !== null) assert.equal(ack.text, before.text, 'a repeated request gets the first answer')
    const again = await client.order(order)
    assert.equal(again.text, ack.text)
    if (flow !== 'qr') await quiet(rig)
    else await until('the code is at the provider', () => codeIsOut(rig, ack.collection_id))
    checkOneEffect(flow, await gatherFacts(rig, [ack]))
  } finally {
    await client.close()
    await first.kill()
    await survivor?.close()
    await rig.close()
  }
}

/**
 * Kills a process at the point while an operator approves and a process sends the payout. Another process completes the payout.
 * With an Idempotency-Key, the server approves on the repeated request or returns the stored response.
 */
async function crashPayout(point: string, idempotency_key?: string): Promise<void> {
  const rig = await createRig({ shops: 1, delay_ms: DELAY_MS })
  const cashier = await openCashier(rig)
  const first = startChild(rig.env({ CRASH_AT: point }), ENTRY)
  let survivor: Survivor | null = null
  try {
    const shop = shopOf(rig)
    await cashier.fund(shop, 2n * totalOf(PAYOUT_MINOR))
    const id = await cashier.submit(shop, PAYOUT_MINOR, '001')
    await first.ready()
    await rig.configureWebhooks(first.url)
    const before = await cashier.approve(first.url, id, idempotency_key)
    assert.ok(before === null || before === 200)
    assert.deepEqual(await endOf(first), { code: null, signal: 'SIGKILL' }, `nothing passed ${point}`)

    survivor = await serveHere(rig, AHEAD_MS)
    // The operator repeats the approval. Without a key, the server refuses the repeated request if it committed the first
    // approval.
    const succeeds = idempotency_key !== undefined || point === 'approve.before_commit'
    assert.equal(await cashier.approve(survivor.url, id, idempotency_key), succeeds ? 200 : 409)
    assert.deepEqual(await waitPayoutsQuiet(rig), { open: 0, unsent: 0, due: 0, pending: 0 })
    const facts = await gatherPayoutFacts(rig)
    const funded = new Map([[shop.merchant.id, 2n * totalOf(PAYOUT_MINOR)]])
    assert.deepEqual(findPayoutProblems(facts, funded), [])
    assert.deepEqual(
      facts.withdrawals.map(({ status }) => status),
      ['SUCCESS'],
    )
    assert.deepEqual(
      facts.entries.map(({ executions, amount_minor }) => [executions, amount_minor]),
      [[1, String(PAYOUT_MINOR)]],
    )
    assert.equal(facts.deliveries.length, 1)
  } finally {
    await first.kill()
    await survivor?.close()
    await cashier.close()
    await rig.close()
  }
}

/** Returns the points that a payout passes from its approval to its delivered webhook. */
async function censusOfPayout(): Promise<string[]> {
  const rig = await createRig({ shops: 1, delay_ms: DELAY_MS })
  const cashier = await openCashier(rig)
  const child = startChild(rig.env(), ENTRY)
  const names = new Set<string>()
  child.onMessage((name) => names.add(String(name)))
  try {
    await cashier.fund(shopOf(rig), totalOf(PAYOUT_MINOR))
    const id = await cashier.submit(shopOf(rig), PAYOUT_MINOR, '001')
    await child.ready()
    await rig.configureWebhooks(child.url)
    assert.equal(await cashier.approve(child.url, id), 200)
    assert.deepEqual(await waitPayoutsQuiet(rig), { open: 0, unsent: 0, due: 0, pending: 0 })
    return [...names].sort()
  } finally {
    await child.kill()
    await cashier.close()
    await rig.close()
  }
}

async function quiet(rig: Rig): Promise<void> {
  const { left } = await waitQuiet(rig)
  assert.deepEqual(left, { open: 0, due: 0, pending: 0 })
}

async function codeIsOut(rig: Rig, collection_id: string): Promise<boolean> {
  const { attempts, book } = await gatherFacts(rig, [])
  const attempt = attempts.find((row) => row.collection_id === collection_id)
  return book.some((entry) => entry.reference === attempt?.provider_reference)
}

function checkOneEffect(flow: Flow, facts: Facts): void {
  if (flow !== 'qr') {
    assert.deepEqual(findProblems(facts), [])
    assert.equal(facts.collections.length, 1)
    assert.equal(facts.book.length, 1)
    assert.equal(facts.deliveries.length, 1)
    return
  }
  // The payer never pays, so this payment stays open. The test permits no other problem.
  const [ack] = facts.acks
  const open = [
    `${ack?.collection_id} stays in processing`,
    `${ack?.collection_id} still waits for its provider`,
    `${ack?.collection_id} has no event`,
  ]
  assert.deepEqual(findProblems(facts), open)
  // At every crash point, requests with one key make one payment with one reference.
  assert.equal(facts.collections.length, 1)
  assert.equal(facts.book.length, 1)
  assert.ok(facts.collections.every((row) => row.net_minor === 0n))
}

/** Makes a payment link, and returns an order on its page. */
async function orderOnPage(rig: Rig, key: string, amount_minor: bigint, customer_phone: string): Promise<Order> {
  const shop = shopOf(rig)
  const { id, routing_code, merchant_code: code } = shop.merchant
  const actor = { kind: 'system', id: null, name: 'test' } as const
  const caller = {
    merchant: { id, routing_code, code },
    environment: 'live',
    environments: ['live'],
    role: null,
    actor,
  } as const
  const checked = checkPage({ amount: formatAmount(amount_minor), reference: key })
  const { slug } = await inTransaction(rig.deps.db, (tx) => createLink(rig.deps, tx, caller, checked, []))
  const body = JSON.stringify({ method: 'WALLET_PUSH', customer_phone })
  return { shop, path: `/public/payment-links/${slug}/collect`, key, amount_minor: Number(amount_minor), body }
}

/** Returns the names of all crash points in server/src. */
async function pointsOfSources(): Promise<string[]> {
  const names = new Set<string>()
  for (const file of await readdir(SOURCES, { recursive: true })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue
    const text = await readFile(join(SOURCES, file), 'utf8')
    const calls = [...text.matchAll(/\bdeps\.point\(|(?<![\w.])point\(/g)].length
    const named = [...text.matchAll(/\bpoint\(\s*'([^']+)'\s*\)/g)]
    assert.equal(named.length, calls, `${file}: write the name of a crash point as a text in quotes`)
    for (const [, name] of named) if (name !== undefined) names.add(name)
  }
  return [...names].sort()
}

/**
 * Returns the points that a payment passes from its request to its delivered webhook. For a QR payment, the points end when the
 * provider has the code.
 */
async function census(flow: Flow): Promise<string[]> {
  const rig = await createRig({ shops: 1, delay_ms: DELAY_MS })
  const child = startChild(rig.env(), ENTRY)
  const client: Client = createClient(child.url, 1)
  const names = new Set<string>()
  child.onMessage((name) => names.add(String(name)))
  try {
    await child.ready()
    await rig.configureWebhooks(child.url)
    const order: Order = await FLOWS[flow](rig)
    const ack = await client.order(order)
    if (flow !== 'qr') await quiet(rig)
    else await until('the code is at the provider', () => codeIsOut(rig, ack.collection_id))
    return [...names].sort()
  } finally {
    await client.close()
    await child.kill()
    await rig.close()
  }
}

function shopOf(rig: Rig) {
  const [shop] = rig.shops
  if (shop === undefined) throw new Error('the rig has no shop')
  return shop
}
