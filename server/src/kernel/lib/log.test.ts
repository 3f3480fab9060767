// Tests that no line of the log contains a credential, and that the log counts repeated failures.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newPlaintextKey } from '../../access/api-keys/index.ts'
import { PROVIDERS } from '../../adapters/providers/registry.ts'
import { readConfig } from './config.ts'
import { createLog } from './log.ts'
import { systemRandom } from './random.ts'

const random = systemRandom()
const SECRETS = {
  'a live key': newPlaintextKey(readConfig({}, PROVIDERS), random, 'live'),
  'a sandbox key': newPlaintextKey(readConfig({}, PROVIDERS), random, 'sandbox'),
  'a key of style sk': newPlaintextKey(readConfig({ API_KEY_STYLE: 'sk' }, PROVIDERS), random, 'sandbox'),
  'a key of another brand': newPlaintextKey(readConfig({ BRAND: 'acme2' }, PROVIDERS), random, 'live'),
  'a webhook secret': `whsec_${Buffer.from(random.bytes(32)).toString('base64')}`,
  'a session token': 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg',
}

/** Returns the text that `work` logs. */
function written(work: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = []
  work(createLog('debug', { write: (line) => void lines.push(line) }))
  assert.ok(lines.length > 0)
  for (const line of lines) JSON.parse(line)
  return lines.join('')
}

for (const [name, secret] of Object.entries(SECRETS)) {
  test(`the log never contains ${name}, at any place of a line`, () => {
    const text = written((log) => {
      log.info(`message with ${secret} in it`)
      log.info({ path: `/v1/x/${secret}`, url: `http://h/?key=${secret}` }, 'request')
      log.info({ headers: { authorization: `Bearer ${secret}`, 'x-api-key': secret } }, 'headers')
      log.info({ a: { b: { c: [secret] } } }, 'deep')
      log.error({ err: new Error(`cannot use ${secret}`) }, 'failed')
      log.error({ err: secret }, 'failed oddly')
      log.child({ secret }).warn('child')
    })
    assert.ok(!text.includes(secret), text)
    assert.ok(!text.includes(secret.slice(-20)), 'the log does not contain the end of the secret')
  })
}

test('each line of the log is one JSON object with level and UTC time, and a text with line ends forges no line', () => {
  const forged = '\n{"level":"error","time":"2026-01-01T00:00:00.000Z","msg":"forged"}\r\n\u2028'
  const lines = written((log) => {
    log.info({ path: `/v1/x${forged}` }, `request${forged}`)
    log.error({ err: new Error(forged) }, 'failed')
  })
    .trimEnd()
    .split(/\r\n|[\n\r]/)
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ level }) => level),
    ['info', 'error'],
  )
  for (const { time } of lines) assert.equal(new Date(time).toISOString(), time)
})

for (const name of [
  'authorization',
  'x-api-key',
  'plaintext_key',
  'secret',
  'previous_secret',
  'password',
  'pin',
  'token',
  'cookie',
  'set-cookie',
]) {
  test(`the log never contains the value of a field with the name ${name}`, () => {
    const text = written((log) => {
      log.info({ [name]: 'hunter2hunter2' }, 'top')
      log.info({ inner: { [name]: 'hunter2hunter2' } }, 'inside')
      log.info({ request: { headers: { [name]: 'hunter2hunter2' } } }, 'deeper inside')
    })
    assert.ok(!text.includes('hunter2'), text)
  })
}

test('the log does not contain the table rows that a database error quotes', () => {
  const error = Object.assign(new Error('duplicate key'), {
    code: '23505',
    detail: 'Key (phone)=(255754123456) exists',
  })
  const text = written((log) => log.error({ err: error }, 'failed'))
  assert.ok(!text.includes('255754123456'))
  assert.ok(text.includes('23505'))
})

/** Runs `work` with a log that counts repetitions over 100 ms, and returns the lines after `wait_ms`. */
async function counted(work: (log: ReturnType<typeof createLog>) => void, wait_ms: number) {
  const lines: string[] = []
  work(createLog('debug', { write: (line) => void lines.push(line) }, 100))
  const at_once = lines.length
  await sleep(wait_ms)
  return { at_once, lines: lines.map((line) => JSON.parse(line)) }
}

const unreachable = (port: number) =>
  Object.assign(new Error(`connect ECONNREFUSED :${port}`), { code: 'ECONNREFUSED' })

test('the log writes a repeated failure once, and then the number of repetitions with the ids of the last occurrence', async () => {
  const { at_once, lines } = await counted((log) => {
    for (let i = 0; i < 1_000; i++) {
      log.warn({ component: 'work', err: unreachable(i), task: 'webhooks', delivery_id: `id-${i}` }, 'a task failed')
    }
  }, 150)
  assert.equal(at_once, 1)
  const [first, summary, ...others] = lines
  assert.equal(others.length, 0)
  assert.match(first.err.stack, /ECONNREFUSED :0\n/)
  assert.equal(first.delivery_id, 'id-0')
  const { msg, repeated, delivery_id, err, level } = summary
  assert.deepEqual(
    { msg, repeated, delivery_id, err, level },
    {
      msg: 'a task failed (repeated 999 times in 0.1 s)',
      repeated: 999,
      delivery_id: 'id-999',
      err: { type: 'Error', message: 'connect ECONNREFUSED :999', code: 'ECONNREFUSED' },
      level: 'warn',
    },
  )
})

test('the log counts different failures separately, and counts neither lines without an error nor lines below the level warn', async () => {
  const { at_once } = await counted((log) => {
    for (let i = 0; i < 10; i++) {
      log.error({ component: 'work', err: unreachable(1), task: 'webhooks' }, 'a task failed')
      log.error({ component: 'work', err: unreachable(1), task: 'payouts' }, 'a task failed')
      log.error({ component: 'work', err: new TypeError('x'), task: 'webhooks' }, 'a task failed')
      log.warn({ component: 'withdrawals', operator: 'Asha' }, 'an operator paused payouts')
      log.info({ component: 'work', err: unreachable(1) }, 'a task failed')
    }
  }, 0)
  assert.equal(at_once, 3 + 10 + 10)
})

test('the log writes a failure again when the failure returns after an interval without repetitions, and counts a marked warning without an error', async () => {
  const { lines } = await counted((log) => {
    const warn = () => log.warn({ component: 'collections', provider: 'x', repeats: true }, 'a payment waits')
    warn()
    warn()
    setTimeout(warn, 1_500)
  }, 1_550)
  assert.deepEqual(
    lines.map(({ msg, repeated, repeats }) => [msg, repeated, repeats]),
    [
      ['a payment waits', undefined, undefined],
      ['a payment waits (repeated once in 0.1 s)', 1, undefined],
      ['a payment waits', undefined, undefined],
    ],
  )
})

test('above the limit of counted failures, the log writes each line of a further failure', async () => {
  const { at_once } = await counted((log) => {
    for (let i = 0; i < 600; i++) {
      const err = new Error(String.fromCharCode(0x4e00 + i))
      log.error({ component: 'work', err }, 'failed')
      if (i >= 500) log.error({ component: 'work', err }, 'failed')
    }
  }, 0)
  assert.equal(at_once, 700)
})
