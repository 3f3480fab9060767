// Tests the built command-line tool against the real server. CLI_NODE names another Node for the tool.
// Own process: the test starts many programs, so it takes long.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { enqueueEvents } from '../../../server/src/adapters/webhooks/enqueue.ts'
import { inTransaction } from '../../../server/src/kernel/db/index.ts'
import { newId, settableClock } from '../../../server/src/kernel/lib/index.ts'
import { createWorld, type World } from '../../../server/test/harness.ts'
import { startScriptedServer } from '../../conformance/scripted-server.ts'
import { verifyWebhook } from '../../typescript/src/index.ts'
import { buildCli } from '../build.ts'
import { positionOf } from '../src/settings.ts'

const NODE = process.env.CLI_NODE ?? process.execPath
const EVENTS = 1_000
const PAYMENTS = 50

let world: World
let base_url: string
let folder: string
let tool: string
const timers: NodeJS.Timeout[] = []
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-cli-'))
  tool = join(folder, 'malipo.mjs')
  await buildCli(tool)
  // The tool computes times with the clock of this computer, so the world has the same time.
  world = await createWorld({
    clock: settableClock(new Date()),
    env: { PROMPTS_PER_PHONE: '0', TRIES_PER_ADDRESS: '0' },
  })
  await world.system.app.listen({ port: 0, host: '127.0.0.1' })
  base_url = `http://127.0.0.1:${(world.system.app.server.address() as AddressInfo).port}`
  // The clock of the world and its worker run continuously, as in a real process.
  let is_working = false
  timers.push(
    setInterval(() => world.deps.clock.advance(20), 20),
    setInterval(() => {
      if (is_working) return
      is_working = true
      void world.work().finally(() => {
        is_working = false
      })
    }, 200),
  )
})
after(async () => {
  for (const timer of timers) clearInterval(timer)
  await new Promise((resolve) => setTimeout(resolve, 300))
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Writes all captured requests to the request log. */
async function written(): Promise<void> {
  await world.system.own_tasks.find(({ name }) => name === 'request_log')?.idle()
}

type Options = { key?: string; env?: Record<string, string>; input?: string }
const newHome = () => mkdtempSync(join(folder, 'home-'))

function start(args: string[], { key = world.sandbox_key, env = {} }: Options = {}): ChildProcess {
  const variables = {
    PATH: '/nonexistent',
    MALIPO_HOME: newHome(),
    MALIPO_BASE_URL: base_url,
    MALIPO_API_KEY: key,
    ...env,
  }
  return spawn(NODE, [tool, ...args], { env: variables, stdio: ['pipe', 'pipe', 'pipe'] })
}
async function run(args: string[], options: Options = {}) {
  const child = start(args, options)
  let [out, err] = ['', '']
  child.stdout?.on('data', (chunk) => {
    out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    err += chunk
  })
  child.stdin?.end(options.input ?? '')
  const [code] = (await once(child, 'close')) as [number]
  return { code, out, err }
}

type Received = { headers: IncomingHttpHeaders; body: string }
async function receiver(
  answer: () => number = () => 200,
  port = 0,
): Promise<{ url: string; got: Received[]; server: Server }> {
  const got: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      got.push({ headers: request.headers, body })
      response.writeHead(answer()).end()
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, got, server }
}
async function until(holds: () => boolean, what: string, ms = 60_000): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    if (holds()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.fail(what)
}

describe('login', () => {
  test('the tool stores the key in a file that only the user can read, and logout removes the key', async () => {
    const env = { MALIPO_HOME: newHome(), MALIPO_API_KEY: '', MALIPO_BASE_URL: '' }
    const bare = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
    const child = (args: string[], input = '') => {
      const spawned = spawn(NODE, [tool, ...args], {
        env: { PATH: '/nonexistent', ...bare },
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      spawned.stdin.end(input)
      let text = ''
      for (const stream of [spawned.stdout, spawned.stderr]) {
        stream.on('data', (chunk) => {
          text += chunk
        })
      }
      return once(spawned, 'close').then(([code]) => ({ code, text }))
    }
    const before_login = await child(['get', 'x'])
    assert.deepEqual(
      [before_login.code, before_login.text],
      [1, 'You are not logged in. Run "malipo login", or set MALIPO_API_KEY.\n'],
    )
    const login = await child(['login', '--base-url', base_url], `${world.sandbox_key}\n`)
    assert.match(login.text, /Logged in to http:.* as Duka la Asha \(sandbox\).*in a file/)
    assert.ok(!login.text.includes(world.sandbox_key))
    const file = join(env.MALIPO_HOME, 'login.json')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const paid = await child(['pay', '0754123001', '500', '--json'])
    assert.equal(JSON.parse(paid.text.split('\n').find((line) => line.startsWith('{')) ?? '').status, 'successful')
    assert.equal((await child(['logout'])).text, 'The tool removed the key.\n')
    assert.deepEqual(readdirSync(env.MALIPO_HOME), [])
    assert.equal((await child(['logout'])).text, 'The tool has no key.\n')
  })

  test('the tool stores the key in the keyring if secret-tool is present', async () => {
    const bin = mkdtempSync(join(folder, 'bin-'))
    const ring = join(bin, 'ring')
    const script = `#!/bin/sh\ncase "$1" in store) /bin/cat > ${ring};; lookup) /bin/cat ${ring};; clear) /bin/rm -f ${ring};; esac\n`
    writeFileSync(join(bin, 'secret-tool'), script)
    chmodSync(join(bin, 'secret-tool'), 0o755)
    const home = newHome()
    const env = { PATH: bin, MALIPO_HOME: home }
    const child = spawn(NODE, [tool, 'login', '--base-url', base_url, '--json'], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    child.stdin.end(world.sandbox_key)
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    await once(child, 'close')
    assert.equal(JSON.parse(text).stored_in, 'keyring')
    assert.ok(!readFileSync(join(home, 'login.json'), 'utf8').includes(world.sandbox_key))
    assert.equal(readFileSync(ring, 'utf8'), world.sandbox_key)
    const opened = spawn(NODE, [tool, 'trigger', 'collection.success', '--json'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    assert.deepEqual(await once(opened, 'close'), [0, null])
  })
})

describe('errors', () => {
  const cases: [name: string, args: string[], options: () => Options, code: number, message: RegExp][] = [
    [
      'a wrong key',
      ['get', randomUUID()],
      () => ({ key: `${world.sandbox_key.slice(0, -1)}_` }),
      1,
      /does not know this key/,
    ],
    ['a text that is no key', ['get', randomUUID()], () => ({ key: 'hello' }), 1, /does not know this key/],
    [
      'a live key for trigger',
      ['trigger', 'collection.success'],
      () => ({ key: world.live_key }),
      1,
      /This is a live key/,
    ],
    ['a live key for pay', ['pay', '0754123001', '500'], () => ({ key: world.live_key }), 2, /Add --live/],
    [
      'an unreachable server',
      ['get', 'x'],
      () => ({ env: { MALIPO_BASE_URL: 'http://127.0.0.1:1999' } }),
      1,
      /no server listens there/,
    ],
    [
      'a malformed address',
      ['get', 'x'],
      () => ({ env: { MALIPO_BASE_URL: 'localhost:80' } }),
      1,
      /is no address of a server/,
    ],
    ['an unknown command', ['gett'], () => ({}), 2, /is no command/],
    ['an unknown option', ['get', 'x', '--sience', '1h'], () => ({}), 2, /sience/],
    ['an option of another command', ['get', 'x', '--since', '1h'], () => ({}), 2, /takes no --since/],
    ['a missing word', ['get'], () => ({}), 2, /ID or REFERENCE is missing/],
    ['an unknown event', ['trigger', 'collection.lost'], () => ({}), 2, /is no event/],
    ['an event that only time makes', ['trigger', 'invoice.overdue'], () => ({}), 2, /due date/],
    ['an event that a mark makes', ['trigger', 'balance.low'], () => ({}), 2, /mark that you set in the dashboard/],
    ['a malformed phone', ['pay', '07', '500'], () => ({}), 1, /phone/],
    ['an unknown record', ['get', randomUUID()], () => ({}), 1, /sandbox environment of this key/],
    [
      'an unknown reference',
      ['get', 'ORDER-7?&page=2'],
      () => ({}),
      1,
      /no record with the id or the reference ORDER-7/,
    ],
    ['a long text', ['get', 'x'.repeat(101)], () => ({}), 1, /no record with the id or the reference x/],
    ['a malformed time', ['replay', '--since', 'soon'], () => ({}), 2, /must be 30m, 2h/],
  ]
  for (const [name, args, options, code, message] of cases) {
    test(`the tool explains ${name} without a stack trace, as text and as JSON`, async () => {
      const plain = await run(args, options())
      assert.deepEqual([plain.code, plain.out], [code, ''], plain.err)
      assert.match(plain.err, message)
      assert.ok(!plain.err.includes('    at '), plain.err)
      const json = await run([...args, '--json'], options())
      assert.match(JSON.parse(json.out).error.message, message)
    })
  }

  test('the tool names the cause when the server is not a Malipo server, and when the clock is an hour off', async () => {
    let date = new Date()
    let body = '<html>'
    const server = createServer((_, response) => {
      response.writeHead(200, { date: date.toUTCString(), 'content-type': 'text/html' }).end(body)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const env = { MALIPO_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    const id = randomUUID()
    const other = await run(['get', id], { env })
    assert.match(other.err, /not as a Malipo server does/)
    assert.doesNotMatch(other.err, /clock/)
    for (const [offset_ms, words] of [
      [3_660_000, /is 61 minutes behind the clock of the server/],
      [-3_660_000, /is 61 minutes ahead of the clock of the server/],
    ] as const) {
      date = new Date(Date.now() + offset_ms)
      body = JSON.stringify({ success: true, data: { id } })
      const off = await run(['get', id], { env })
      assert.equal(off.code, 0, off.err)
      assert.match(off.err, words)
    }
    server.close()
  })
})

/**
 * Starts a server with one account. `answer` returns the answer to a payment. Undefined means that the server breaks the
 * connection.
 */
async function payServer(environment: string, answer: (count: number) => { status: number; body: object } | undefined) {
  const keys: string[] = []
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const send = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body))
      const record = { status: 'successful', failure_reason_message: null }
      if (request.url === '/v1/me') return send(200, { success: true, data: { environment } })
      if (request.method === 'GET') return send(200, { success: true, data: record })
      keys.push(String(request.headers['idempotency-key']))
      const given = answer(keys.length)
      if (given === undefined) return request.socket.destroy()
      return send(given.status, given.body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const env = { MALIPO_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  return { keys, server, env }
}

describe('safety', () => {
  const made = { status: 201, body: { success: true, data: { collection_id: 'c1', message: 'Sent' } } }

  test('pay repeats a payment with the same key if the answer was lost', async () => {
    const { keys, server, env } = await payServer('sandbox', (count) => (count < 3 ? undefined : made))
    const paid = await run(['pay', '0754123001', '500'], { env })
    assert.equal(paid.code, 0, paid.err)
    assert.deepEqual([keys.length, new Set(keys).size], [3, 1])
    server.close()
  })

  test('pay prints the key and the command to repeat if the outcome stays unknown', async () => {
    const { keys, server, env } = await payServer('live', (count) =>
      count === 1
        ? undefined
        : { status: 429, body: { success: false, error: { code: 'rate_limited', message: 'Slow.' } } },
    )
    const lost = await run(['pay', '0754123001', '500', '--live', '--reference', "Asha's 1"], { env })
    assert.deepEqual([lost.code, keys.length, new Set(keys).size], [1, 3, 1])
    const command = `malipo pay 0754123001 500 '--reference=Asha'\\''s 1' --live --idempotency-key ${keys[0]}`
    assert.match(lost.err, /The outcome is unknown/)
    assert.ok(lost.err.includes(command), lost.err)
    const json = await run(['pay', '0754123001', '500', '--live', '--idempotency-key', 'mine', '--json'], { env })
    assert.equal(json.code, 1)
    assert.equal(keys.at(-1), 'mine')
    server.close()
  })

  test('two runs of pay with one idempotency key make one payment', async () => {
    const args = ['pay', '0754123001', '910', '--idempotency-key', randomUUID(), '--json']
    const [first, second] = [await run(args), await run(args)]
    assert.equal(first.code, 0, first.err)
    assert.equal(JSON.parse(second.out).collection_id, JSON.parse(first.out).collection_id)
  })

  test('the tool refuses to send a stored key to another server, and a live key over a network without encryption', async () => {
    const home = newHome()
    writeFileSync(
      join(home, 'login.json'),
      JSON.stringify({ base_url: 'http://127.0.0.1:1998', key: world.sandbox_key }),
    )
    const { server, env } = await payServer('sandbox', () => made)
    const child = spawn(NODE, [tool, 'pay', '0754123001', '500'], {
      env: { PATH: '/nonexistent', MALIPO_HOME: home, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let err = ''
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    assert.deepEqual(await once(child, 'close'), [1, null])
    assert.match(err, /The stored key is for http:\/\/127\.0\.0\.1:1998.*Set MALIPO_API_KEY too/)
    for (const host of ['pay.example.com', '127.0.0.1.example.com', '10.0.0.1']) {
      const refused = await run(['get', 'x'], { key: world.live_key, env: { MALIPO_BASE_URL: `http://${host}` } })
      assert.match(refused.err, /has no encryption, and this is a live key/)
    }
    server.close()
  })

  test('a text of the server cannot control the terminal, in the plain output and in the JSON output', async () => {
    const message = 'a\u001b[2J\u009b2J\u007f\r\nb\u202e'
    const { server, env } = await payServer('sandbox', () => ({
      status: 422,
      body: { success: false, error: { code: 'validation_failed', message } },
    }))
    const plain = await run(['pay', '0754123001', '500'], { env })
    assert.ok(plain.err.endsWith('a\\u001b[2J\\u009b2J\\u007f\\u000d\\u000ab\\u202e\n'), JSON.stringify(plain.err))
    const json = await run(['pay', '0754123001', '500', '--json'], { env })
    assert.doesNotMatch(json.out.trimEnd(), /[\p{Cc}\u202e]/u)
    assert.equal(JSON.parse(json.out).error.message, message)
    server.close()
  })
})

describe('commands', () => {
  test('the tool has the version of its package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
    assert.equal((await run(['--version'])).out, `${version}\n`)
  })

  test('every command has help, bash completes commands, options and events, and the script for zsh uses that of bash', async () => {
    const { out } = await run(['help'])
    const names = [...out.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name as string)
    assert.equal((await run(['--help'])).out, out, '--help lists the commands too')
    assert.deepEqual(names.sort(), 'completion get help listen login logout logs open pay replay trigger'.split(' '))
    for (const name of names) {
      const [help, flag] = await Promise.all([run(['help', name]), run([name, '--help'])])
      assert.equal(help.code, 0)
      assert.ok(help.out.startsWith(`malipo ${name}`), help.out)
      assert.equal(flag.out, help.out)
    }
    const { out: bash } = await run(['completion', 'bash'])
    const complete = (words: string, place: number) =>
      outputOfBash(`${bash}\nCOMP_WORDS=(${words}); COMP_CWORD=${place}; _malipo; echo "\${COMPREPLY[@]}"`)
    assert.equal(await complete('malipo lo', 1), 'login logout logs')
    assert.equal(await complete('malipo listen --fo', 2), '--forward-to')
    assert.equal(await complete('malipo trigger invoice', 2), 'invoice.paid')
    assert.match((await run(['completion', 'zsh'])).out, /bashcompinit/)
  })

  // The events of a paid link or invoice name more than one record.
  const RECORDS_OF: Record<string, number> = { 'payment_link.paid': 2, 'invoice.paid': 3 }
  for (const event of [
    'collection.success',
    'collection.failed',
    'collection.pending_review',
    'collection.reversed',
    'disbursement.success',
    'disbursement.failed',
    'disbursement.reversed',
    'disbursement.approved',
    'disbursement.info_requested',
    'payment_link.paid',
    'invoice.paid',
  ]) {
    test(`trigger makes ${event}, and get and open find its records`, async () => {
      const { code, out, err } = await run(['trigger', event, '--json'])
      assert.equal(code, 0, err)
      const { id, event: name, data } = JSON.parse(out)
      assert.equal(name, event)
      assert.equal(JSON.parse((await run(['get', id, '--json'])).out).kind, 'event')
      const { collection_id, disbursement_id, payment_link_id, invoice_id } = data
      let records = 0
      for (const [kind, of, page] of [
        ['collection', collection_id, 'collections'],
        ['disbursement', disbursement_id, 'withdrawals'],
        ['payment_link', payment_link_id, 'links'],
        ['invoice', invoice_id, 'invoices'],
      ]) {
        if (of === undefined) continue
        const found = JSON.parse((await run(['get', of, '--json'])).out)
        assert.deepEqual([found.kind, found.record.id ?? found.record.collection_id], [kind, of])
        const opened = await run(['open', of, '--print'])
        assert.equal(opened.out, `${base_url}/dashboard/sandbox/${page}/${of}\n`)
        records++
      }
      assert.equal(records, RECORDS_OF[event] ?? 1)
    })
  }

  test('get finds a transaction, and pay reports the result of a payment by its exit code', async () => {
    const paid = await run(['pay', '0754123001', '750', '--reference', 'CLI-1', '--json'])
    assert.deepEqual([paid.code, JSON.parse(paid.out).reference], [0, 'CLI-1'])
    const { items } = (await world.get(`/v1/merchants/me/transactions`)).body.data
    assert.equal(JSON.parse((await run(['get', items[0].reference, '--json'])).out).kind, 'transaction')
    const failed = await run(['pay', '0754123003', '750'])
    assert.equal(failed.code, 1)
    assert.match(failed.out, /^failed /)
  })

  test('get and open find a payment and a payout by their reference, and list the ids when several records fit', async () => {
    const push = async (reference: string) => {
      const payment = { amount: '50000', phone: '0754123001', reference }
      return (await world.post('/v1/collections/wallet-push', payment)).body.data.collection_id as string
    }
    const [first, longer, other] = [await push('Duka-7'), await push('Duka-70'), await push('Duka-8')]
    const found = JSON.parse((await run(['get', 'DUKA-7', '--json'])).out)
    assert.deepEqual([found.kind, found.record.collection_id], ['collection', first])
    const opened = await run(['open', 'Duka-8', '--print'])
    assert.equal(opened.out, `${base_url}/dashboard/sandbox/collections/${other}\n`)
    const begun = await run(['get', 'duka-'])
    assert.deepEqual([begun.code, begun.out], [1, ''])
    assert.match(begun.err, /There is no record with the id or the reference duka- in the sandbox environment/)
    for (const [id, reference] of [
      [first, 'Duka-7'],
      [longer, 'Duka-70'],
      [other, 'Duka-8'],
    ]) {
      assert.ok(begun.err.includes(`collection ${id} (${reference})`), begun.err)
    }
    const second = await push('Duka-7')
    const both = await run(['get', 'Duka-7'])
    assert.deepEqual([both.code, both.out], [1, ''])
    assert.match(both.err, /2 records have the reference Duka-7: .*Show one of them by its id/)
    for (const id of [first, second]) assert.ok(both.err.includes(`collection ${id} (`), both.err)
    const destination = { destination_identifier: '0754123400', destination_code: 'MPESA', reference: 'Mshahara-1' }
    const paid = async () => (await world.get(`/v1/collections/${first}`)).body.data.status === 'successful'
    while (!(await paid())) await new Promise((resolve) => setTimeout(resolve, 50))
    const payout = await world.post('/v1/disbursements/mobile-money', { amount: '10000.00', ...destination })
    assert.equal(payout.status, 202, payout.text)
    const shown = JSON.parse((await run(['get', 'Mshahara-1', '--json'])).out)
    assert.deepEqual([shown.kind, shown.record.id], ['disbursement', payout.body.data.id])
    const key = await world.newKey({ scopes: ['collections:read'] })
    const narrow = await run(['get', 'Mshahara-1'], { key })
    assert.match(narrow.err, /The key may not read these kinds: disbursement\./)
    const by_id = await run(['get', randomUUID()], { key })
    assert.match(by_id.err, /The key may not read these kinds: .*, delivery, event\./)
  })

  test('logs tail shows new requests with their error code and request id, and no request of the tool', async () => {
    await run(['get', randomUUID()])
    await written()
    const child = start(['logs', 'tail'])
    let [out, err] = ['', '']
    child.stdout?.on('data', (chunk) => {
      out += chunk
    })
    child.stderr?.on('data', (chunk) => {
      err += chunk
    })
    const writing = setInterval(() => void written(), 200)
    try {
      await until(() => err.includes('Connected.'), 'the tool connects')
      const accepted = await world.post('/v1/collections/wallet-push', { amount: '750', phone: '0754123001' })
      const refused = await world.post('/v1/collections/wallet-push', { amount: 'x', phone: '0754123001' })
      const lineOf = (reply: { headers: object }) => {
        const { 'x-request-id': id } = reply.headers as Record<string, string>
        return out.split('\n').find((line) => line.includes(String(id))) ?? ''
      }
      await until(() => lineOf(accepted) !== '' && lineOf(refused) !== '', `both requests are shown: ${out} ${err}`)
      assert.match(lineOf(accepted), /^\S+Z {2}POST {3}\/v1\/collections\/wallet-push {2}202 {2}\d+ ms /)
      assert.match(lineOf(refused), /wallet-push {2}400 validation_failed {2}\d+ ms /)
      assert.equal(out.trim().split('\n').length, 2, out)
    } finally {
      clearInterval(writing)
      child.kill('SIGINT')
    }
    assert.deepEqual(await once(child, 'close'), [0, null])
    const key = await world.newKey({ scopes: ['webhooks:manage'] })
    const narrow = await run(['logs', 'tail'], { key })
    assert.equal(narrow.code, 1)
    assert.match(narrow.err, /This key lacks the scope requests:read\. Make a key with this scope/)
  })

  test('logs tail --since shows past requests with the status of --status, and refuses options that do not fit', async () => {
    await world.get(`/v1/collections/${randomUUID()}`)
    await written()
    const child = start(['logs', 'tail', '--since', '1h', '--status', '404', '--json'])
    let out = ''
    child.stdout?.on('data', (chunk) => {
      out += chunk
    })
    await until(() => out.includes('\n'), 'a past request is shown')
    child.kill('SIGINT')
    assert.deepEqual(await once(child, 'close'), [0, null])
    const shown = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.ok(shown.every(({ status, error_code }) => status === 404 && error_code === 'not_found'))
    for (const words of [
      ['--status', '9xx'],
      ['--since', 'soon'],
      ['--events', '--status', '404'],
    ]) {
      const wrong = await run(['logs', 'tail', ...words])
      assert.equal(wrong.code, 2, wrong.err)
      assert.match(wrong.err, /--(?:status|since)/)
    }
  })

  test('logs tail --events shows only events that commit after its start', async () => {
    const child = start(['logs', 'tail', '--events', '--json'])
    let [out, err] = ['', '']
    child.stdout?.on('data', (chunk) => {
      out += chunk
    })
    child.stderr?.on('data', (chunk) => {
      err += chunk
    })
    await until(() => err.includes('Connected.'), 'the tool connects')
    await new Promise((resolve) => setTimeout(resolve, 700))
    const { id } = JSON.parse((await run(['trigger', 'collection.success', '--json'])).out)
    await until(() => out.includes(id), 'the event is shown')
    child.kill('SIGINT')
    assert.deepEqual(await once(child, 'close'), [0, null])
    const shown = out.trim().split('\n')
    assert.deepEqual(
      shown.map((line) => JSON.parse(line).id),
      [id],
    )
  })

  test('replay sends past events to an address, oldest first', async (t) => {
    await makeEvents(1, 3, 'replay')
    const { url, got, server } = await receiver()
    t.after(() => server.close())
    const sent = await run(['replay', '--since', '1h', '--forward-to', url, '--json'])
    assert.equal(sent.code, 0, sent.err)
    const numbers = got.map(({ body }) => JSON.parse(body)).filter(({ run: name }) => name === 'replay')
    assert.deepEqual(
      numbers.map(({ n }) => n),
      [1, 2, 3],
    )
    assert.equal((await run(['replay', '--since', '1h'])).out, 'The server sends 0 deliveries again.\n')
  })

  test('replay names one delivery and one event in the singular', async (t) => {
    const { url, server } = await receiver()
    const scripted = await startScriptedServer()
    t.after(() => Promise.all([scripted.close(), server.close()]))
    const env = (data: object) => ({ MALIPO_BASE_URL: scripted.script([{ status: 200, data }]).base_url })
    const event = { id: randomUUID(), event: 'collection.success', created_at: '2026-01-05T09:00:00.000Z', data: {} }
    const [queued, forwarded] = await Promise.all([
      run(['replay', '--since', '1h'], { env: env({ queued: 1, more: false, next_since: null }) }),
      run(['replay', '--since', '1h', '--forward-to', url], { env: env({ items: [event] }) }),
    ])
    assert.equal(queued.out, 'The server sends 1 delivery again.\n')
    assert.match(forwarded.err, /^The tool sent 1 event again\. Signing secret: whsec_/)
  })
})

/**
 * Makes events of several payments, in the order of their status changes. `n` is the number of the event within its payment.
 */
async function makeEvents(payments: number, each: number, name: string): Promise<void> {
  const { id: merchant_id, routing_code } = world.merchant
  const sources = Array.from({ length: payments }, () => newId(world.deps, routing_code))
  for (let n = 1; n <= each; n++) {
    const events = sources.map((source_id) => ({
      merchant_id,
      routing_code,
      environment: 'sandbox',
      event: 'collection.success' as const,
      endpoint_ids: [],
      source_type: 'collection' as const,
      source_id,
      source_seq: n,
      body: { event: 'collection.success', collection_id: source_id, n, run: name },
    }))
    await inTransaction(world.deps.db, (tx) => enqueueEvents(world.deps, tx, events, () => false))
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}

describe('listen', () => {
  test('the tool forwards an event with the headers and bytes of a webhook, and verifyWebhook accepts the event', async () => {
    const hook = await receiver()
    const child = start(['listen', '--forward-to', hook.url, '--json'])
    let out = ''
    child.stdout?.on('data', (chunk) => {
      out += chunk
    })
    let err = ''
    child.stderr?.on('data', (chunk) => {
      err += chunk
    })
    await until(() => err.includes('Connected.'), 'the tool connects')
    await new Promise((resolve) => setTimeout(resolve, 700))
    const real = await receiver()
    await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload: { webhook_url: real.url } })
    const metadata = { '10': 'a', '9': 'b', jina: 'Kariakoo – Dar', quote: '"\\' }
    await world.post('/v1/collections/wallet-push', { amount: '500', phone: '0754123001', metadata })
    await until(() => hook.got.length > 0 && real.got.length > 0, 'both receivers get the event')
    const [forwarded, delivered] = [hook.got[0], real.got[0]] as [Received, Received]
    assert.equal(forwarded.body, delivered.body)
    const names = (headers: IncomingHttpHeaders) =>
      Object.keys(headers)
        .filter((name) => /^(x-service|webhook|content-type|user-agent)/.test(name))
        .sort()
    assert.deepEqual(names(forwarded.headers), names(delivered.headers))
    for (const name of ['webhook-id', 'x-service-delivery', 'x-service-event', 'content-type', 'user-agent'])
      assert.equal(forwarded.headers[name], delivered.headers[name], name)
    const { secret } = JSON.parse(out.split('\n')[0] ?? '')
    const event = await verifyWebhook({ ...forwarded, secret })
    assert.equal(event.event, 'collection.success')
    await assert.rejects(verifyWebhook({ ...forwarded, body: `${forwarded.body} `, secret }))
    child.kill('SIGINT')
    await once(child, 'close')
    hook.server.close()
    real.server.close()
  })

  test(`the tool forwards ${EVENTS} events at least once, in order for each payment, although the test kills and restarts the tool`, async () => {
    const env = { MALIPO_HOME: newHome() }
    const hook = await receiver()
    const started = () => {
      const child = start(['listen', '--forward-to', hook.url, '--json'], { env })
      child.stdout?.resume()
      return child
    }
    let child = started()
    let err = ''
    child.stderr?.on('data', (chunk) => {
      err += chunk
    })
    await until(() => err.includes('Connected.'), 'the tool connects')
    await new Promise((resolve) => setTimeout(resolve, 700))
    let has_ended = false
    const making = makeEvents(PAYMENTS, EVENTS / PAYMENTS, 'kill').then(() => {
      has_ended = true
    })
    await until(() => hook.got.length > 0, 'the first event arrives')
    let kills = 0
    while (!has_ended || kills < 4) {
      const before_kill = hook.got.length
      child.kill('SIGKILL')
      await once(child, 'close')
      kills++
      child = started()
      await until(() => hook.got.length > before_kill || has_ended, 'the tool goes on')
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
    await making
    const of = new Map<string, number[]>()
    const distinct = () => new Set(hook.got.map(({ headers }) => headers['webhook-id'])).size
    await until(() => distinct() >= EVENTS, `${distinct()} of ${EVENTS} events arrive`)
    for (const { body } of hook.got) {
      const { collection_id, n } = JSON.parse(body)
      const numbers = of.get(collection_id) ?? []
      // After a kill, the tool forwards some events again. The test checks the order of the first arrivals.
      if (!numbers.includes(n)) numbers.push(n)
      of.set(collection_id, numbers)
    }
    assert.equal(of.size, PAYMENTS)
    const expected = Array.from({ length: EVENTS / PAYMENTS }, (_, i) => i + 1)
    for (const numbers of of.values()) assert.deepEqual(numbers, expected)
    child.kill('SIGINT')
    await once(child, 'close')
    hook.server.close()
  })

  test('a listener of one event writes its own position, and not that of a listener of all events', () => {
    const [url, base] = ['http://127.0.0.1:9/hook', 'http://127.0.0.1:8']
    const before_home = process.env.MALIPO_HOME
    process.env.MALIPO_HOME = newHome()
    const [all, one] = [{ url }, { url, event: 'collection.success' }].map((target) => positionOf(base, 'm', target))
    one?.write({ start_id: 'a', last_id: 'b', forwarded: [] })
    assert.equal(all?.read(), null)
    assert.equal(one?.read()?.last_id, 'b')
    if (before_home === undefined) delete process.env.MALIPO_HOME
    else process.env.MALIPO_HOME = before_home
  })

  test('the tool waits for a receiver that is not reachable, and loses no event', async () => {
    const first = await receiver()
    const port = (first.server.address() as AddressInfo).port
    first.server.close()
    await once(first.server, 'close')
    const child = start(['listen', '--forward-to', first.url])
    child.stdout?.resume()
    let err = ''
    child.stderr?.on('data', (chunk) => {
      err += chunk
    })
    await until(() => err.includes('Connected.'), 'the tool connects')
    await new Promise((resolve) => setTimeout(resolve, 700))
    await makeEvents(1, 3, 'down')
    await until(() => err.includes('The event'), 'the tool reports the receiver')
    const again = await receiver(() => 500, port)
    await until(() => again.got.length === 3, 'the events arrive')
    assert.deepEqual(
      again.got.map(({ body }) => JSON.parse(body).n),
      [1, 2, 3],
    )
    child.kill('SIGINT')
    await once(child, 'close')
    again.server.close()
  })
})

async function outputOfBash(script: string): Promise<string> {
  const child = spawn('/bin/bash', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  await once(child, 'close')
  return out.trim()
}
